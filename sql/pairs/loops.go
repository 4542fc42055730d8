package pairs

import "gsql/internal/simd"

// The loops here are those of package simd in Go, for what it leaves.

// calculate gives a op b; the remainder of division by zero is zero.
func calculate[T simd.Element](op simd.Operation, a, b T) T {
	switch op {
	case simd.Add:
		return a + b
	case simd.Sub:
		return a - b
	case simd.Mul, simd.MulNarrow:
		return a * b
	}
	if b == 0 {
		return 0
	}
	return T(int64(a) % int64(b))
}

func vectors[T simd.Element](op simd.Operation, dst, a, b []T) {
	done := simd.Arithmetic(op, dst, a, b)
	dst, a, b = dst[done:], a[done:], b[done:]
	a, b = a[:len(dst)], b[:len(dst)]
	switch op {
	case simd.Add:
		for i, x := range a {
			dst[i] = x + b[i]
		}
	case simd.Sub:
		for i, x := range a {
			dst[i] = x - b[i]
		}
	case simd.Mul, simd.MulNarrow:
		for i, x := range a {
			dst[i] = x * b[i]
		}
	default:
		for i, x := range a {
			dst[i] = calculate(op, x, b[i])
		}
	}
}

func vectorConst[T simd.Element](op simd.Operation, dst, a []T, c T) {
	done := simd.ArithmeticConst(op, dst, a, c)
	dst, a = dst[done:], a[done:]
	a = a[:len(dst)]
	switch op {
	case simd.Add:
		for i, x := range a {
			dst[i] = x + c
		}
	case simd.Sub:
		for i, x := range a {
			dst[i] = x - c
		}
	case simd.Mul, simd.MulNarrow:
		for i, x := range a {
			dst[i] = x * c
		}
	default:
		for i, x := range a {
			dst[i] = calculate(op, x, c)
		}
	}
}

func constVector[T simd.Element](op simd.Operation, dst []T, c T, b []T) {
	done := simd.ConstArithmetic(op, dst, c, b)
	dst, b = dst[done:], b[done:]
	b = b[:len(dst)]
	for i, y := range b {
		dst[i] = calculate(op, c, y)
	}
}

// holds tells whether a and b compare as p says.
func holds[T simd.Element](a, b T, p simd.Predicate) bool {
	switch p {
	case simd.Equal:
		return a == b
	case simd.NotEqual:
		return a != b
	case simd.Less:
		return a < b
	case simd.LessEqual:
		return a <= b
	case simd.Greater:
		return a > b
	}
	return a >= b
}

// compareVectors compares whole words of elements. Three loops serve six predicates: the
// others are these negated.
func compareVectors[T simd.Element](dst []uint64, a, b []T, p simd.Predicate) {
	done := simd.Compare(dst, a, b, p)
	q, flip := basic(p)
	for w := done / 64; w < len(dst); w++ {
		word, a, b := uint64(0), (*[64]T)(a[64*w:]), (*[64]T)(b[64*w:])
		switch q {
		case simd.Equal:
			for i, x := range a {
				word |= bit(x == b[i]) << i
			}
		case simd.Less:
			for i, x := range a {
				word |= bit(x < b[i]) << i
			}
		default:
			for i, x := range a {
				word |= bit(x <= b[i]) << i
			}
		}
		dst[w] = word ^ flip
	}
}

func compareConst[T simd.Element](dst []uint64, a []T, c T, p simd.Predicate) {
	done := simd.CompareConst(dst, a, c, p)
	q, flip := basic(p)
	for w := done / 64; w < len(dst); w++ {
		word, a := uint64(0), (*[64]T)(a[64*w:])
		switch q {
		case simd.Equal:
			for i, x := range a {
				word |= bit(x == c) << i
			}
		case simd.Less:
			for i, x := range a {
				word |= bit(x < c) << i
			}
		default:
			for i, x := range a {
				word |= bit(x <= c) << i
			}
		}
		dst[w] = word ^ flip
	}
}

// basic gives the predicate Equal, Less or LessEqual and what turns its bits into those of p.
func basic(p simd.Predicate) (q simd.Predicate, flip uint64) {
	switch p {
	case simd.Equal, simd.Less, simd.LessEqual:
		return p, 0
	}
	return opposite[p], ^uint64(0)
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
