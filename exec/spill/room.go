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

// Room coordinates workers of an operator that run concurrently until all have ended: one that
// lacks memory and has nothing to spill waits for the others. See the package comment. Put, Made
// and Add may be called on nil, for a single worker.
type Room struct {
	ctx context.Context

	mu      sync.Mutex
	active  int           // workers that have begun and neither wait nor have ended
	waiting int           // workers that wait for change
	change  chan struct{} // closed when memory may have become free
	ended   []Holder      // of workers that have ended
}

// NewRoom makes a Room without workers. They stop waiting when ctx ends.
func NewRoom(ctx context.Context) *Room { return &Room{ctx: ctx, change: make(chan struct{})} }

// Begin counts a worker.
func (r *Room) Begin() {
	r.mu.Lock()
	r.active++
	r.mu.Unlock()
}

// Put spills the rows of h and wakes the workers that wait for memory.
func (r *Room) Put(h Holder) error {
	err := h.Put()
	r.Made()
	return err
}

// Made wakes waiting workers because memory was freed.
func (r *Room) Made() {
	if r != nil {
		r.mu.Lock()
		r.wake()
		r.mu.Unlock()
	}
}

// wake makes all waiting workers try again. They count as active from now on, not from when they
// are scheduled, so that no other worker takes itself for the last one.
func (r *Room) wake() {
	r.active, r.waiting = r.active+r.waiting, 0
	close(r.change)
	r.change = make(chan struct{})
}

// End counts out the worker of h, which may be nil. Other workers may spill what h still holds.
func (r *Room) End(h Holder) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.active--
	if h != nil && h.Rows() > 0 {
		r.ended = append(r.ended, h)
	}
	r.wake()
}

// Wait spills the rows of a worker that has ended, or waits until memory may have been freed. It
// returns false at once if all other workers are waiting, and so none could free any. The error is
// that of spilling, or the context's.
func (r *Room) Wait() (bool, error) {
	r.mu.Lock()
	if n := len(r.ended); n > 0 {
		h := r.ended[n-1]
		r.ended = r.ended[:n-1]
		r.mu.Unlock()
		return true, r.Put(h)
	}
	if r.active == 1 {
		r.mu.Unlock()
		return false, nil
	}
	r.active, r.waiting = r.active-1, r.waiting+1
	change := r.change
	r.mu.Unlock()
	select {
	case <-change:
		return true, nil
	case <-r.ctx.Done():
		r.mu.Lock()
		defer r.mu.Unlock()
		if change == r.change {
			r.active, r.waiting = r.active+1, r.waiting-1
		}
		return false, r.ctx.Err()
	}
}

// Add calls add, which adds rows to h, until memory suffices: in between, the rows of h spill, or
// those of other workers if h holds none. The last worker that is not waiting tries once more, as
// no other one takes memory meanwhile. An add that fails for lack of memory must have no effect, or
// recognise what it has done.
func (r *Room) Add(h Holder, add func() error) error {
	alone := false
	for {
		err := add()
		if !errors.Is(err, sqlerr.OutOfMemory) {
			return err
		}
		changed, failed := true, error(nil)
		switch {
		case h.Rows() > 0:
			failed = r.Put(h)
		case r != nil:
			changed, failed = r.Wait()
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
