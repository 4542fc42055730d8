package state

import (
	"errors"

	"gsql/exec/spill"
	"gsql/sql/sqlerr"
)

// Keeper is a state that keeps rows, which it can move to disk.
type Keeper interface {
	// Rows is how many are in memory.
	Rows() int
	// Put moves them to disk.
	Put() error
	// Join makes it one of those that h holds, in place of another one.
	Join(h *Held)
	// Discard removes what it has put on disk.
	Discard() error
}

// Held is what one worker holds that can go to disk: the rows that its states keep, and those
// that are dealt out. It is a spill.Holder.
type Held struct {
	Keepers []Keeper
	Dealt   spill.Holder // what is dealt out; nil for none
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

// End says that the workers have ended: there is one again, or such as do not wait.
func (f *Files) End() { f.arbiter = nil }

// TakeIn runs an update or a merge of a state until there is room for it. Keepers see to that
// themselves: row by row, as some of a batch may be kept by then.
func (f *Files) TakeIn(h *Held, s State, run func() error) error {
	if _, ok := s.(Keeper); ok {
		return run()
	}
	return f.Add(h, run)
}

// Add runs add, which takes memory for a worker that holds h, until there is room where rows can
// go to disk: see spill.Arbiter.Add.
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
