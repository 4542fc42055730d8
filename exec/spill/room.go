package spill

import (
	"context"
	"errors"
	"sync"

	"gsql/sql/sqlerr"
)

// Holder is a worker's rows in memory, which may be put on disk.
type Holder interface {
	// Rows is how many it holds.
	Rows() int
	// Put puts them on disk and frees their memory; it holds none afterwards.
	Put() error
}

// Room lets the workers of an operator that run side by side until all have ended, and that
// lack memory and have nothing to put away themselves, wait for the others: see the package's
// comment. Put, Made and Add are for nil too: nobody else takes memory then.
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

// Put puts away what h holds and lets those that wait have the memory.
func (r *Room) Put(h Holder) error {
	err := h.Put()
	r.Made()
	return err
}

// Made tells that memory became free.
func (r *Room) Made() {
	if r != nil {
		r.mu.Lock()
		r.wake()
		r.mu.Unlock()
	}
}

// wake lets all that wait try again. They count as active from here on, not from when they run:
// nobody may take itself for the last one meanwhile.
func (r *Room) wake() {
	r.active, r.waiting = r.active+r.waiting, 0
	close(r.change)
	r.change = make(chan struct{})
}

// End says that the worker of h, which may be nil, does no more. Others may put away what it
// holds.
func (r *Room) End(h Holder) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.active--
	if h != nil && h.Rows() > 0 {
		r.ended = append(r.ended, h)
	}
	r.wake()
}

// Wait puts away the rows of a worker that has ended, or waits until memory may have become
// free. It is false at once where nobody is left who could make some: all others wait, and go
// on waiting. The error is that of putting away, or the context's.
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

// Add runs add, which gives more rows to h, until it does not lack memory any more: what h
// holds goes to disk for it, or where that is nothing what others hold. The last one that does
// not wait tries once more, without the others taking memory meanwhile. An add that lacked
// memory must have done nothing, or find what it has done.
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
