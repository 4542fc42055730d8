package eval

import (
	"math"
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/dec128"
	"gsql/internal/simd"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// The loops here compute decimals in 64 bits where vectors are Narrow. What does not fit is
// left to the kernels of 128 bits.

// ofDecimals tells whether a call's arguments are decimals.
func ofDecimals(c *expr.Call) bool {
	return argKind(c, 0) == types.KindDec && argKind(c, 1) == types.KindDec
}

// narrowPair gives the two arguments as integers, a constant as one, if at least one of them
// is Narrow and the other one fits.
func (rt *Runtime) narrowPair(args []*vec.Vector) (a, b []int64, ok bool) {
	if !args[0].Narrow && !args[1].Narrow {
		return nil, nil, false
	}
	a, aOK := rt.integers(args, 0)
	b, bOK := rt.integers(args, 1)
	return a, b, aOK && bOK
}

func (rt *Runtime) integers(args []*vec.Vector, i int) ([]int64, bool) {
	v := args[i]
	switch {
	case v.Narrow:
		return v.I64[:v.N], true
	case v.Form != vec.Const || !dec128.IsInt64(v.Dec[0]):
		return nil, false
	}
	rt.low[i] = int64(v.Dec[0].LowBits())
	return rt.low[i : i+1], true
}

// decimals gives an argument's values in 128 bits.
func (rt *Runtime) decimals(args []*vec.Vector, i int) []decimal128.Num {
	if !args[i].Narrow {
		return args[i].Dec
	}
	if rt.wide == nil {
		rt.wide = new([2]vec.Vector)
	}
	return args[i].Flatten(&rt.wide[i]).Dec
}

// narrowSum makes out the Narrow a + b or a - b, or leaves it as it is where 64 bits do not
// suffice.
func narrowSum(a, b []int64, sub bool, out *vec.Vector) bool {
	n, null, over := out.N, out.Null, int64(0)
	out.ResizeNarrow(n)
	switch r := out.I64; {
	case sub && len(b) < n:
		over = subVC(r, a, b[0])
	case sub && len(a) < n:
		over = subCV(r, a[0], b)
	case sub:
		over = subVV(r, a, b)
	case len(b) < n:
		over = addVC(r, a, b[0])
	case len(a) < n:
		over = addVC(r, b, a[0])
	default:
		over = addVV(r, a, b)
	}
	if over < 0 {
		out.Resize(n)
	}
	out.Null = null
	return over >= 0
}

// narrowProduct makes out the Narrow a * b, or leaves it as it is where the values' sizes do
// not rule out that 64 bits are too few.
func narrowProduct(a, b []int64, out *vec.Vector) bool {
	wa, wb, op := dec128.Width(a), dec128.Width(b), simd.Mul
	if wa+wb > 62 {
		return false
	}
	if wa < 32 && wb < 32 {
		op = simd.MulNarrow
	}
	n, null := out.N, out.Null
	out.ResizeNarrow(n)
	out.Null = null
	r := out.I64
	switch {
	case len(b) < n:
		simd.ArithmeticConst(op, r, a, b[0])
	case len(a) < n:
		simd.ArithmeticConst(op, r, b, a[0])
	default:
		simd.Arithmetic(op, r, a, b)
	}
	return true
}

// compareNarrow compares Narrow vectors of one scale, or one with a constant of a smaller
// scale. It tells whether it did.
func compareNarrow(rt *Runtime, args []*vec.Vector, r []int64, rel relation, sa, sb int) bool {
	a, b, ok := rt.narrowPair(args)
	switch {
	case !ok:
		return false
	case sa > sb && args[1].Form == vec.Const:
		ok = scaleUp(b, sa-sb)
	case sa < sb && args[0].Form == vec.Const:
		ok = scaleUp(a, sb-sa)
	default:
		ok = sa == sb
	}
	switch {
	case !ok:
		return false
	case args[1].Form == vec.Const:
		compareConst(r, a, b[0], rel)
	case args[0].Form == vec.Const:
		compareConst(r, b, a[0], rel.swap())
	default:
		compareSlices(r, a, b, rel)
	}
	return true
}

// scaleUp multiplies a constant by 10^digits if that fits.
func scaleUp(c []int64, digits int) bool {
	x, ok := rescaled(c[0], digits)
	c[0] = x
	return ok
}

func rescaled(x int64, digits int) (int64, bool) {
	for range digits {
		hi, lo := bits.Mul64(uint64(x^x>>63), 10)
		if hi != 0 || lo > math.MaxInt64-9 {
			return 0, false
		}
		x *= 10
	}
	return x, true
}
