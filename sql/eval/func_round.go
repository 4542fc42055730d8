package eval

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/dec128"
	"gsql/internal/simd"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func init() {
	Register(
		Def{Name: expr.FuncAbs, Bind: bindAbs, Total: notInt64, Narrow: ofDecimal},
		Def{Name: expr.FuncSign, Bind: bindSign, Total: Always},
		Def{Name: expr.FuncCeil, Bind: bindWhole(simd.Ceilings, ceilDec, up), Total: Always, Narrow: ofDecimal},
		Def{Name: expr.FuncFloor, Bind: bindWhole(simd.Floors, dec128.Floor, down), Total: Always, Narrow: ofDecimal},
		Def{Name: expr.FuncRound, Bind: bindRound(rounding{float: math.RoundToEven, decimal: dec128.Down, integer: roundInt, to: nearest}), Narrow: ofDecimal},
		Def{Name: expr.FuncTruncate, Bind: bindRound(rounding{float: math.Trunc, decimal: dec128.Trunc, integer: truncInt, to: zero}), Narrow: ofDecimal},
	)
}

func notInt64(c *expr.Call) bool { return argKind(c, 0) != types.KindI64 }

// same gives its argument back.
func same[T Value](x T) T { return x }

func bindAbs(c *expr.Call) (Kernel, error) {
	switch argKind(c, 0) {
	case types.KindF64:
		return Unary(math.Abs), nil
	case types.KindDec:
		return narrowFirst(narrowAbs, Unary(func(n decimal128.Num) decimal128.Num { return n.Abs() })), nil
	case types.KindU64:
		return Unary(same[uint64]), nil
	}
	return absI64, nil
}

// absI64 collects the sign of all results: only the smallest BIGINT keeps its own.
func absI64(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
	a, r := args[0].I64[:rt.N], out.I64[:rt.N]
	var signs int64
	for i, x := range a {
		s := x >> 63
		r[i] = (x ^ s) - s
		signs |= r[i]
	}
	if signs >= 0 {
		return nil
	}
	for i, x := range r {
		if x < 0 && (out.Null == nil || !out.Null[i]) {
			return rt.OutOfRange("BIGINT")
		}
	}
	return nil
}

func bindSign(c *expr.Call) (Kernel, error) {
	switch argKind(c, 0) {
	case types.KindF64:
		return Unary(func(x float64) int64 { return b2i(x > 0) - b2i(x < 0) }), nil
	case types.KindDec:
		return Unary(func(n decimal128.Num) int64 { return int64(n.Sign()) }), nil
	case types.KindU64:
		return Unary(func(x uint64) int64 { return b2i(x > 0) }), nil
	}
	return Unary(func(x int64) int64 { return b2i(x > 0) - b2i(x < 0) }), nil
}

func ceilDec(n decimal128.Num, k int) decimal128.Num { return dec128.Floor(n.Negate(), k).Negate() }

// bindWhole serves FLOOR and CEIL.
func bindWhole(float func(dst, xs []float64), decimal func(decimal128.Num, int) decimal128.Num, to toward) func(*expr.Call) (Kernel, error) {
	return func(c *expr.Call) (Kernel, error) {
		scale := scaleOf(c.Args[0])
		switch argKind(c, 0) {
		case types.KindF64:
			return func(_ *Runtime, args []*vec.Vector, out *vec.Vector) error {
				float(out.F64, args[0].F64)
				return nil
			}, nil
		case types.KindU64:
			return Unary(same[uint64]), nil
		case types.KindI64:
			return Unary(same[int64]), nil
		}
		wide := Unary(func(n decimal128.Num) int64 { return int64(decimal(n, scale).LowBits()) })
		if c.T.Kind() == types.KindDec {
			wide = Unary(func(n decimal128.Num) decimal128.Num { return decimal(n, scale) })
		}
		return narrowFirst(narrowCut(scale, 0, to, c.T), wide), nil
	}
}

// rounding is a way to drop digits: ROUND's or TRUNCATE's.
type rounding struct {
	float   func(float64) float64
	decimal func(n decimal128.Num, k int) decimal128.Num // n / 10^k
	integer func(x, unit uint64) (uint64, bool)          // a multiple of unit; false when it exceeds 64 bits
	to      toward
}

