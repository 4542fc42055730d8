package spill

import (
	"errors"
	"sync"

	"gsql/sql/sqlerr"
)

// Holder is a worker's rows in memory, which may be put on disk.
type Holder interface {
	// Rows is how many it holds.
	Rows() int
	// Put puts them on disk and frees their memory.
	Put() error
}

// Room lets the workers of an operator that lack memory and have nothing to put away
// themselves wait for the others. The zero value is not ready: see NewRoom.
type Room struct {
	mu     sync.Mutex
	change *sync.Cond
	active int      // workers that collect and do not wait
	ended  []Holder // of workers that have collected all
	made   int      // times that memory became free
}

// NewRoom makes a Room without workers.
func NewRoom() *Room {
	r := &Room{}
	r.change = sync.NewCond(&r.mu)
	return r
}

// Begin counts a worker that collects.
func (r *Room) Begin() {
	r.mu.Lock()
	r.active++
	r.mu.Unlock()
}

// Made tells that memory became free.
func (r *Room) Made() {
	r.mu.Lock()
	r.made++
	r.mu.Unlock()
	r.change.Broadcast()
}

// End says that the worker of h collects no more. Others may put away what it holds.
func (r *Room) End(h Holder) {
	r.mu.Lock()
	r.active--
	if h.Rows() > 0 {
		r.ended = append(r.ended, h)
	}
	r.mu.Unlock()
	r.change.Broadcast()
}

// Wait puts away the rows of a worker that has ended, or waits until another one did so with
// its own. It is false where nobody is left who could.
func (r *Room) Wait() (bool, error) {
	r.mu.Lock()
	before := r.made
	r.active--
	for r.made == before && len(r.ended) == 0 && r.active > 0 {
		r.change.Wait()
	}
	r.active++
	made := r.made != before
	var h Holder
	if n := len(r.ended); !made && n > 0 {
		h = r.ended[n-1]
		r.ended = r.ended[:n-1]
	}
	r.mu.Unlock()
	if h == nil {
		return made, nil
	}
	return true, h.Put()
}

// Add runs add, which gives more rows to h, until it does not lack memory any more: what h
// holds goes to disk for it, or where that is nothing what others hold. The last one that does
// not wait tries once more, without the others taking memory meanwhile.
func (r *Room) Add(h Holder, add func() error) error {
	alone := false
	for {
		err := add()
		if !errors.Is(err, sqlerr.OutOfMemory) {
			return err
		}
		made, putErr := true, error(nil)
		if h.Rows() > 0 {
			putErr = h.Put()
		} else {
			made, putErr = r.Wait()
		}
		if putErr != nil {
			return putErr
		}
		if !made && alone {
			return err
		}
		alone = !made
	}
}
