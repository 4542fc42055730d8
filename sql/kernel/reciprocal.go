package kernel

import "math/bits"

// reciprocal divides numbers below 2^63 by a constant without a division instruction: it takes the
// upper half of their product with 2^(63+l)/d rounded up, where 2^(l-1) < d <= 2^l (Granlund and
// Montgomery, "Division by Invariant Integers using Multiplication", 1994, section 4).
type reciprocal struct {
	factor uint64
	shift  uint8
}

// newReciprocal returns the reciprocal of d, 2 <= d <= 2^63.
func newReciprocal(d uint64) reciprocal {
	l := bits.Len64(d - 1)
	q, rest := bits.Div64(1<<(l-1), 0, d) // 2^(63+l) is 2^(l-1) in the upper word
	if rest > 0 {
		q++
	}
	return reciprocal{q, uint8(l - 1)}
}

// quotient returns n / d.
func (r reciprocal) quotient(n uint64) uint64 {
	hi, _ := bits.Mul64(n, r.factor)
	return hi >> (r.shift & 63)
}
