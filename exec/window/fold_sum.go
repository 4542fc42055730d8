package window

import (
	"fmt"

	"gsql/exec/accum"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// exactSum is the sum and number of integers or decimals.
type exactSum struct {
	sum      accum.Exact
	n        int64
	overflow bool
}

// exactSums is SUM, or AVG if mean is set, of integers and decimals.
type exactSums struct {
	input
	mean      bool
	averaging accum.Averaging // if mean is set
	name      string
	out       *result
}

// bits returns the argument's value as 128 bits.
func (e *exactSums) bits(row int32) (lo uint64, hi int64) {
	switch e.v.Type.Kind() {
	case types.KindDec:
		x := e.v.Dec[row]
		return x.LowBits(), x.HighBits()
	case types.KindU64:
		return uint64(e.v.I64[row]), 0
	}
	x := e.v.I64[row]
	return uint64(x), x >> 63
}

func (e exactSums) lift(s *exactSum, pos int) {
	if row, ok := e.at(pos); ok {
		s.n++
		s.overflow = !s.sum.AddChecked(e.bits(row)) || s.overflow
	}
}

func (e exactSums) drop(s *exactSum, pos int) {
	if row, ok := e.at(pos); ok {
		s.n--
		s.sum.Sub(e.bits(row))
	}
}

func (e exactSums) merge(s, o *exactSum) {
	s.n += o.n
	s.overflow = !s.sum.AddChecked(o.sum.Lo, o.sum.Hi) || s.overflow || o.overflow
}

func (e exactSums) put(i int, s *exactSum) error {
	v := e.out.flat
	v.Null[i] = s.n == 0
	if s.n == 0 {
		return nil
	}
	ok := !s.overflow
	if e.mean {
		ok = ok && s.sum.Mean(v, i, e.averaging, s.n)
	} else {
		ok = ok && s.sum.Sum(v, i, int(e.v.Type.Scale))
	}
	if !ok {
		return sqlerr.New(sqlerr.DataOutOfRange, "DECIMAL value is out of range in '%s'", e.name)
	}
	return nil
}

// floatSum is the sum and number of floats.
type floatSum struct {
	sum accum.Float
	n   int64
}

// floatSums is SUM, or AVG if mean is set, of floats. Removing values would leave rounding
// errors, so it is not a dropping fold.
type floatSums struct {
	input
	mean bool
	of   fmt.Stringer
	out  *result
}

func (f floatSums) lift(s *floatSum, pos int) {
	if row, ok := f.at(pos); ok {
		s.n++
		s.sum.Add(f.v.F64[row])
	}
}

func (f floatSums) merge(s, o *floatSum) {
	s.n += o.n
	s.sum.Merge(o.sum)
}

func (f floatSums) put(i int, s *floatSum) error {
	v := f.out.flat
	if v.Null[i] = s.n == 0; s.n > 0 {
		v.F64[i] = s.sum.Value()
		if err := accum.Finite(v.F64[i], f.of); err != nil {
			return err
		}
		if f.mean {
			v.F64[i] /= float64(s.n)
		}
	}
	return nil
}

type moments = accum.Moments

// variances is VAR_POP, VAR_SAMP, STDDEV_POP or STDDEV_SAMP of a float.
type variances struct {
	input
	fn  expr.AggFn
	out *result
}

func (f variances) lift(s *moments, pos int) {
	if row, ok := f.at(pos); ok {
		s.Add(f.v.F64[row])
	}
}

func (f variances) merge(s, o *moments) { s.Merge(*o) }

func (f variances) put(i int, s *moments) error {
	x, ok := s.Result(f.fn)
	f.out.flat.F64[i], f.out.flat.Null[i] = x, !ok
	return nil
}
