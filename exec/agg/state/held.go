package state

import (
	"errors"

	"gsql/exec/spill"
	"gsql/sql/sqlerr"
)

// Keeper is a state that keeps rows, which it can move to disk.
type Keeper interface {
	// Rows returns the number of rows in memory.
	Rows() int
	// Put spills them.
	Put() error
	// Join makes the state one of those of h, instead of its previous holder.
	Join(h *Held)
	// Discard removes what the state has spilled.
	Discard() error
}

// Held is what one worker can spill: the rows that its states keep, and those dealt out to
// partitions. It is a spill.Holder.
type Held struct {
	Keepers []Keeper
	Dealt   spill.Holder // the rows dealt out; nil if there are none
}

// Rows implements spill.Holder.
func (h *Held) Rows() int {
	n := 0
	for _, k := range h.Keepers {
		n += k.Rows()
	}
	if h.Dealt != nil {
		n += h.Dealt.Rows()
	}
	return n
}

// Put implements spill.Holder.
func (h *Held) Put() error {
	for _, k := range h.Keepers {
		if err := k.Put(); err != nil {
			return err
		}
	}
	if h.Dealt == nil {
		return nil
	}
	return h.Dealt.Put()
}

// Begin makes the arbiter of workers that collect, or finish, concurrently.
func (f *Files) Begin() *spill.Arbiter {
	f.arbiter = spill.NewArbiter(f.Ctx)
	return f.arbiter
}

// End removes the arbiter when the workers have ended: afterwards there is a single worker, or
// workers that do not wait for each other.
func (f *Files) End() { f.arbiter = nil }

// TakeIn repeats an update or a merge of a state until memory suffices. Keepers do this
// themselves, row by row, because part of a batch may be kept already.
func (f *Files) TakeIn(h *Held, s State, run func() error) error {
	if _, ok := s.(Keeper); ok {
		return run()
	}
	return f.Add(h, run)
}

// Add repeats add, which takes memory for a worker that holds h, until memory suffices, if rows
// can spill: see spill.Arbiter.Add.
func (f *Files) Add(h *Held, add func() error) error {
	if f.Ctx.Spill == nil {
		return add()
	}
	err := f.arbiter.Add(h, add)
	if errors.Is(err, sqlerr.OutOfMemory) && f.Account.Lift() {
		f.arbiter.Freed()
		return f.arbiter.Add(h, add)
	}
	return err
}
