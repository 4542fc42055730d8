package spill

import (
	"context"
	"errors"
	"sync"

	"gsql/sql/sqlerr"
)

// Holder holds a worker's rows in memory, which may spill.
type Holder interface {
	// Rows returns the number of rows held.
	Rows() int
	// Put spills the rows and frees their memory; none are held afterwards.
	Put() error
}

// Arbiter coordinates workers of an operator that run concurrently until all have ended: one that
// lacks memory and has nothing to spill waits for the others. See the package comment. Put, Freed
// and Add may be called on nil, for a single worker.
type Arbiter struct {
	ctx context.Context

	mu      sync.Mutex
	active  int           // workers that have begun and neither wait nor have ended
	waiting int           // workers that wait for change
	change  chan struct{} // closed when memory may have become free
	ended   []Holder      // of workers that have ended
}

// NewArbiter makes an Arbiter without workers. They stop waiting when ctx ends.
func NewArbiter(ctx context.Context) *Arbiter { return &Arbiter{ctx: ctx, change: make(chan struct{})} }

// Begin counts a worker.
func (a *Arbiter) Begin() {
	a.mu.Lock()
	a.active++
	a.mu.Unlock()
}

// Put spills the rows of h and wakes the workers that wait for memory.
func (a *Arbiter) Put(h Holder) error {
	err := h.Put()
	a.Freed()
	return err
}

// Freed wakes waiting workers because memory was freed.
func (a *Arbiter) Freed() {
	if a != nil {
		a.mu.Lock()
		a.wake()
		a.mu.Unlock()
	}
}

// wake makes all waiting workers try again. They count as active from now on, not from when they
// are scheduled, so that no other worker takes itself for the last one.
func (a *Arbiter) wake() {
	a.active, a.waiting = a.active+a.waiting, 0
	close(a.change)
	a.change = make(chan struct{})
}

// End counts out the worker of h, which may be nil. Other workers may spill what h still holds.
func (a *Arbiter) End(h Holder) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.active--
	if h != nil && h.Rows() > 0 {
		a.ended = append(a.ended, h)
	}
	a.wake()
}

// Wait spills the rows of a worker that has ended, or waits until memory may have been freed. It
// returns false at once if all other workers are waiting, and so none could free any. The error is
// that of spilling, or the context's.
func (a *Arbiter) Wait() (bool, error) {
	a.mu.Lock()
	if n := len(a.ended); n > 0 {
		h := a.ended[n-1]
		a.ended = a.ended[:n-1]
		a.mu.Unlock()
		return true, a.Put(h)
	}
	if a.active == 1 {
		a.mu.Unlock()
		return false, nil
	}
	a.active, a.waiting = a.active-1, a.waiting+1
	change := a.change
	a.mu.Unlock()
	select {
	case <-change:
		return true, nil
	case <-a.ctx.Done():
		a.mu.Lock()
		defer a.mu.Unlock()
		if change == a.change {
			a.active, a.waiting = a.active+1, a.waiting-1
		}
		return false, a.ctx.Err()
	}
}

// Add calls add, which adds rows to h, until memory suffices: in between, the rows of h spill, or
// those of other workers if h holds none. The last worker that is not waiting tries once more, as
// no other one takes memory meanwhile. An add that fails for lack of memory must have no effect, or
// recognise what it has done.
func (a *Arbiter) Add(h Holder, add func() error) error {
	alone := false
	for {
		err := add()
		if !errors.Is(err, sqlerr.OutOfMemory) {
			return err
		}
		changed, failed := true, error(nil)
		switch {
		case h.Rows() > 0:
			failed = a.Put(h)
		case a != nil:
			changed, failed = a.Wait()
		default:
			return err
		}
		if failed != nil {
			return failed
		}
		if !changed && alone {
			return err
		}
		alone = !changed
	}
}
