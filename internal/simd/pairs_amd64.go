package simd

import "golang.org/x/sys/cpu"

var hasMasks = hasAVX512 && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW

// lanes are the loops over a type of elements, nil where there is none.
type lanes[T Element] struct {
	vv        [operations]func(dst, a, b *T, n int)
	vc        [operations]func(dst, a *T, b T, n int)
	cv        [operations]func(dst *T, a T, b *T, n int)
	compareVV [predicates]func(dst *uint64, a, b *T, n int)
	compareVC [predicates]func(dst *uint64, a *T, b T, n int)
}

var lanes32 = lanes[int32]{
	vv:        [operations]func(dst, a, b *int32, n int){addInt32VVAVX512, subInt32VVAVX512, mulInt32VVAVX512, remInt32VVAVX512, remSmallVVAVX512},
	vc:        [operations]func(dst, a *int32, b int32, n int){addInt32VCAVX512, subInt32VCAVX512, mulInt32VCAVX512, remInt32VCAVX512, remSmallVCAVX512},
	cv:        [operations]func(dst *int32, a int32, b *int32, n int){Sub: subInt32CVAVX512, Rem: remInt32CVAVX512, RemSmall: remSmallCVAVX512},
	compareVV: [predicates]func(dst *uint64, a, b *int32, n int){compareEqualInt32VVAVX512, compareLessInt32VVAVX512, compareLessEqualInt32VVAVX512, compareNotEqualInt32VVAVX512, compareGreaterEqualInt32VVAVX512, compareGreaterInt32VVAVX512},
	compareVC: [predicates]func(dst *uint64, a *int32, b int32, n int){compareEqualInt32VCAVX512, compareLessInt32VCAVX512, compareLessEqualInt32VCAVX512, compareNotEqualInt32VCAVX512, compareGreaterEqualInt32VCAVX512, compareGreaterInt32VCAVX512},
}

var lanes64 = lanes[int64]{
	vv:        [operations]func(dst, a, b *int64, n int){addInt64VVAVX512, subInt64VVAVX512, mulInt64VVAVX512},
	vc:        [operations]func(dst, a *int64, b int64, n int){addInt64VCAVX512, subInt64VCAVX512, mulInt64VCAVX512},
	cv:        [operations]func(dst *int64, a int64, b *int64, n int){Sub: subInt64CVAVX512},
	compareVV: [predicates]func(dst *uint64, a, b *int64, n int){compareEqualInt64VVAVX512, compareLessInt64VVAVX512, compareLessEqualInt64VVAVX512, compareNotEqualInt64VVAVX512, compareGreaterEqualInt64VVAVX512, compareGreaterInt64VVAVX512},
	compareVC: [predicates]func(dst *uint64, a *int64, b int64, n int){compareEqualInt64VCAVX512, compareLessInt64VCAVX512, compareLessEqualInt64VCAVX512, compareNotEqualInt64VCAVX512, compareGreaterEqualInt64VCAVX512, compareGreaterInt64VCAVX512},
}

var lanesFloat = lanes[float64]{
	vv:        [operations]func(dst, a, b *float64, n int){addFloat64VVAVX512, subFloat64VVAVX512, mulFloat64VVAVX512},
	vc:        [operations]func(dst, a *float64, b float64, n int){addFloat64VCAVX512, subFloat64VCAVX512, mulFloat64VCAVX512},
	cv:        [operations]func(dst *float64, a float64, b *float64, n int){Sub: subFloat64CVAVX512},
	compareVV: [predicates]func(dst *uint64, a, b *float64, n int){compareEqualFloat64VVAVX512, compareLessFloat64VVAVX512, compareLessEqualFloat64VVAVX512, compareNotEqualFloat64VVAVX512, compareGreaterEqualFloat64VVAVX512, compareGreaterFloat64VVAVX512},
	compareVC: [predicates]func(dst *uint64, a *float64, b float64, n int){compareEqualFloat64VCAVX512, compareLessFloat64VCAVX512, compareLessEqualFloat64VCAVX512, compareNotEqualFloat64VCAVX512, compareGreaterEqualFloat64VCAVX512, compareGreaterFloat64VCAVX512},
}

// lanesOf gives the loops of a type.
func lanesOf[T Element]() *lanes[T] {
	var l any
	switch any(T(0)).(type) {
	case int32:
		l = &lanes32
	case int64:
		l = &lanes64
	default:
		l = &lanesFloat
	}
	return l.(*lanes[T])
}

// whole gives how many of n elements the loops do.
func whole(n int) int {
	if !hasMasks {
		return 0
	}
	return n &^ 63
}

// Arithmetic computes the first elements of dst, whose length a and b have, and gives their
// number. What does not fit the type wraps around; remainders of division by zero are any.
func Arithmetic[T Element](op Operation, dst, a, b []T) (done int) {
	f := lanesOf[T]().vv[op]
	if done = whole(len(dst)); f == nil || done == 0 {
		return 0
	}
	_, _ = a[done-1], b[done-1]
	f(&dst[0], &a[0], &b[0], done)
	return done
}

// ArithmeticConst is Arithmetic with the constant c in the place of b.
func ArithmeticConst[T Element](op Operation, dst, a []T, c T) (done int) {
	f := lanesOf[T]().vc[op]
	if done = whole(len(dst)); f == nil || done == 0 {
		return 0
	}
	_ = a[done-1]
	f(&dst[0], &a[0], c, done)
	return done
}

// ConstArithmetic is Arithmetic with the constant c in the place of a.
func ConstArithmetic[T Element](op Operation, dst []T, c T, b []T) (done int) {
	f := lanesOf[T]().cv[op]
	if done = whole(len(dst)); f == nil || done == 0 {
		return 0
	}
	_ = b[done-1]
	f(&dst[0], c, &b[0], done)
	return done
}

// Compare sets bit i%64 of dst[i/64] to whether a[i] and b[i], none of them NaN, compare as p
// says, for the first elements of a, and gives their number, a multiple of 64.
func Compare[T Element](dst []uint64, a, b []T, p Predicate) (done int) {
	if done = whole(len(a)); done == 0 {
		return 0
	}
	_, _ = b[done-1], dst[(done-1)/64]
	lanesOf[T]().compareVV[p](&dst[0], &a[0], &b[0], done)
	return done
}

// CompareConst is Compare with the constant c in the place of b.
func CompareConst[T Element](dst []uint64, a []T, c T, p Predicate) (done int) {
	if done = whole(len(a)); done == 0 {
		return 0
	}
	_ = dst[(done-1)/64]
	lanesOf[T]().compareVC[p](&dst[0], &a[0], c, done)
	return done
}

// SumMasked adds those of the first done elements whose bits are set in mask. The sum wraps
// around.
func SumMasked(xs []int64, mask []uint64) (sum int64, done int) {
	if done = whole(len(xs)); done == 0 {
		return 0, 0
	}
	_ = mask[(done-1)/64]
	return sumMaskedAVX512(&xs[0], &mask[0], done), done
}

// LeastMasked gives the least of those of the first done elements whose bits are set in mask,
// all ones if there are none.
func LeastMasked(xs, mask []uint64) (least uint64, done int) {
	if done = whole(len(xs)); done == 0 {
		return 1<<64 - 1, 0
	}
	_ = mask[(done-1)/64]
	return leastMaskedAVX512(&xs[0], &mask[0], done), done
}
