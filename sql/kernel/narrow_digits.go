package kernel

import (
	"math"
	"math/bits"

	"gsql/internal/dec128"
	"gsql/internal/simd"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// The functions of Narrow decimals here return ok false if 64 bits may not suffice, and leave the
// result to the 128-bit kernel.

// NarrowFirst returns a kernel that passes a Narrow first argument to f. If f does not compute the
// result, it passes the widened argument to wide.
func NarrowFirst(f func(a []int64, out *vec.Vector) (ok bool), wide Kernel) Kernel {
	return func(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
		if a := args[0]; a.Narrow && f(a.I64[:rt.N], out) {
			return nil
		}
		return wide(rt, rt.Widened(args), out)
	}
}

// Widened flattens those of two arguments that are Narrow.
func (rt *Runtime) Widened(args []*vec.Vector) []*vec.Vector {
	for i, a := range args {
		if a.Narrow {
			if rt.wide == nil {
				rt.wide = new([2]vec.Vector)
			}
			args[i] = a.Flatten(&rt.wide[i])
		}
	}
	return args
}

// OfDecimal reports whether a call's first argument is a decimal.
func OfDecimal(c *expr.Call) bool { return ArgKind(c, 0) == types.KindDec }

// ToNarrow makes out Narrow and returns its values.
func ToNarrow(out *vec.Vector) []int64 {
	n, null := out.N, out.Null
	out.ResizeNarrow(n)
	out.Null = null
	return out.I64
}

// MagnitudesBelow reports whether all magnitudes are below 2^bits.
func MagnitudesBelow(bits uint, a []int64) bool { return simd.Magnitudes(a)>>bits == 0 }

// NeverNarrow computes nothing.
func NeverNarrow([]int64, *vec.Vector) bool { return false }

// cut divides integers by a power of ten and rounds to the nearest integer or in one direction.
type cut struct {
	by           reciprocal
	above, below int64 // added to the magnitude of positive and of negative numbers first
}

// Toward is the direction in which a cut rounds.
type Toward uint8

const (
	Nearest Toward = iota // to the nearest, half away from zero
	ToZero
	Down
	Up
)

// NewDivision returns a cut that divides by d, at least 2, and drops the remainder.
func NewDivision(d uint64) cut { return cut{by: newReciprocal(d)} }

// newCut returns a cut that drops 1 to 18 digits.
func newCut(digits int, to Toward) cut {
	d := dec128.Pow10Word(digits)
	c := cut{by: newReciprocal(d)}
	switch to {
	case Nearest:
		c.above, c.below = int64(d/2), int64(d/2)
	case Down:
		c.below = int64(d - 1)
	case Up:
		c.above = int64(d - 1)
	}
	return c
}

// All cuts numbers of 62 bits.
func (c *cut) All(dst, a []int64) {
	a = a[:len(dst)]
	by, above, other := c.by, c.above, c.above^c.below
	for i, x := range a {
		s := x >> 63
		q := int64(by.quotient(uint64((x ^ s) - s + (above ^ other&s))))
		dst[i] = (q ^ s) - s
	}
}

// NarrowCut returns a function that rounds Narrow decimals of scale from to the given number of
// digits after the point, dropping at most 18. The result is BIGINT or a decimal of scale digits,
// or of scale 0 if digits is negative.
func NarrowCut(from, digits int, to Toward, result types.Type) func(a []int64, out *vec.Vector) bool {
	drop := from - digits
	if drop > 18 {
		return NeverNarrow
	}
	var c cut
	if drop > 0 {
		c = newCut(drop, to)
	}
	return func(a []int64, out *vec.Vector) bool {
		if !MagnitudesBelow(62, a) {
			return false
		}
		r := out.I64
		if result.Kind() == types.KindDec {
			r = ToNarrow(out)
		}
		if drop <= 0 {
			copy(r, a)
			return true
		}
		c.All(r, a)
		if digits < 0 {
			simd.ArithmeticConst(simd.Mul, r, r, int64(dec128.Pow10Word(-digits)))
		}
		return true
	}
}

// NarrowAbs sets out to the Narrow magnitudes of a.
func NarrowAbs(a []int64, out *vec.Vector) bool {
	if !MagnitudesBelow(62, a) {
		return false
	}
	for i, r := 0, ToNarrow(out); i < len(r); i++ {
		s := a[i] >> 63
		r[i] = (a[i] ^ s) - s
	}
	return true
}

// NarrowNegate sets out to the Narrow -a.
func NarrowNegate(a []int64, out *vec.Vector) bool {
	if !MagnitudesBelow(62, a) {
		return false
	}
	simd.ConstArithmetic(simd.Sub, ToNarrow(out), 0, a)
	return true
}

// NarrowScale sets out to the Narrow a * 10^digits, which has at most limit digits.
func NarrowScale(digits, limit int) func(a []int64, out *vec.Vector) bool {
	unit, most := uint64(1), uint64(1<<62)
	if digits < 19 {
		unit = dec128.Pow10Word(digits)
	}
	if limit < 19 {
		most = min(most, dec128.Pow10Word(limit)-1)
	}
	return func(a []int64, out *vec.Vector) bool {
		hi, lo := bits.Mul64(simd.Magnitudes(a)+1, unit)
		if digits > 18 || hi != 0 || lo > most {
			return false
		}
		simd.ArithmeticConst(simd.Mul, ToNarrow(out), a, int64(unit))
		return true
	}
}

// NarrowLess returns a function that rounds Narrow decimals to a type of a smaller scale, if its
// digits suffice.
func NarrowLess(from int, to types.Type) func(a []int64, out *vec.Vector) bool {
	drop := from - int(to.Scale)
	round := NarrowCut(from, int(to.Scale), Nearest, to)
	if drop > 18 {
		return NeverNarrow
	}
	unit, most := dec128.Pow10Word(drop), uint64(math.MaxUint64)
	if hi, lo := bits.Mul64(dec128.Pow10Word(min(int(to.Prec), 18))-1, unit); to.Prec <= 18 && hi == 0 {
		most = lo
	}
	return func(a []int64, out *vec.Vector) bool { return simd.Magnitudes(a)+1 <= most && round(a, out) }
}

// NarrowDoubles sets out to the doubles nearest to a / 10^scale. Numbers below 2^53 and powers of
// ten up to 10^22 are exact, so a division rounds only once.
func NarrowDoubles(scale int) func(a []int64, out *vec.Vector) bool {
	unit := math.Pow10(scale)
	return func(a []int64, out *vec.Vector) bool {
		if scale > 22 || !MagnitudesBelow(53, a) {
			return false
		}
		simd.Doubles(out.F64, a)
		for i, x := range out.F64 {
			out.F64[i] = x / unit
		}
		return true
	}
}

// NarrowQuotient sets out to the Narrow a * 10^up / b, either rounded half away from zero or
// truncated. ok is also false if a divisor is zero.
func NarrowQuotient(a, b []int64, up int, round bool, out *vec.Vector) (ok bool) {
	if up < 0 || up > 18 {
		return false
	}
	unit := dec128.Pow10Word(up)
	hi, lo := bits.Mul64(simd.Magnitudes(a)+1, unit)
	if hi != 0 || lo>>61 != 0 || !MagnitudesBelow(61, b) {
		return false
	}
	if len(b) == 1 {
		return quotientBy(b[0], a, int64(unit), round, out)
	}
	for _, y := range b {
		if y == 0 {
			return false
		}
	}
	r, m := ToNarrow(out), 0
	if len(a) > 1 {
		m = -1
	}
	for i, y := range b {
		x, sy := a[i&m]*int64(unit), y>>63
		s := x >> 63
		n, d := uint64((x^s)-s), uint64((y^sy)-sy)
		q := n / d
		if rest := n - q*d; round && rest >= d-rest {
			q++
		}
		s ^= sy
		r[i] = (int64(q) ^ s) - s
	}
	return true
}

// quotientBy is NarrowQuotient by a constant.
func quotientBy(y int64, a []int64, unit int64, round bool, out *vec.Vector) bool {
	if y == 0 {
		return false
	}
	r := ToNarrow(out)
	simd.ArithmeticConst(simd.Mul, r, a, unit)
	if d := max(y, -y); d > 1 {
		c := NewDivision(uint64(d))
		if round {
			c.above, c.below = d/2, d/2
		}
		c.All(r, r)
	}
	if y < 0 {
		simd.ConstArithmetic(simd.Sub, r, 0, r)
	}
	return true
}

// RemaindersBy sets r to the remainders of a / d, which have the signs of a. d is positive, and the
// numbers in a have at most 62 bits.
func RemaindersBy(d int64, r, a []int64) {
	if d == 1 {
		clear(r)
		return
	}
	by := newReciprocal(uint64(d))
	a = a[:len(r)]
	for i, x := range a {
		s := x >> 63
		n := uint64((x ^ s) - s)
		n -= by.quotient(n) * uint64(d)
		r[i] = (int64(n) ^ s) - s
	}
}
