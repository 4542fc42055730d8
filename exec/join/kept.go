package join

import (
	"errors"

	"gsql/exec/op"
)

// Kept is the build side of a hash join. Several inputs can probe it, one after another.
type Kept struct {
	s     *streaming
	build op.Operator
}

// Keep makes a hash join pass its build side to keep when it closes, unless that side spilled.
func Keep(o op.Operator, keep func(*Kept)) op.Operator {
	s, ok := o.(*streaming)
	if !ok {
		return o
	}
	return &keeping{s, keep}
}

// keeping is the join that builds the kept side.
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
		s.tail.held.Free()
	}
}

// Again returns a join of the build side with another input.
func (k *Kept) Again(probe op.Operator) op.Operator {
	a := &again{*k.s}
	if a.buildLeft {
		a.r = probe
	} else {
		a.l = probe
	}
	return a
}

// Close frees the build side.
func (k *Kept) Close() error {
	k.s.matcher.Close()
	k.s.store.Free()
	err := k.s.grace.Close()
	k.s.acct.End()
	return errors.Join(err, k.s.closeBuild(k.build))
}

// again is a join that probes the build side of another one.
type again struct{ streaming }

// Open implements op.Operator.
func (a *again) Open(ctx *op.Ctx) error {
	a.ctx = ctx
	if err := a.mark(); err != nil {
		return err
	}
	if a.probeless {
		return nil
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
