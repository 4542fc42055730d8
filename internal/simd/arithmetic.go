package simd

// Arithmetic computes dst; a and b must be at least as long. Results that do not fit the type wrap
// around; remainders of division by zero are undefined.
func Arithmetic[T Element](op Operation, dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	if n := len(dst) &^ (perIteration - 1); n > 0 {
		if f := lanesOf[T]().arithmeticVV[op]; f != nil {
			f(&dst[0], &a[0], &b[0], n)
			dst, a, b = dst[n:], a[n:], b[n:]
		}
	}
	b = b[:len(a)]
	dst = dst[:len(a)]
	switch op {
	case Add:
		for i, x := range a {
			dst[i] = x + b[i]
		}
	case Sub:
		for i, x := range a {
			dst[i] = x - b[i]
		}
	case Mul, MulNarrow:
		for i, x := range a {
			dst[i] = x * b[i]
		}
	default:
		for i, x := range a {
			dst[i] = remainder(x, b[i])
		}
	}
}

// ArithmeticConst is Arithmetic with the constant c instead of b.
func ArithmeticConst[T Element](op Operation, dst, a []T, c T) {
	a = a[:len(dst)]
	if n := len(dst) &^ (perIteration - 1); n > 0 {
		if f := lanesOf[T]().arithmeticVC[op]; f != nil {
			f(&dst[0], &a[0], c, n)
			dst, a = dst[n:], a[n:]
		}
	}
	dst = dst[:len(a)]
	switch op {
	case Add:
		for i, x := range a {
			dst[i] = x + c
		}
	case Sub:
		for i, x := range a {
			dst[i] = x - c
		}
	case Mul, MulNarrow:
		for i, x := range a {
			dst[i] = x * c
		}
	default:
		for i, x := range a {
			dst[i] = remainder(x, c)
		}
	}
}

// ConstArithmetic is Arithmetic with the constant c instead of a.
func ConstArithmetic[T Element](op Operation, dst []T, c T, b []T) {
	if op != Sub && op < Rem {
		ArithmeticConst(op, dst, b, c)
		return
	}
	b = b[:len(dst)]
	if n := len(dst) &^ (perIteration - 1); n > 0 {
		if f := lanesOf[T]().arithmeticCV[op]; f != nil {
			f(&dst[0], c, &b[0], n)
			dst, b = dst[n:], b[n:]
		}
	}
	dst = dst[:len(b)]
	for i, y := range b {
		if op == Sub {
			dst[i] = c - y
		} else {
			dst[i] = remainder(c, y)
		}
	}
}

// Calculate returns a op b; the remainder of division by zero is zero.
func Calculate[T Element](op Operation, a, b T) T {
	switch op {
	case Add:
		return a + b
	case Sub:
		return a - b
	case Mul, MulNarrow:
		return a * b
	}
	return remainder(a, b)
}

func remainder[T Element](a, b T) T {
	if b == 0 {
		return 0
	}
	return T(int64(a) % int64(b))
}
