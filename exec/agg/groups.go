package agg

import (
	"errors"

	"gsql/exec/agg/keytable"
	"gsql/exec/agg/state"
)

// groups is a set of groups with the states of their aggregates. Without keys there is
// one group and no table.
type groups struct {
	table  *keytable.Table
	states []state.State
	held   *state.Held // of the worker that has them
	n      int         // groups
	dead   []int32     // groups that are part of others', ascending
}

// newGroups makes groups without rows, which belong to no worker yet.
func (o *Operator) newGroups() (*groups, error) {
	g := &groups{states: make([]state.State, len(o.aggs))}
	for i, a := range o.aggs {
		s, err := state.New(a.Aggregate, o.account, &o.ctx.Eval, &o.sets)
		if err != nil {
			return nil, err
		}
		g.states[i] = s
	}
	if len(o.keys) > 0 {
		g.table = keytable.New(o.types, o.account)
		g.table.Stop = o.ctx.Err
		return g.apart(), nil
	}
	if err := g.grow(1); err != nil {
		g.free()
		return nil, err
	}
	return g.apart(), nil
}

// grow makes room for n groups in all states.
func (g *groups) grow(n int) error {
	if n <= g.n {
		return nil
	}
	for _, s := range g.states {
		if err := s.Grow(n); err != nil {
			return err
		}
	}
	g.n = n
	return nil
}

// keptRows returns the number of rows in memory that the states keep.
func (g *groups) keptRows() (n int) {
	for _, s := range g.states {
		if k, ok := s.(state.Keeper); ok {
			n += k.Rows()
		}
	}
	return n
}

// free releases the memory. It may be called on nil.
func (g *groups) free() {
	if g == nil {
		return
	}
	if g.table != nil {
		g.table.Free()
	}
	for _, s := range g.states {
		s.Free()
	}
	g.states = nil
}

// discard frees groups that are not needed, and what only they have on disk.
func (g *groups) discard() error {
	var err error
	for _, s := range g.states {
		if k, ok := s.(state.Keeper); ok {
			err = errors.Join(err, k.Discard())
		}
	}
	g.free()
	return err
}

// apart gives the groups' states their own holder.
func (g *groups) apart() *groups { return g.join(&state.Held{}) }

// spillStates spills the rows that the states keep.
func (g *groups) spillStates() error {
	return g.apart().held.Put()
}

// join adds the groups' states to holder h.
func (g *groups) join(h *state.Held) *groups {
	g.held = h
	for _, s := range g.states {
		if k, ok := s.(state.Keeper); ok {
			k.Join(h)
		}
	}
	return g
}
