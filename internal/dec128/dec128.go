// Package dec128 computes with unscaled 128-bit decimals (Arrow's Decimal128): exact,
// with overflow detection at MaxDigits digits and rounding half away from zero, as
// MySQL's DECIMAL does. Values that fit 64 bits take fast paths.
package dec128

import (
	"math/big"
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/simd"
)

// Num is Arrow's 128-bit two's complement integer.
type Num = decimal128.Num

// MaxDigits is the maximum number of decimal digits of a value.
const MaxDigits = 38

// MaxWordPower is the largest n for which 10^n fits in 64 bits without a sign.
const MaxWordPower = 19

var pow10 = func() (p [MaxDigits + 1]Num) {
	x := big.NewInt(1)
	for i := range p {
		p[i] = decimal128.FromBigInt(x)
		x.Mul(x, big.NewInt(10))
	}
	return p
}()

var pow10Words = func() (p [MaxWordPower + 1]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// Pow10 returns 10^n for 0 <= n <= 38.
func Pow10(n int) Num { return pow10[n] }

// Pow10Word returns 10^n for 0 <= n <= MaxWordPower.
func Pow10Word(n int) uint64 { return pow10Words[n] }

// IsInt64 reports whether n fits in an int64.
func IsInt64(n Num) bool { return n.HighBits() == int64(n.LowBits())>>63 }

// Width returns the number of bits, without the sign, of the longest of some integers.
func Width(xs []int64) int { return bits.Len64(simd.Magnitudes(xs)) }

// Valid reports whether n has at most MaxDigits digits.
func Valid(n Num) bool { return Fits(n, MaxDigits) }

// Fits reports whether n has at most the given number of digits (1 to 38).
func Fits(n Num, digits int) bool {
	hi, lo := abs(n)
	p := pow10[digits]
	phi, plo := uint64(p.HighBits()), p.LowBits()
	return hi < phi || hi == phi && lo < plo
}

// abs returns the magnitude as an unsigned 128-bit number.
func abs(n Num) (hi, lo uint64) {
	hi, lo = uint64(n.HighBits()), n.LowBits()
	if int64(hi) < 0 {
		var c uint64
		lo, c = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, c)
	}
	return hi, lo
}

// signed makes a number of a magnitude below 2^127 and a sign.
func signed(neg bool, hi, lo uint64) Num {
	if neg {
		var c uint64
		lo, c = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, c)
	}
	return decimal128.New(int64(hi), lo)
}

// Add returns a + b; ok is false if the sum has more than 38 digits. Both must be valid.
func Add(a, b Num) (sum Num, ok bool) {
	lo, c := bits.Add64(a.LowBits(), b.LowBits(), 0)
	hi, _ := bits.Add64(uint64(a.HighBits()), uint64(b.HighBits()), c)
	sum = decimal128.New(int64(hi), lo)
	// The sum of two valid numbers is below 2^127.6: the sign reveals an overflow of 128 bits, and
	// smallHigh avoids the comparison with 10^38 for most sums.
	if smallHigh(hi) {
		return sum, true
	}
	if (a.HighBits() < 0) == (b.HighBits() < 0) && (int64(hi) < 0) != (a.HighBits() < 0) {
		return sum, false
	}
	return sum, Valid(sum)
}

// smallHigh reports whether the high word is that of a number well below 10^38.
func smallHigh(hi uint64) bool { return hi+1<<61 < 1<<62 }

// Sub returns a - b; ok is false if the difference has more than 38 digits.
func Sub(a, b Num) (Num, bool) { return Add(a, b.Negate()) }

// Mul returns a * b; ok is false if the product has more than 38 digits.
func Mul(a, b Num) (Num, bool) {
	if IsInt64(a) && IsInt64(b) {
		return MulInt64(int64(a.LowBits()), int64(b.LowBits())), true
	}
	ahi, alo := abs(a)
	bhi, blo := abs(b)
	if ahi != 0 && bhi != 0 {
		return Num{}, false
	}
	hi, lo := bits.Mul64(alo, blo)
	// One of the high words is zero, and so is one cross product.
	over, cross := bits.Mul64(ahi, blo)
	over2, cross2 := bits.Mul64(alo, bhi)
	hi, c := bits.Add64(hi, cross+cross2, 0)
	if over|over2|c != 0 || int64(hi) < 0 {
		return Num{}, false
	}
	n := signed((a.HighBits() < 0) != (b.HighBits() < 0), hi, lo)
	return n, Valid(n)
}

// MulInt64 returns a * b, which is exact: (2^63)^2 = 2^126 < 10^38.
func MulInt64(a, b int64) Num {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	// Correct the unsigned product for negative factors in two's complement.
	hi -= uint64(a>>63) & uint64(b)
	hi -= uint64(b>>63) & uint64(a)
	return decimal128.New(int64(hi), lo)
}

// Cmp returns -1, 0 or 1.
func Cmp(a, b Num) int {
	ah, bh := a.HighBits(), b.HighBits()
	if ah != bh {
		if ah < bh {
			return -1
		}
		return 1
	}
	al, bl := a.LowBits(), b.LowBits()
	switch {
	case al < bl:
		return -1
	case al > bl:
		return 1
	}
	return 0
}

// CmpScaled compares a / 10^sa with b / 10^sb.
func CmpScaled(a Num, sa int, b Num, sb int) int {
	if sa < sb {
		return -CmpScaled(b, sb, a, sa)
	}
	up, ok := Mul(b, pow10[sa-sb])
	if ok {
		return Cmp(a, up)
	}
	// b has more integer digits than any valid a.
	if b.HighBits() < 0 {
		return 1
	}
	return -1
}