func bindRound(r rounding) func(*expr.Call) (Kernel, error) {
	return func(c *expr.Call) (Kernel, error) {
		switch argKind(c, 0) {
		case types.KindF64:
			return rounded(c, r.double), nil
		case types.KindDec:
			return r.decimals(c), nil
		case types.KindU64:
			return rounded(c, r.unsigned), nil
		}
		return rounded(c, r.signed), nil
	}
}

// manyDigits is a number of digits that no value has on either side of its point. Beyond
// it, numbers of digits are as good as it.
const manyDigits = 400

// rounded makes the kernel of a call with or without the number of digits.
func rounded[T Value](c *expr.Call, f func(rt *Runtime, x T, digits int64) (T, bool, error)) Kernel {
	if len(c.Args) == 2 {
		return TryBinary(func(rt *Runtime, x T, digits int64) (T, bool, error) {
			return f(rt, x, min(max(digits, -manyDigits), manyDigits))
		})
	}
	return TryUnary(func(rt *Runtime, x T) (T, bool, error) { return f(rt, x, 0) })
}

// double scales by a power of ten and back, as MySQL does: ROUND(2.5e0) is 2 and what
// overflows is left alone.
func (r rounding) double(_ *Runtime, x float64, digits int64) (float64, bool, error) {
	if digits < 0 {
		p := math.Pow10(int(-digits))
		if math.IsInf(p, 0) {
			return 0, true, nil
		}
		return r.float(x/p) * p, true, nil
	}
	p := math.Pow10(int(digits))
	if y := x * p; !math.IsInf(y, 0) && !math.IsNaN(y) {
		return r.float(y) / p, true, nil
	}
	return x, true, nil
}

// decimals makes the kernel for decimals, with loops for Narrow ones where the number of digits
// is known.
func (r rounding) decimals(c *expr.Call) Kernel {
	scale := scaleOf(c.Args[0])
	wide := rounded(c, r.exact(scale, int(c.T.Scale)))
	digits := int64(0)
	if len(c.Args) == 2 {
		var ok bool
		if digits, ok = expr.ConstInt(c.Args[1]); !ok || digits < -dec128.MaxDigits {
			return narrowFirst(none, wide)
		}
	}
	return narrowFirst(narrowCut(scale, int(min(digits, int64(scale))), r.to, c.T), wide)
}

// exact rounds decimals of scale from, giving them the scale to.
func (r rounding) exact(from, to int) func(rt *Runtime, n decimal128.Num, digits int64) (decimal128.Num, bool, error) {
	return func(rt *Runtime, n decimal128.Num, digits int64) (decimal128.Num, bool, error) {
		if digits < int64(from) {
			drop := int64(from) - digits
			if drop > dec128.MaxDigits {
				return decimal128.Num{}, true, nil
			}
			n = r.decimal(n, int(drop))
		} else {
			digits = int64(from)
		}
		n, ok := dec128.Rescale(n, int(digits), to)
		if !ok {
			return n, false, rt.OutOfRange("DECIMAL")
		}
		return n, true, nil
	}
}

// powerOf10 gives 10^n, ok false where that exceeds 64 bits.
func powerOf10(n int64) (p uint64, ok bool) {
	if n < 0 || n > dec128.MaxWordPower {
		return 0, false
	}
	return dec128.Pow10Word(int(n)), true
}

func roundInt(x, unit uint64) (uint64, bool) {
	rest := x % unit
	if rest < unit-rest {
		return x - rest, true
	}
	y := x - rest + unit
	return y, y >= x
}

func truncInt(x, unit uint64) (uint64, bool) { return x - x%unit, true }

func (r rounding) unsigned(rt *Runtime, x uint64, digits int64) (uint64, bool, error) {
	if digits >= 0 {
		return x, true, nil
	}
	unit, ok := powerOf10(-digits)
	if !ok {
		return 0, true, nil
	}
	y, ok := r.integer(x, unit)
	if !ok {
		return 0, false, rt.OutOfRange("BIGINT UNSIGNED")
	}
	return y, true, nil
}

func (r rounding) signed(rt *Runtime, x, digits int64) (int64, bool, error) {
	if digits >= 0 {
		return x, true, nil
	}
	unit, ok := powerOf10(-digits)
	if !ok {
		return 0, true, nil
	}
	w := widen(x, false)
	y, _ := r.integer(w.mag, unit)
	if y > math.MaxInt64 {
		return 0, false, rt.OutOfRange("BIGINT")
	}
	if w.neg {
		return -int64(y), true, nil
	}
	return int64(y), true, nil
}
