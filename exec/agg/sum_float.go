package agg

import (
	"math"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// accurate is a sum of floats with the rounding errors summed beside it (Knuth's
// TwoSum, as in Ogita, Rump and Oishi, 2005): the result hardly ever depends on the
// order of the rows, so that parallel plans give the same answer each time.
type accurate struct{ sum, err float64 }

func (a *accurate) add(x float64) {
	s := a.sum + x
	b := s - a.sum
	a.err += (a.sum - (s - b)) + (x - b)
	a.sum = s
}

func (a accurate) value() float64 {
	if math.IsInf(a.sum, 0) || math.IsNaN(a.sum) {
		return a.sum
	}
	return a.sum + a.err
}

// sumFloat sums floats.
type sumFloat struct {
	seen validity
	sums *mem.Buffer[accurate]
}

func (s *sumFloat) grow(n int) error {
	if err := s.seen.grow(n); err != nil {
		return err
	}
	return room(s.seen.account, &s.sums, n)
}

func (s *sumFloat) update(gids []int32, n int, args []*vec.Vector) error {
	v := args[0]
	if err := s.seen.update(gids, n, v.Null); err != nil {
		return err
	}
	sums, xs := s.sums.S, v.F64[:n]
	switch {
	case v.Null != nil:
		for i, x := range xs {
			if !v.Null[i] {
				sums[group(gids, i)].add(x)
			}
		}
	case gids == nil:
		a := sums[0]
		for _, x := range xs {
			a.add(x)
		}
		sums[0] = a
	default:
		for i, g := range gids {
			sums[g].add(xs[i])
		}
	}
	return nil
}

func (s *sumFloat) merge(src state, from, to []int32) error {
	o := src.(*sumFloat)
	if err := s.seen.merge(&o.seen, from, to); err != nil {
		return err
	}
	for i, g := range from {
		x := o.sums.S[g]
		s.sums.S[to[i]].add(x.sum)
		s.sums.S[to[i]].err += x.err
	}
	return nil
}

func (s *sumFloat) finish(*op.Ctx) error { return nil }

func (s *sumFloat) result(lo, hi int, dst *vec.Vector) error {
	s.seen.result(lo, hi, dst)
	for i, a := range s.sums.S[lo:hi] {
		dst.F64[i] = a.value()
	}
	return nil
}

func (s *sumFloat) mean(lo, hi int, n []int64, dst *vec.Vector) error {
	for i, a := range s.sums.S[lo:hi] {
		if n[i] == 0 {
			dst.SetNull(i)
			continue
		}
		dst.F64[i] = a.value() / float64(n[i])
	}
	return nil
}

func (s *sumFloat) free() {
	s.seen.free()
	s.sums.Free()
}
