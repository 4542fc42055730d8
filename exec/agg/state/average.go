package state

import (
	"gsql/exec/op"
	"gsql/sql/vec"
)

// average is AVG: the sum, exact for integers and decimals, over the count.
type average struct {
	sum   summing
	count count
}

func (a *average) TallyBy(t *Tally) { a.count.tally = t }

func (a *average) Grow(n int) error {
	if err := a.sum.Grow(n); err != nil {
		return err
	}
	return a.count.Grow(n)
}

func (a *average) Update(gids []int32, n int, args []*vec.Vector) error {
	if err := a.sum.Update(gids, n, args); err != nil {
		return err
	}
	return a.count.Update(gids, n, args)
}

func (a *average) UpdateTimes(gids []int32, n int, args []*vec.Vector, times []int32) error {
	if err := a.sum.UpdateTimes(gids, n, args, times); err != nil {
		return err
	}
	return a.count.UpdateTimes(gids, n, args, times)
}

func (a *average) UpdateRuns(gids, ends []int32, args []*vec.Vector) error {
	if err := a.sum.UpdateRuns(gids, ends, args); err != nil {
		return err
	}
	return a.count.UpdateRuns(gids, ends, args)
}

func (a *average) Merge(src State, from, to []int32) error {
	o := src.(*average)
	if err := a.sum.Merge(o.sum, from, to); err != nil {
		return err
	}
	return a.count.Merge(&o.count, from, to)
}

func (a *average) Finish(*op.Ctx) error { return nil }

func (a *average) Result(lo, hi int, dst *vec.Vector) error {
	return a.sum.mean(lo, hi, a.count.n.S[lo:hi], dst)
}

func (a *average) Free() {
	a.sum.Free()
	a.count.Free()
}
