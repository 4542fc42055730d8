package state

import (
	"gsql/exec/accum"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/expr"
	"gsql/sql/vec"
)

// sumFloat sums floats.
type sumFloat struct {
	seen validity
	agg  *expr.Agg
	sums *mem.Buffer[accum.Float]
}

func (s *sumFloat) Grow(n int) error {
	if err := s.seen.grow(n); err != nil {
		return err
	}
	return mem.Room(s.seen.account, &s.sums, n)
}

func (s *sumFloat) Update(gids []int32, n int, args []*vec.Vector) error {
	v := args[0]
	if err := s.seen.update(gids, n, v.Null); err != nil {
		return err
	}
	sums, xs := s.sums.S, v.F64[:n]
	switch {
	case v.Null != nil:
		for i, x := range xs {
			if !v.Null[i] {
				sums[group(gids, i)].Add(x)
			}
		}
	case gids == nil:
		a := sums[0]
		for _, x := range xs {
			a.Add(x)
		}
		sums[0] = a
	default:
		for i, g := range gids {
			sums[g].Add(xs[i])
		}
	}
	return nil
}

// UpdateTimes adds a value once per row: its product with the number of rows would be rounded
// differently.
func (s *sumFloat) UpdateTimes(gids []int32, n int, args []*vec.Vector, times []int32) error {
	v := args[0]
	if err := s.seen.update(gids, n, v.Null); err != nil {
		return err
	}
	for i, x := range v.F64[:n] {
		if v.Null != nil && v.Null[i] {
			continue
		}
		a := s.sums.S[group(gids, i)]
		for range times[i] {
			a.Add(x)
		}
		s.sums.S[group(gids, i)] = a
	}
	return nil
}

func (s *sumFloat) UpdateRuns(gids, ends []int32, args []*vec.Vector) error {
	if err := s.seen.update(gids, len(gids), nil); err != nil {
		return err
	}
	from := int32(0)
	for i, end := range ends {
		a := s.sums.S[gids[i]]
		for _, x := range args[0].F64[from:end] {
			a.Add(x)
		}
		s.sums.S[gids[i]], from = a, end
	}
	return nil
}

func (s *sumFloat) Merge(src State, from, to []int32) error {
	o := src.(*sumFloat)
	if err := s.seen.merge(&o.seen, from, to); err != nil {
		return err
	}
	for i, g := range from {
		s.sums.S[to[i]].Merge(o.sums.S[g])
	}
	return nil
}

func (s *sumFloat) Finish(*op.Ctx) error { return nil }

func (s *sumFloat) Result(lo, hi int, dst *vec.Vector) error {
	s.seen.result(lo, hi, dst)
	for i, a := range s.sums.S[lo:hi] {
		dst.F64[i] = a.Value()
		if err := accum.Finite(dst.F64[i], s.agg); err != nil {
			return err
		}
	}
	return nil
}

func (s *sumFloat) mean(lo, hi int, n []int64, dst *vec.Vector) error {
	for i, a := range s.sums.S[lo:hi] {
		if n[i] == 0 {
			dst.SetNull(i)
			continue
		}
		sum := a.Value()
		if err := accum.Finite(sum, s.agg); err != nil {
			return err
		}
		dst.F64[i] = sum / float64(n[i])
	}
	return nil
}

func (s *sumFloat) Free() {
	s.seen.free()
	s.sums.Free()
}
