package operator

import (
	"math"
	"math/bits"

	"gsql/internal/simd"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

const (
	bigint         = "BIGINT"
	bigintUnsigned = "BIGINT UNSIGNED"
)

// checked is an operation on 64-bit integers that reports overflow.
type checked func(a, b int64) (r int64, overflow bool)

func addI64(a, b int64) (int64, bool) {
	r := a + b
	return r, (a^r)&(b^r) < 0
}

func subI64(a, b int64) (int64, bool) {
	r := a - b
	return r, (a^b)&(a^r) < 0
}

func mulI64(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	// Correct the unsigned product for negative factors in two's complement.
	h := int64(hi) - a>>63&b - b>>63&a
	return int64(lo), h != int64(lo)>>63
}

// sum adds or subtracts signed vectors. A sign bit accumulates overflows and is checked once per
// batch. Only if it is set, NULL rows, whose slots have arbitrary values, are distinguished.
func sumI64(sub bool) kernel.Kernel {
	return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		var over int64
		a, b, r := args[0].I64, args[1].I64, out.I64
		switch {
		case sub && args[1].Form == vec.Const:
			over = subVC(r, a, b[0])
		case sub && args[0].Form == vec.Const:
			over = subCV(r, a[0], b)
		case sub:
			over = subVV(r, a, b)
		case args[1].Form == vec.Const:
			over = addVC(r, a, b[0])
		case args[0].Form == vec.Const:
			over = addVC(r, b, a[0])
		default:
			over = addVV(r, a, b)
		}
		if over >= 0 {
			return nil
		}
		if sub {
			return eachI64(rt, args, out, subI64)
		}
		return eachI64(rt, args, out, addI64)
	}
}

// roomy reports whether sums and differences of values like these fit in 64 bits. It returns false
// without vector instructions, because the check pays off only with them.
func roomy(xs []int64) bool { return simd.Best() > simd.None && simd.Magnitudes(xs)>>62 == 0 }

// The sums and differences below return a negative number if any result overflows.

func addVV(r, a, b []int64) (over int64) {
	if roomy(a[:len(r)]) && roomy(b[:len(r)]) {
		simd.Arithmetic(simd.Add, r, a, b)
		return 0
	}
	a, b = a[:len(r)], b[:len(r)]
	for i := range r {
		x, y := a[i], b[i]
		s := x + y
		r[i] = s
		over |= (x ^ s) & (y ^ s)
	}
	return over
}

func addVC(r, a []int64, y int64) (over int64) {
	if roomy(a[:len(r)]) && roomy([]int64{y}) {
		simd.ArithmeticConst(simd.Add, r, a, y)
		return 0
	}
	a = a[:len(r)]
	for i := range r {
		x := a[i]
		s := x + y
		r[i] = s
		over |= (x ^ s) & (y ^ s)
	}
	return over
}

func subVV(r, a, b []int64) (over int64) {
	if roomy(a[:len(r)]) && roomy(b[:len(r)]) {
		simd.Arithmetic(simd.Sub, r, a, b)
		return 0
	}
	a, b = a[:len(r)], b[:len(r)]
	for i := range r {
		x, y := a[i], b[i]
		s := x - y
		r[i] = s
		over |= (x ^ y) & (x ^ s)
	}
	return over
}

func subVC(r, a []int64, y int64) (over int64) {
	if roomy(a[:len(r)]) && roomy([]int64{y}) {
		simd.ArithmeticConst(simd.Sub, r, a, y)
		return 0
	}
	a = a[:len(r)]
	for i := range r {
		x := a[i]
		s := x - y
		r[i] = s
		over |= (x ^ y) & (x ^ s)
	}
	return over
}

func subCV(r []int64, x int64, b []int64) (over int64) {
	if roomy(b[:len(r)]) && roomy([]int64{x}) {
		simd.ConstArithmetic(simd.Sub, r, x, b)
		return 0
	}
	b = b[:len(r)]
	for i := range r {
		y := b[i]
		s := x - y
		r[i] = s
		over |= (x ^ y) & (x ^ s)
	}
	return over
}

