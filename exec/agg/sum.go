package agg

import (
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// summing is a state whose totals AVG can read.
type summing interface {
	state
	// mean writes total/n[i] of groups [lo, hi) to dst, NULL where n is 0.
	mean(lo, hi int, n []int64, dst *vec.Vector) error
}

func newSum(a aggregate, kind types.Kind, seen validity) (summing, error) {
	switch kind {
	case types.KindF64:
		return &sumFloat{seen: seen}, nil
	case types.KindI64, types.KindU64, types.KindDec, types.KindNull:
		return &sumExact{seen: seen, kind: kind, scale: int(a.types[0].Scale), name: a.String()}, nil
	}
	return nil, sqlerr.Internal("%s of a string without a cast", a.Fn)
}

// total is a 128-bit two's complement number.
type total struct {
	lo uint64
	hi int64
}

// sumExact sums integers and decimals in 128 bits.
type sumExact struct {
	seen  validity
	kind  types.Kind
	scale int
	name  string
	sums  *mem.Buffer[total]
}

func (s *sumExact) grow(n int) error {
	if err := s.seen.grow(n); err != nil {
		return err
	}
	return room(s.seen.account, &s.sums, n)
}

func (s *sumExact) update(gids []int32, n int, args []*vec.Vector) error {
	v := args[0]
	if s.kind == types.KindNull {
		return nil
	}
	if err := s.seen.update(gids, n, v.Null); err != nil {
		return err
	}
	switch {
	case s.kind == types.KindDec:
		return s.addDecimals(gids, v.Dec[:n], v.Null)
	case v.Null != nil:
		s.addNullable(gids, v.I64[:n], v.Null)
	case gids == nil:
		s.sums.S[0].addAll(v.I64[:n], s.kind)
	case s.kind == types.KindU64:
		for i, g := range gids {
			s.sums.S[g].add(uint64(v.I64[i]), 0)
		}
	default:
		sums, xs := s.sums.S, v.I64[:len(gids)]
		for i, g := range gids {
			t, x := &sums[g], xs[i]
			lo, carry := bits.Add64(t.lo, uint64(x), 0)
			t.lo = lo
			t.hi += x>>63 + int64(carry)
		}
	}
	return nil
}

func (t *total) add(lo uint64, hi int64) {
	var carry uint64
	t.lo, carry = bits.Add64(t.lo, lo, 0)
	t.hi += hi + int64(carry)
}

// addAll sums without groups, in registers.
func (t *total) addAll(xs []int64, kind types.Kind) {
	lo, hi, carry := t.lo, t.hi, uint64(0)
	if kind == types.KindU64 {
		for _, x := range xs {
			lo, carry = bits.Add64(lo, uint64(x), 0)
			hi += int64(carry)
		}
	} else {
		for _, x := range xs {
			lo, carry = bits.Add64(lo, uint64(x), 0)
			hi += x>>63 + int64(carry)
		}
	}
	t.lo, t.hi = lo, hi
}

func (s *sumExact) addNullable(gids []int32, xs []int64, null []bool) {
	signed := int64(-1)
	if s.kind == types.KindU64 {
		signed = 0
	}
	for i, x := range xs {
		if !null[i] {
			s.sums.S[group(gids, i)].add(uint64(x), x>>63&signed)
		}
	}
}

func (s *sumExact) addDecimals(gids []int32, xs []decimal128.Num, null []bool) error {
	for i, x := range xs {
		if null != nil && null[i] {
			continue
		}
		if !s.sums.S[group(gids, i)].addChecked(x.LowBits(), x.HighBits()) {
			return s.overflow()
		}
	}
	return nil
}

// addChecked adds and is false when 128 bits do not suffice.
func (t *total) addChecked(lo uint64, hi int64) bool {
	low, carry := bits.Add64(t.lo, lo, 0)
	high := t.hi + hi + int64(carry)
	ok := (t.hi^high)&(hi^high) >= 0
	t.lo, t.hi = low, high
	return ok
}

func (s *sumExact) overflow() error {
	return sqlerr.New(sqlerr.DataOutOfRange, "DECIMAL value is out of range in '%s'", s.name)
}

func (s *sumExact) merge(src state, from, to []int32) error {
	o := src.(*sumExact)
	if err := s.seen.merge(&o.seen, from, to); err != nil {
		return err
	}
	for i, g := range from {
		x := o.sums.S[g]
		if !s.sums.S[to[i]].addChecked(x.lo, x.hi) {
			return s.overflow()
		}
	}
	return nil
}

func (s *sumExact) finish(*op.Ctx) error { return nil }

func (s *sumExact) result(lo, hi int, dst *vec.Vector) error {
	s.seen.result(lo, hi, dst)
	for i, t := range s.sums.S[lo:hi] {
		x, ok := rescale(decimal128.New(t.hi, t.lo), s.scale, int(dst.Type.Scale))
		if !ok || !put(dst, i, x) {
			return s.overflow()
		}
	}
	return nil
}

func (s *sumExact) mean(lo, hi int, n []int64, dst *vec.Vector) error {
	for i, t := range s.sums.S[lo:hi] {
		if n[i] == 0 {
			dst.SetNull(i)
			continue
		}
		x, ok := quotient(decimal128.New(t.hi, t.lo), n[i], s.scale, int(dst.Type.Scale))
		if !ok || !put(dst, i, x) {
			return s.overflow()
		}
	}
	return nil
}

func (s *sumExact) free() {
	s.seen.free()
	s.sums.Free()
}
