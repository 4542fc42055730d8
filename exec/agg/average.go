package agg

import (
	"gsql/exec/op"
	"gsql/sql/vec"
)

// average is AVG: the sum, exact for integers and decimals, over the count.
type average struct {
	sum   summing
	count count
}

func (a *average) tallyBy(t *tally) { a.count.tally = t }

func (a *average) grow(n int) error {
	if err := a.sum.grow(n); err != nil {
		return err
	}
	return a.count.grow(n)
}

func (a *average) update(gids []int32, n int, args []*vec.Vector) error {
	if err := a.sum.update(gids, n, args); err != nil {
		return err
	}
	return a.count.update(gids, n, args)
}

func (a *average) updateTimes(gids []int32, n int, args []*vec.Vector, times []int32) error {
	if err := a.sum.updateTimes(gids, n, args, times); err != nil {
		return err
	}
	return a.count.updateTimes(gids, n, args, times)
}

func (a *average) updateRuns(gids, ends []int32, args []*vec.Vector) error {
	if err := a.sum.updateRuns(gids, ends, args); err != nil {
		return err
	}
	return a.count.updateRuns(gids, ends, args)
}

func (a *average) merge(src state, from, to []int32) error {
	o := src.(*average)
	if err := a.sum.merge(o.sum, from, to); err != nil {
		return err
	}
	return a.count.merge(&o.count, from, to)
}

func (a *average) finish(*op.Ctx) error { return nil }

func (a *average) result(lo, hi int, dst *vec.Vector) error {
	return a.sum.mean(lo, hi, a.count.n.S[lo:hi], dst)
}

func (a *average) free() {
	a.sum.free()
	a.count.free()
}
