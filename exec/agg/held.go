package agg

import (
	"errors"

	"gsql/exec/spill"
	"gsql/sql/sqlerr"
)

// keeper is a state that keeps rows, which it can move to disk.
type keeper interface {
	// rows is how many are in memory.
	rows() int
	put() error
	// join makes it one of those that h holds, in place of another one.
	join(h *held)
	// discard removes what it has put on disk.
	discard() error
}

// held is what one worker holds that can go to disk: the rows that its states keep, and those
// that are dealt out. It is a spill.Holder.
type held struct {
	keepers []keeper
	split   *splitter // nil for none
}

// Rows implements spill.Holder.
func (h *held) Rows() int {
	n := 0
	for _, k := range h.keepers {
		n += k.rows()
	}
	if h.split != nil {
		n += h.split.held()
	}
	return n
}

// Put implements spill.Holder.
func (h *held) Put() error {
	for _, k := range h.keepers {
		if err := k.put(); err != nil {
			return err
		}
	}
	if h.split == nil {
		return nil
	}
	return h.split.putAway()
}

// apart makes the groups' states a worker's that has no others.
func (g *groups) apart() *groups { return g.join(&held{}) }

// putAway moves the rows that the states keep to disk.
func (g *groups) putAway() error {
	return g.apart().held.Put()
}

// join makes the groups' states some of h's.
func (g *groups) join(h *held) *groups {
	g.held = h
	for _, s := range g.states {
		if k, ok := s.(keeper); ok {
			k.join(h)
		}
	}
	return g
}

// begin makes the room that the workers share while they collect, or finish, side by side.
func (f *setFiles) begin() *spill.Room {
	f.room = spill.NewRoom(f.ctx)
	return f.room
}

// end says that the workers have ended: there is one again, or such as do not wait.
func (f *setFiles) end() { f.room = nil }

// takeIn runs an update or a merge of a state until there is room for it. Keepers see to that
// themselves: row by row, as some of a batch may be kept by then.
func (f *setFiles) takeIn(h *held, s state, run func() error) error {
	if _, ok := s.(keeper); ok {
		return run()
	}
	return f.add(h, run)
}

// add runs add, which takes memory for a worker that holds h, until there is room where rows can
// go to disk: see spill.Room.Add.
func (f *setFiles) add(h *held, add func() error) error {
	if f.ctx.Spill == nil {
		return add()
	}
	err := f.room.Add(h, add)
	if errors.Is(err, sqlerr.OutOfMemory) && f.account.Lift() {
		f.room.Made()
		return f.room.Add(h, add)
	}
	return err
}
