package state

import (
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/accum"
	"gsql/exec/op"
	"gsql/internal/dec128"
	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// summing is a state whose totals AVG can read.
type summing interface {
	RunState
	TimesState
	// mean writes total/n[i] of groups [lo, hi) to dst, or NULL if n[i] is 0.
	mean(lo, hi int, n []int64, dst *vec.Vector) error
}

func newSum(a Aggregate, kind types.Kind, seen validity) (summing, error) {
	switch kind {
	case types.KindF64:
		return &sumFloat{seen: seen, agg: a.Agg}, nil
	case types.KindI64, types.KindU64, types.KindDec, types.KindNull:
		return &sumExact{seen: seen, kind: kind, of: a.Types[0], name: a.String()}, nil
	}
	return nil, sqlerr.Internal("%s of a string without a cast", a.Fn)
}

// sumExact sums integers and decimals in 128 bits.
type sumExact struct {
	seen validity
	kind types.Kind
	of   types.Type // of the values
	name string
	n    int // groups
	sums *mem.Buffer[accum.Exact]
}

func (s *sumExact) Grow(n int) error {
	s.n = n
	if err := s.seen.grow(n); err != nil {
		return err
	}
	return mem.Room(s.seen.account, &s.sums, n)
}

func (s *sumExact) Update(gids []int32, n int, args []*vec.Vector) error {
	v := args[0]
	if s.kind == types.KindNull {
		return nil
	}
	if err := s.seen.update(gids, n, v.Null); err != nil {
		return err
	}
	switch {
	case gids != nil && s.n <= fewGroups && (v.Narrow || s.kind == types.KindI64) && v.Null == nil && dec128.Width(v.I64[:n])+bits.Len(uint(n)) < 64:
		return s.addFew(gids, v.I64[:n])
	case v.Narrow:
		return s.addNarrow(gids, v.I64[:n], v.Null)
	case s.kind == types.KindDec:
		return s.addDecimals(gids, v.Dec[:n], v.Null)
	case v.Null != nil:
		s.addNullable(gids, v.I64[:n], v.Null)
	case gids == nil:
		s.sums.S[0].AddAll(v.I64[:n], s.kind)
	case s.kind == types.KindU64:
		for i, g := range gids {
			s.sums.S[g].Add(uint64(v.I64[i]), 0)
		}
	default:
		sums, xs := s.sums.S, v.I64[:len(gids)]
		for i, g := range gids {
			x := xs[i]
			sums[g].Add(uint64(x), x>>63)
		}
	}
	return nil
}

// UpdateTimes adds products of values and numbers of rows.
func (s *sumExact) UpdateTimes(gids []int32, n int, args []*vec.Vector, times []int32) error {
	v := args[0]
	if s.kind == types.KindNull {
		return nil
	}
	if err := s.seen.update(gids, n, v.Null); err != nil {
		return err
	}
	if total, ok := smallProducts(gids, v, times[:n]); ok {
		if !s.sums.S[0].AddChecked(uint64(total), total>>63) {
			return s.overflow()
		}
		return nil
	}
	for i := range n {
		if v.Null != nil && v.Null[i] {
			continue
		}
		sum, ok := &s.sums.S[group(gids, i)], true
		switch {
		case s.kind == types.KindU64:
			hi, lo := bits.Mul64(uint64(v.I64[i]), uint64(times[i]))
			sum.Add(lo, int64(hi))
		case v.Narrow || s.kind == types.KindI64:
			x := dec128.MulInt64(v.I64[i], int64(times[i]))
			ok = sum.AddChecked(x.LowBits(), x.HighBits())
		default:
			ok = addTimes(sum, v.Dec[i], times[i])
		}
		if !ok {
			return s.overflow()
		}
	}
	return nil
}

// smallProducts sums values times numbers of rows in 64 bits. ok is false if there are groups or
// NULLs, or if the sum might overflow.
func smallProducts(gids []int32, v *vec.Vector, times []int32) (sum int64, ok bool) {
	n := len(times)
	if gids != nil || v.Null != nil || v.Form != vec.Flat || v.Type.Kind() != types.KindI64 && !v.Narrow {
		return 0, false
	}
	xs, rows := v.I64[:n], int64(0)
	for _, t := range times {
		rows += int64(t)
	}
	if dec128.Width(xs)+bits.Len64(uint64(rows)) > 63 {
		return 0, false
	}
	for i, x := range xs {
		sum += x * int64(times[i])
	}
	return sum, true
}

// addTimes adds x times times. If the product is too large, it adds x one by one, because the sum
// may still fit.
func addTimes(sum *accum.Exact, x decimal128.Num, times int32) bool {
	if all, ok := dec128.Mul(x, decimal128.FromI64(int64(times))); ok {
		return sum.AddChecked(all.LowBits(), all.HighBits())
	}
	for range times {
		if !sum.AddChecked(x.LowBits(), x.HighBits()) {
			return false
		}
	}
	return true
}

func (s *sumExact) UpdateRuns(gids, ends []int32, args []*vec.Vector) error {
	v := args[0]
	if s.kind == types.KindNull {
		return nil
	}
	if err := s.seen.update(gids, len(gids), nil); err != nil {
		return err
	}
	from := int32(0)
	for i, end := range ends {
		sum := &s.sums.S[gids[i]]
		switch {
		case s.kind != types.KindDec:
			sum.AddAll(v.I64[from:end], s.kind)
		case v.Narrow:
			var all accum.Exact
			all.AddAll(v.I64[from:end], types.KindI64)
			if !sum.AddChecked(all.Lo, all.Hi) {
				return s.overflow()
			}
		default:
			for _, x := range v.Dec[from:end] {
				if !sum.AddChecked(x.LowBits(), x.HighBits()) {
					return s.overflow()
				}
			}
		}
		from = end
	}
	return nil
}

func (s *sumExact) addNullable(gids []int32, xs []int64, null []bool) {
	signed := int64(-1)
	if s.kind == types.KindU64 {
		signed = 0
	}
	for i, x := range xs {
		if !null[i] {
			s.sums.S[group(gids, i)].Add(uint64(x), x>>63&signed)
		}
	}
}

func (s *sumExact) addDecimals(gids []int32, xs []decimal128.Num, null []bool) error {
	for i, x := range xs {
		if null != nil && null[i] {
			continue
		}
		if !s.sums.S[group(gids, i)].AddChecked(x.LowBits(), x.HighBits()) {
			return s.overflow()
		}
	}
	return nil
}

// addFew adds integers whose total fits in 64 bits.
func (s *sumExact) addFew(gids []int32, xs []int64) error {
	var all [fewGroups]int64
	sumFew(&all, gids, xs)
	for g, x := range all[:s.n] {
		if !s.sums.S[g].AddChecked(uint64(x), x>>63) {
			return s.overflow()
		}
	}
	return nil
}

// addNarrow adds decimals of 64 bits.
func (s *sumExact) addNarrow(gids []int32, xs []int64, null []bool) error {
	if gids == nil && null == nil {
		var all accum.Exact
		all.AddAll(xs, types.KindI64)
		if !s.sums.S[0].AddChecked(all.Lo, all.Hi) {
			return s.overflow()
		}
		return nil
	}
	for i, x := range xs {
		if null != nil && null[i] {
			continue
		}
		if !s.sums.S[group(gids, i)].AddChecked(uint64(x), x>>63) {
			return s.overflow()
		}
	}
	return nil
}

func (s *sumExact) overflow() error {
	return sqlerr.New(sqlerr.DataOutOfRange, "DECIMAL value is out of range in '%s'", s.name)
}

func (s *sumExact) Merge(src State, from, to []int32) error {
	o := src.(*sumExact)
	if err := s.seen.merge(&o.seen, from, to); err != nil {
		return err
	}
	for i, g := range from {
		x := o.sums.S[g]
		if !s.sums.S[to[i]].AddChecked(x.Lo, x.Hi) {
			return s.overflow()
		}
	}
	return nil
}

func (s *sumExact) Finish(*op.Ctx) error { return nil }

func (s *sumExact) Result(lo, hi int, dst *vec.Vector) error {
	s.seen.result(lo, hi, dst)
	for i, t := range s.sums.S[lo:hi] {
		if !t.Sum(dst, i, int(s.of.Scale)) {
			return s.overflow()
		}
	}
	return nil
}

func (s *sumExact) mean(lo, hi int, n []int64, dst *vec.Vector) error {
	averaging := accum.AveragingOf(dst.Type, s.of)
	for i, t := range s.sums.S[lo:hi] {
		if n[i] == 0 {
			dst.SetNull(i)
			continue
		}
		if !t.Mean(dst, i, averaging, n[i]) {
			return s.overflow()
		}
	}
	return nil
}

func (s *sumExact) Free() {
	s.seen.free()
	s.sums.Free()
}
