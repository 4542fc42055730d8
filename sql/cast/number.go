package cast

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/dec128"
	"gsql/internal/simd"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// castInt converts to an integer type. Conversions between BIGINT and BIGINT UNSIGNED preserve
// the bits, as MySQL's CAST does; narrower types saturate with warning 1264. Text also saturates,
// except in CAST, where a number above BIGINT keeps its bits.
func castInt(from, to types.Type, cast bool) kernel.Kernel {
	fit := func(_ *kernel.Runtime, x int64) int64 { return x }
	if to.Bits() < 64 {
		fit = narrow(from, to)
	}
	signed := !to.IsUnsigned()
	switch {
	case from.Kind() == types.KindF64:
		return kernel.TryUnary(func(rt *kernel.Runtime, f float64) (int64, bool, error) {
			return fit(rt, roundFloat(rt, f, signed)), true, nil
		})
	case from.Kind() == types.KindDec:
		scale := int(from.Scale)
		wide := kernel.TryUnary(func(rt *kernel.Runtime, n decimal128.Num) (int64, bool, error) {
			return fit(rt, roundDec(rt, n, scale, signed)), true, nil
		})
		if to.ID == types.Int64 {
			return kernel.NarrowFirst(kernel.NarrowCut(scale, 0, kernel.Nearest, to), wide)
		}
		return kernel.NarrowFirst(kernel.NeverNarrow, wide)
	case from.Kind() == types.KindStr:
		return kernel.TryUnary(func(rt *kernel.Runtime, s string) (int64, bool, error) {
			return fit(rt, textInt(rt, s, signed, cast && to.Bits() == 64)), true, nil
		})
	case from.IsTemporal():
		number := numberOf(from)
		return kernel.TryUnary(func(rt *kernel.Runtime, x int64) (int64, bool, error) {
			if half := types.Second / 2; from.ID != types.Date {
				if x < 0 && from.ID == types.Time {
					half = -half
				}
				x += half
			}
			n, _ := number(x)
			return fit(rt, n), true, nil
		})
	}
	return kernel.TryUnary(func(rt *kernel.Runtime, x int64) (int64, bool, error) { return fit(rt, x), true, nil })
}

// narrow checks the range of an integer type of less than 64 bits. The bits of x are those of an
// unsigned number if from is unsigned.
func narrow(from, to types.Type) func(rt *kernel.Runtime, x int64) int64 {
	lo, max := expr.IntRange(to)
	hi := int64(max)
	unsigned := from.IsUnsigned()
	return func(rt *kernel.Runtime, x int64) int64 {
		switch {
		case x > hi || unsigned && x < 0:
			x = hi
		case x < lo:
			x = lo
		default:
			return x
		}
		rt.Warn(sqlerr.WarnDataOutOfRange, "Out of range value for column '%s'", rt.Call)
		return x
	}
}

// roundFloat rounds half to even, as MySQL's rint does, and saturates.
func roundFloat(rt *kernel.Runtime, f float64, signed bool) int64 {
	r := math.RoundToEven(f)
	switch {
	case r >= math.MinInt64 && r < 1<<63:
		return int64(r)
	case !signed && r >= 0 && r < 1<<64:
		return int64(uint64(r))
	}
	rt.Truncated("INTEGER", string(types.AppendFloat(nil, f, 64)))
	switch {
	case r < 0:
		return math.MinInt64
	case signed:
		return math.MaxInt64
	}
	return -1
}

// roundDec rounds half away from zero and saturates.
func roundDec(rt *kernel.Runtime, n decimal128.Num, scale int, signed bool) int64 {
	r := dec128.Down(n, scale)
	if dec128.IsInt64(r) || !signed && r.HighBits() == 0 {
		return int64(r.LowBits())
	}
	rt.Truncated(kernel.DecimalName, string(types.AppendDecimal(nil, n, scale)))
	switch {
	case r.HighBits() < 0:
		return math.MinInt64
	case signed:
		return math.MaxInt64
	}
	return -1
}

// textInt parses the integer at the start of s. If bits is set, an out-of-range integer keeps its
// bits.
func textInt(rt *kernel.Runtime, s string, signed, bits bool) int64 {
	u, neg, clean := types.PrefixInt(s)
	switch {
	case neg && u > 1<<63:
		u, clean = 1<<63, false
	case signed && !neg && u > math.MaxInt64 && bits:
		if clean {
			rt.Warn(sqlerr.UnknownError, "Cast to signed converted positive out-of-range integer to its negative complement")
			return int64(u)
		}
	case signed && !neg && u > math.MaxInt64:
		u, clean = math.MaxInt64, false
	}
	switch {
	case !clean:
		rt.Truncated("INTEGER", s)
	case bits && !signed && neg && u > 0:
		rt.Warn(sqlerr.UnknownError, "Cast to unsigned converted negative integer to its positive complement")
	}
	if neg {
		return int64(-u)
	}
	return int64(u)
}