// eachI64 computes row by row, skipping NULLs, and fails at the first overflow.
func eachI64(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector, f checked) error {
	a, b := args[0].I64, args[1].I64
	ma, mb := kernel.Mask(args[0]), kernel.Mask(args[1])
	for i := range out.I64 {
		r, over := f(a[i&ma], b[i&mb])
		if over && (out.Null == nil || !out.Null[i]) {
			return rt.OutOfRange(bigint)
		}
		out.I64[i] = r
	}
	return nil
}

// productI64 multiplies signed vectors. The bits that factors use are accumulated and checked once
// per batch: products of 32-bit factors cannot overflow.
func productI64(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	a, b, r := args[0].I64, args[1].I64, out.I64
	var used uint64
	switch {
	case args[1].Form == vec.Const:
		used = mulVC(r, a, b[0])
	case args[0].Form == vec.Const:
		used = mulVC(r, b, a[0])
	default:
		used = mulVV(r, a, b)
	}
	if used>>31 == 0 {
		return nil
	}
	return checkedProductI64(rt, args, out)
}

// The products below are used if the magnitudes of the factors have at most 31 bits.

func mulVV(r, a, b []int64) (used uint64) {
	used = simd.Magnitudes(a[:len(r)]) | simd.Magnitudes(b[:len(r)])
	if used>>31 == 0 {
		simd.Arithmetic(simd.MulNarrow, r, a, b)
	}
	return used
}

func mulVC(r, a []int64, y int64) (used uint64) {
	used = simd.Magnitudes(a[:len(r)]) | uint64(y^y>>63)
	if used>>31 == 0 {
		simd.ArithmeticConst(simd.MulNarrow, r, a, y)
	}
	return used
}

func checkedProductI64(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	a, b, r := args[0].I64, args[1].I64, out.I64
	ma, mb := kernel.Mask(args[0]), kernel.Mask(args[1])
	for i := range r {
		x, y := a[i&ma], b[i&mb]
		p, over := mulI64(x, y)
		if over && (out.Null == nil || !out.Null[i]) {
			return rt.OutOfRange(bigint)
		}
		r[i] = p
	}
	return nil
}

func addWide(a, b kernel.Wide) (r kernel.Wide, overflow bool) {
	if a.Neg == b.Neg {
		mag, carry := bits.Add64(a.Mag, b.Mag, 0)
		return kernel.Wide{Neg: a.Neg, Mag: mag}, carry != 0
	}
	if a.Mag >= b.Mag {
		return kernel.Wide{Neg: a.Neg, Mag: a.Mag - b.Mag}, false
	}
	return kernel.Wide{Neg: b.Neg, Mag: b.Mag - a.Mag}, false
}

func subWide(a, b kernel.Wide) (r kernel.Wide, overflow bool) {
	return addWide(a, kernel.Wide{Neg: !b.Neg, Mag: b.Mag})
}

func mulWide(a, b kernel.Wide) (r kernel.Wide, overflow bool) {
	hi, lo := bits.Mul64(a.Mag, b.Mag)
	return kernel.Wide{Neg: a.Neg != b.Neg, Mag: lo}, hi != 0
}

// unsigned returns the kernel of an operation whose result is unsigned because one operand is. The
// other operand may be signed.
func unsigned(c *expr.Call, op func(a, b kernel.Wide) (kernel.Wide, bool)) kernel.Kernel {
	ua, ub := kernel.ArgKind(c, 0) == types.KindU64, kernel.ArgKind(c, 1) == types.KindU64
	return kernel.TryBinary(func(rt *kernel.Runtime, a, b int64) (int64, bool, error) {
		r, over := op(kernel.Widen(a, ua), kernel.Widen(b, ub))
		if over || r.Neg && r.Mag != 0 {
			return 0, false, rt.OutOfRange(bigintUnsigned)
		}
		return int64(r.Mag), true, nil
	})
}

