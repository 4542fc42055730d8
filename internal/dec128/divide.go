package dec128

import (
	"math/big"
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow/decimal128"
)

// divmod divides a 128-bit magnitude by a 64-bit one.
func divmod(hi, lo, d uint64) (qhi, qlo, rem uint64) {
	qhi, rem = hi/d, hi%d
	qlo, rem = bits.Div64(rem, lo, d)
	return qhi, qlo, rem
}

// Div returns a * 10^k / b rounded half away from zero; ok is false if it has more than 38 digits.
// k may be negative; b must not be zero.
func Div(a Num, k int, b Num) (Num, bool) { return div(a, k, b, true) }

// Quo returns a * 10^k / b truncated; ok is false if it has more than 38 digits. k may be negative;
// b must not be zero.
func Quo(a Num, k int, b Num) (Num, bool) { return div(a, k, b, false) }

func div(a Num, k int, b Num, round bool) (Num, bool) {
	neg := (a.HighBits() < 0) != (b.HighBits() < 0)
	ahi, alo := abs(a)
	bhi, blo := abs(b)
	if bhi != 0 || ahi != 0 || k < 0 || k > MaxWordPower {
		return divBig(a, k, b, round)
	}
	hi, lo := bits.Mul64(alo, pow10Words[k])
	qhi, qlo, rem := divmod(hi, lo, blo)
	if round && rem >= blo-rem {
		var c uint64
		qlo, c = bits.Add64(qlo, 1, 0)
		qhi += c
	}
	if int64(qhi) < 0 {
		return Num{}, false
	}
	n := signed(neg, qhi, qlo)
	return n, Valid(n)
}

// Rem returns the remainder of a / b with the sign of a. b must not be zero.
func Rem(a, b Num) Num {
	if IsInt64(a) && IsInt64(b) {
		_, al := abs(a)
		_, bl := abs(b)
		return signed(a.HighBits() < 0, 0, al%bl)
	}
	return decimal128.FromBigInt(new(big.Int).Rem(a.BigInt(), b.BigInt()))
}

func divBig(a Num, k int, b Num, round bool) (Num, bool) {
	x, y := a.BigInt(), b.BigInt()
	if k >= 0 {
		x.Mul(x, bigPow10(k))
	} else {
		y.Mul(y, bigPow10(-k))
	}
	if round {
		return roundQuo(x, y)
	}
	return fromBig(x.Quo(x, y))
}

// roundQuo returns x / y rounded half away from zero; it overwrites both.
func roundQuo(x, y *big.Int) (Num, bool) {
	neg := x.Sign()*y.Sign() < 0
	r := new(big.Int)
	x.QuoRem(x.Abs(x), y.Abs(y), r)
	if r.Lsh(r, 1).Cmp(y) >= 0 {
		x.Add(x, big.NewInt(1))
	}
	if neg {
		x.Neg(x)
	}
	return fromBig(x)
}

func bigPow10(k int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(k)), nil)
}

// MulDown returns a * b / 10^k rounded half away from zero; ok is false if it has more than 38
// digits.
func MulDown(a, b Num, k int) (Num, bool) {
	if p, ok := Mul(a, b); ok && k <= MaxDigits {
		return Down(p, k), true
	}
	x := a.BigInt()
	x.Mul(x, b.BigInt())
	return roundQuo(x, bigPow10(k))
}

func fromBig(x *big.Int) (Num, bool) {
	if x.BitLen() > 127 {
		return Num{}, false
	}
	n := decimal128.FromBigInt(x)
	return n, Valid(n)
}

// Rescale converts n from one scale to another: it multiplies by a power of ten, or divides and
// rounds half away from zero. ok is false if the result has more than 38 digits.
func Rescale(n Num, from, to int) (Num, bool) {
	switch {
	case from == to:
		return n, true
	case to > from:
		if to-from > MaxDigits {
			return Num{}, n == Num{}
		}
		return Mul(n, pow10[to-from])
	case from-to > MaxDigits:
		return Num{}, true
	}
	return Down(n, from-to), true
}

// Down returns n / 10^k rounded half away from zero, 0 <= k <= 38.
func Down(n Num, k int) Num {
	q, r := split(n, k)
	if r.HighBits() < 0 {
		r = r.Negate()
	}
	twice := r.Add(r) // below 2 * 10^38 < 2^128: compared as unsigned
	p := pow10[k]
	if k > 0 && (uint64(twice.HighBits()) > uint64(p.HighBits()) || twice.HighBits() == p.HighBits() && twice.LowBits() >= p.LowBits()) {
		one := decimal128.FromI64(1)
		if n.HighBits() < 0 {
			return q.Sub(one)
		}
		return q.Add(one)
	}
	return q
}

// Trunc returns n / 10^k truncated, 0 <= k <= 38.
func Trunc(n Num, k int) Num {
	q, _ := split(n, k)
	return q
}

// Floor returns n / 10^k rounded towards minus infinity, 0 <= k <= 38.
func Floor(n Num, k int) Num {
	q, r := split(n, k)
	if r.HighBits() < 0 {
		return q.Sub(decimal128.FromI64(1))
	}
	return q
}

// split returns quotient and remainder of n / 10^k; both have the sign of n.
func split(n Num, k int) (q, r Num) {
	if k == 0 {
		return n, Num{}
	}
	neg := n.HighBits() < 0
	hi, lo := abs(n)
	if k <= MaxWordPower {
		qhi, qlo, rem := divmod(hi, lo, pow10Words[k])
		return signed(neg, qhi, qlo), signed(neg, 0, rem)
	}
	return n.Div(pow10[k])
}
