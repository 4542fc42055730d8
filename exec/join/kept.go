package join

import (
	"errors"

	"gsql/exec/op"
)

// Kept is the built side of a hash join, to be probed by one input after another.
type Kept struct {
	s     *streaming
	build op.Operator
}

// Keep makes a hash join leave its built side to keep when it closes, unless that went to
// disk.
func Keep(o op.Operator, keep func(*Kept)) op.Operator {
	s, ok := o.(*streaming)
	if !ok {
		return o
	}
	return &keeping{s, keep}
}

// keeping is the join that builds.
type keeping struct {
	*streaming
	keep func(*Kept)
}

// Close implements op.Operator.
func (k *keeping) Close() error {
	if k.build == nil {
		return k.streaming.Close()
	}
	build, probe, _, _ := k.sides()
	k.freeTail()
	k.keep(&Kept{k.streaming, build})
	return probe.Close()
}

func (s *streaming) freeTail() {
	if s.tail != nil {
		s.tail.held.free()
	}
}

// Again gives a join of what was built with another input.
func (k *Kept) Again(probe op.Operator) op.Operator {
	a := &again{*k.s}
	if a.buildLeft {
		a.r = probe
	} else {
		a.l = probe
	}
	return a
}

// Close frees what was built.
func (k *Kept) Close() error {
	k.s.matcher.Close()
	k.s.store.Free()
	return errors.Join(k.s.grace.close(), k.build.Close())
}

// again is a join whose built side is another one's.
type again struct{ streaming }

// Open implements op.Operator.
func (a *again) Open(ctx *op.Ctx) (err error) {
	a.ctx = ctx
	if a.buildLeft {
		if a.tail, err = newTail(a.plan, a.acct, a.build.Rows); err != nil {
			return err
		}
	}
	_, probe, _, _ := a.sides()
	return probe.Open(ctx)
}

// Close implements op.Operator.
func (a *again) Close() error {
	a.freeTail()
	_, probe, _, _ := a.sides()
	return probe.Close()
}
