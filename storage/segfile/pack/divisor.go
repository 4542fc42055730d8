package pack

import (
	"math"
	"math/bits"
)

// sampled is the number of values from which a common divisor is guessed.
const sampled = 64

// divisor divides multiples of a number by multiplying: with the inverse of its odd part modulo
// 2^64, after its power of two has been shifted out.
type divisor struct {
	of      uint64
	shift   int
	inverse uint64
	most    uint64 // the largest quotient
}

func newDivisor(of uint64) divisor {
	d := divisor{of: of, shift: bits.TrailingZeros64(of), most: math.MaxUint64 / of}
	odd := of >> d.shift
	d.inverse = odd // right in the lowest three bits; each step doubles their number
	for range 5 {
		d.inverse *= 2 - odd*d.inverse
	}
	return d
}

// quotient divides a multiple of d.
func (d *divisor) quotient(x uint64) uint64 { return x >> d.shift * d.inverse }

// divides reports whether x is a multiple of d.
func (d *divisor) divides(x uint64) bool {
	// A rotation keeps the bits that a shift would lose, so that the quotient gets too large.
	return bits.RotateLeft64(x*d.inverse, -d.shift) <= d.most
}

// divisorOf returns the greatest common divisor of the distances from lo, or 1 if values may differ
// by more than an int64 holds.
func divisorOf(values []int64, lo, hi int64) divisor {
	if uint64(hi)-uint64(lo) > math.MaxInt64 {
		return newDivisor(1)
	}
	d := uint64(hi - lo)
	for i := 0; i < len(values) && d > 1; i += max(1, len(values)/sampled) {
		d = gcd(uint64(values[i]-lo), d)
	}
	out := newDivisor(d)
	for _, x := range values {
		if out.of == 1 {
			break
		}
		if x := uint64(x - lo); !out.divides(x) {
			out = newDivisor(gcd(x, out.of))
		}
	}
	return out
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
