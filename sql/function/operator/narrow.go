package operator

import (
	"gsql/internal/dec128"
	"gsql/internal/simd"
	"gsql/sql/kernel"
	"gsql/sql/vec"
)

// narrowSum sets out to the Narrow a + b or a - b, or leaves it unchanged if 64 bits do not
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

// narrowProduct sets out to the Narrow a * b, or leaves it unchanged if the magnitudes of the
// values do not guarantee that 64 bits suffice.
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
// scale. It reports whether it did.
func compareNarrow(rt *kernel.Runtime, args []*vec.Vector, r []int64, rel kernel.Relation, sa, sb int) bool {
	a, b, ok := rt.NarrowPair(args)
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
		compareConst(r, b, a[0], rel.Swap())
	default:
		compareSlices(r, a, b, rel)
	}
	return true
}

// scaleUp multiplies a constant by 10^digits if that fits.
func scaleUp(c []int64, digits int) bool {
	x, ok := kernel.Rescaled(c[0], digits)
	c[0] = x
	return ok
}
