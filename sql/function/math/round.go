package math

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/dec128"
	"gsql/internal/simd"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func registerRound() {
	kernel.Register(
		kernel.Def{Name: expr.FuncAbs, Bind: bindAbs, Total: notInt64, Narrow: kernel.OfDecimal},
		kernel.Def{Name: expr.FuncSign, Bind: bindSign, Total: kernel.Always},
		kernel.Def{Name: expr.FuncCeil, Bind: bindWhole(simd.Ceilings, ceilDec, kernel.Up), Total: kernel.Always, Narrow: kernel.OfDecimal},
		kernel.Def{Name: expr.FuncFloor, Bind: bindWhole(simd.Floors, dec128.Floor, kernel.Down), Total: kernel.Always, Narrow: kernel.OfDecimal},
		kernel.Def{Name: expr.FuncRound, Bind: bindRound(rounding{float: math.RoundToEven, decimal: dec128.Down, integer: roundInt, to: kernel.Nearest}), Narrow: kernel.OfDecimal},
		kernel.Def{Name: expr.FuncTruncate, Bind: bindRound(rounding{float: math.Trunc, decimal: dec128.Trunc, integer: truncInt, to: kernel.ToZero}), Narrow: kernel.OfDecimal},
	)
}

func notInt64(c *expr.Call) bool { return kernel.ArgKind(c, 0) != types.KindI64 }

func bindAbs(c *expr.Call) (kernel.Kernel, error) {
	switch kernel.ArgKind(c, 0) {
	case types.KindF64:
		return kernel.Unary(math.Abs), nil
	case types.KindDec:
		return kernel.NarrowFirst(kernel.NarrowAbs, kernel.Unary(func(n decimal128.Num) decimal128.Num { return n.Abs() })), nil
	case types.KindU64:
		return kernel.Unary(kernel.Same[uint64]), nil
	}
	return absI64, nil
}

// absI64 combines the signs of all results to detect overflow: only the smallest BIGINT stays
// negative.
func absI64(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
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

func bindSign(c *expr.Call) (kernel.Kernel, error) {
	switch kernel.ArgKind(c, 0) {
	case types.KindF64:
		return kernel.Unary(func(x float64) int64 { return kernel.Bit(x > 0) - kernel.Bit(x < 0) }), nil
	case types.KindDec:
		return kernel.Unary(func(n decimal128.Num) int64 { return int64(n.Sign()) }), nil
	case types.KindU64:
		return kernel.Unary(func(x uint64) int64 { return kernel.Bit(x > 0) }), nil
	}
	return kernel.Unary(func(x int64) int64 { return kernel.Bit(x > 0) - kernel.Bit(x < 0) }), nil
}

func ceilDec(n decimal128.Num, k int) decimal128.Num { return dec128.Floor(n.Negate(), k).Negate() }

// bindWhole binds FLOOR and CEIL.
func bindWhole(float func(dst, xs []float64), decimal func(decimal128.Num, int) decimal128.Num, to kernel.Toward) func(*expr.Call) (kernel.Kernel, error) {
	return func(c *expr.Call) (kernel.Kernel, error) {
		scale := kernel.ScaleOf(c.Args[0])
		switch kernel.ArgKind(c, 0) {
		case types.KindF64:
			return func(_ *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
				float(out.F64, args[0].F64)
				return nil
			}, nil
		case types.KindU64:
			return kernel.Unary(kernel.Same[uint64]), nil
		case types.KindI64:
			return kernel.Unary(kernel.Same[int64]), nil
		}
		wide := kernel.Unary(func(n decimal128.Num) int64 { return int64(decimal(n, scale).LowBits()) })
		if c.T.Kind() == types.KindDec {
			wide = kernel.Unary(func(n decimal128.Num) decimal128.Num { return decimal(n, scale) })
		}
		return kernel.NarrowFirst(kernel.NarrowCut(scale, 0, to, c.T), wide), nil
	}
}

// rounding is a way of dropping digits: that of ROUND or of TRUNCATE.
type rounding struct {
	float   func(float64) float64
	decimal func(n decimal128.Num, k int) decimal128.Num // n / 10^k
	integer func(x, unit uint64) (uint64, bool)          // a multiple of unit; false if it exceeds 64 bits
	to      kernel.Toward
}

func bindRound(r rounding) func(*expr.Call) (kernel.Kernel, error) {
	return func(c *expr.Call) (kernel.Kernel, error) {
		switch kernel.ArgKind(c, 0) {
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

// rounded returns the kernel of a call with or without the number of digits.
func rounded[T kernel.Value](c *expr.Call, f func(rt *kernel.Runtime, x T, digits int64) (T, bool, error)) kernel.Kernel {
	if len(c.Args) == 2 {
		return kernel.TryBinary(func(rt *kernel.Runtime, x T, digits int64) (T, bool, error) {
			return f(rt, x, min(max(digits, -kernel.ManyDigits), kernel.ManyDigits))
		})
	}
	return kernel.TryUnary(func(rt *kernel.Runtime, x T) (T, bool, error) { return f(rt, x, 0) })
}

// double scales by a power of ten and back, as MySQL does: ROUND(2.5e0) is 2, and values
// that overflow stay unchanged.
func (r rounding) double(_ *kernel.Runtime, x float64, digits int64) (float64, bool, error) {
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

// decimals returns the kernel for decimals, with loops for Narrow ones if the number of digits is
// known.
func (r rounding) decimals(c *expr.Call) kernel.Kernel {
	scale := kernel.ScaleOf(c.Args[0])
	wide := rounded(c, r.exact(scale, int(c.T.Scale)))
	digits := int64(0)
	if len(c.Args) == 2 {
		var ok bool
		if digits, ok = expr.ConstInt(c.Args[1]); !ok || digits < -dec128.MaxDigits {
			return kernel.NarrowFirst(kernel.NeverNarrow, wide)
		}
	}
	return kernel.NarrowFirst(kernel.NarrowCut(scale, int(min(digits, int64(scale))), r.to, c.T), wide)
}

// exact rounds decimals of scale from to the scale to.
func (r rounding) exact(from, to int) func(rt *kernel.Runtime, n decimal128.Num, digits int64) (decimal128.Num, bool, error) {
	return func(rt *kernel.Runtime, n decimal128.Num, digits int64) (decimal128.Num, bool, error) {
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

// powerOf10 returns 10^n. ok is false if that exceeds 64 bits.
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

func (r rounding) unsigned(rt *kernel.Runtime, x uint64, digits int64) (uint64, bool, error) {
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

func (r rounding) signed(rt *kernel.Runtime, x, digits int64) (int64, bool, error) {
	if digits >= 0 {
		return x, true, nil
	}
	unit, ok := powerOf10(-digits)
	if !ok {
		return 0, true, nil
	}
	w := kernel.Widen(x, false)
	y, _ := r.integer(w.Mag, unit)
	if y > math.MaxInt64 {
		return 0, false, rt.OutOfRange("BIGINT")
	}
	if w.Neg {
		return -int64(y), true, nil
	}
	return int64(y), true, nil
}