func castFloat(from, to types.Type) kernel.Kernel {
	fit := func(f float64) float64 { return f }
	if to.ID == types.Float32 {
		fit = func(f float64) float64 { return float64(float32(f)) }
	}
	switch {
	case from.IsTemporal():
		number := numberOf(from)
		return kernel.Unary(func(x int64) float64 {
			n, us := number(x)
			return fit(float64(n) + float64(us)/1e6)
		})
	case from.Kind() == types.KindF64:
		return kernel.Unary(fit)
	case from.Kind() == types.KindU64:
		return kernel.Unary(func(x uint64) float64 { return fit(float64(x)) })
	case from.Kind() == types.KindDec:
		scale := int(from.Scale)
		wide := kernel.Unary(func(n decimal128.Num) float64 { return fit(dec128.Float64(n, scale)) })
		if to.ID == types.Float32 {
			return kernel.NarrowFirst(kernel.NeverNarrow, wide)
		}
		return kernel.NarrowFirst(kernel.NarrowDoubles(scale), wide)
	case from.Kind() == types.KindStr:
		return kernel.TryUnary(func(rt *kernel.Runtime, s string) (float64, bool, error) {
			f, clean := types.PrefixFloat(s)
			if !clean {
				rt.Truncated("DOUBLE", s)
			}
			return fit(f), true, nil
		})
	}
	if to.ID != types.Float32 {
		return doubles
	}
	return kernel.Unary(func(x int64) float64 { return fit(float64(x)) })
}

// doubles converts integers to doubles.
func doubles(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	simd.Doubles(out.F64, args[0].I64)
	return nil
}

// castDec converts to DECIMAL(p,s). Values that are too large become the largest number of the
// type, with warning 1264. At 38 digits, where MySQL would allow more, they cause error 1690. If
// tight is set, integers may become Narrow.
func castDec(from, to types.Type, tight bool) kernel.Kernel {
	scale, digits := int(to.Scale), int(to.Prec)
	limit := dec128.Max(digits)
	fit := func(rt *kernel.Runtime, n decimal128.Num, ok bool, neg bool) (decimal128.Num, bool, error) {
		if ok && dec128.Fits(n, digits) {
			return n, true, nil
		}
		if digits == types.MaxPrecision {
			return limit, false, rt.OutOfRange(kernel.DecimalName)
		}
		rt.Warn(sqlerr.WarnDataOutOfRange, "Out of range value for column '%s'", rt.Call)
		if neg {
			return limit.Negate(), true, nil
		}
		return limit, true, nil
	}
	switch {
	case from.IsTemporal():
		number := numberOf(from)
		million := decimal128.FromI64(1_000_000)
		return kernel.TryUnary(func(rt *kernel.Runtime, x int64) (decimal128.Num, bool, error) {
			whole, us := number(x)
			n, _ := dec128.Mul(decimal128.FromI64(whole), million)
			n, ok := dec128.Rescale(n.Add(decimal128.FromI64(us)), 6, scale)
			return fit(rt, n, ok, whole < 0)
		})
	case from.Kind() == types.KindDec:
		old := int(from.Scale)
		wide := kernel.TryUnary(func(rt *kernel.Runtime, d decimal128.Num) (decimal128.Num, bool, error) {
			n, ok := dec128.Rescale(d, old, scale)
			return fit(rt, n, ok, d.Sign() < 0)
		})
		if scale >= old {
			return kernel.NarrowFirst(kernel.NarrowScale(scale-old, digits), wide)
		}
		return kernel.NarrowFirst(kernel.NarrowLess(old, to), wide)
	case from.Kind() == types.KindF64:
		return kernel.TryUnary(func(rt *kernel.Runtime, f float64) (decimal128.Num, bool, error) {
			n, ok := dec128.FromFloat(f, scale)
			return fit(rt, n, ok, f < 0)
		})
	case from.Kind() == types.KindStr:
		return kernel.TryUnary(func(rt *kernel.Runtime, s string) (decimal128.Num, bool, error) {
			n, clean, ok := types.PrefixDecimal(s, scale)
			if !clean {
				rt.Truncated(kernel.DecimalName, s)
			}
			return fit(rt, n, ok, n.Sign() < 0)
		})
	case from.Kind() == types.KindU64:
		return kernel.TryUnary(func(rt *kernel.Runtime, x uint64) (decimal128.Num, bool, error) {
			n, ok := dec128.Rescale(decimal128.FromU64(x), 0, scale)
			return fit(rt, n, ok, false)
		})
	}
	wide := kernel.TryUnary(func(rt *kernel.Runtime, x int64) (decimal128.Num, bool, error) {
		n, ok := dec128.Rescale(decimal128.FromI64(x), 0, scale)
		return fit(rt, n, ok, x < 0)
	})
	if !tight {
		return wide
	}
	scaled := kernel.NarrowScale(scale, digits)
	return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		if rt.N > 1 && scaled(args[0].I64[:rt.N], out) { // a single row may be a constant being folded
			return nil
		}
		return wide(rt, args, out)
	}
}