// signedDifference subtracts integers, one of which is unsigned. The result is signed.
func signedDifference(c *expr.Call) (kernel.Kernel, error) {
	ua, ub := kernel.ArgKind(c, 0) == types.KindU64, kernel.ArgKind(c, 1) == types.KindU64
	return kernel.TryBinary(func(rt *kernel.Runtime, a, b int64) (int64, bool, error) {
		r, over := subWide(kernel.Widen(a, ua), kernel.Widen(b, ub))
		switch {
		case r.Neg && r.Mag <= 1<<63 && !over:
			return int64(-r.Mag), true, nil
		case over || r.Mag > math.MaxInt64:
			return 0, false, rt.OutOfRange(bigint)
		}
		return int64(r.Mag), true, nil
	}), nil
}

// divInt implements DIV, which drops the fraction. Division by zero yields NULL.
func divInt(c *expr.Call) kernel.Kernel {
	ua, ub := kernel.ArgKind(c, 0) == types.KindU64, kernel.ArgKind(c, 1) == types.KindU64
	signed := !ua && !ub
	each := kernel.TryBinary(func(rt *kernel.Runtime, a, b int64) (int64, bool, error) {
		switch {
		case b == 0:
			rt.DivisionByZero()
			return 0, false, nil
		case signed && b == -1 && a == math.MinInt64:
			return 0, false, rt.OutOfRange(bigint)
		case signed:
			return a / b, true, nil
		}
		x, y := kernel.Widen(a, ua), kernel.Widen(b, ub)
		q := x.Mag / y.Mag
		if q != 0 && x.Neg != y.Neg {
			return 0, false, rt.OutOfRange(bigintUnsigned)
		}
		return int64(q), true, nil
	})
	return byConstant(c, each, func(d int64, r, a []int64) {
		by := kernel.NewDivision(uint64(d))
		by.All(r, a)
	})
}

// byConstant returns a kernel of signed integers. f computes them with a constant of at least 2,
// provided that all of them fit in 62 bits.
func byConstant(c *expr.Call, each kernel.Kernel, f func(d int64, r, a []int64)) kernel.Kernel {
	d, ok := expr.ConstInt(c.Args[1])
	if !ok || d < 2 || kernel.ArgKind(c, 0) != types.KindI64 {
		return each
	}
	return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		a := args[0].I64
		if args[0].Form == vec.Const || !kernel.MagnitudesBelow(62, a[:rt.N]) {
			return each(rt, args, out)
		}
		f(d, out.I64, a)
		return nil
	}
}

// modInt implements %. The remainder has the sign of the dividend.
func modInt(c *expr.Call) kernel.Kernel {
	ua, ub := kernel.ArgKind(c, 0) == types.KindU64, kernel.ArgKind(c, 1) == types.KindU64
	each := kernel.TryBinary(func(rt *kernel.Runtime, a, b int64) (int64, bool, error) {
		if b == 0 {
			rt.DivisionByZero()
			return 0, false, nil
		}
		x, y := kernel.Widen(a, ua), kernel.Widen(b, ub)
		r := int64(x.Mag % y.Mag)
		if x.Neg {
			r = -r
		}
		return r, true, nil
	})
	return byConstant(c, each, kernel.RemaindersBy)
}

func negI64(rt *kernel.Runtime, a int64) (int64, bool, error) {
	if a == math.MinInt64 {
		return 0, false, rt.OutOfRange(bigint)
	}
	return -a, true, nil
}

func negU64(rt *kernel.Runtime, a uint64) (int64, bool, error) {
	if a > 1<<63 {
		return 0, false, rt.OutOfRange(bigint)
	}
	return int64(-a), true, nil
}
