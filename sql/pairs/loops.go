package pairs

import "gsql/internal/simd"

// The loops here implement the loops of package simd in Go for the elements that it does not
// process.

// holds reports whether the predicate p holds for a and b.
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

// compareVectors compares whole words of elements. Three loops serve six predicates: the other
// three are their negations.
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

// basic returns the predicate Equal, Less or LessEqual, and the mask that flips its bits to those
// of p.
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
