package accum

import (
	"math/big"
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// rescale changes a value's scale, rounding half away from zero; ok is false when the
// result has more than 38 digits.
func rescale(x decimal128.Num, from, to int) (y decimal128.Num, ok bool) {
	if from == to {
		return x, x.FitsInPrecision(types.MaxPrecision)
	}
	return quotient(x, 1, from, to)
}

// quotient gives x/n at scale to for an x of scale from, rounded half away from zero.
func quotient(x decimal128.Num, n int64, from, to int) (q decimal128.Num, ok bool) {
	if x.HighBits() == int64(x.LowBits())>>63 && to >= from && to-from < len(powers) {
		return quotient64(int64(x.LowBits()), n, powers[to-from])
	}
	num, den := x.BigInt(), big.NewInt(n)
	if to >= from {
		num.Mul(num, pow10(to-from))
	} else {
		den.Mul(den, pow10(from-to))
	}
	negative := num.Sign() < 0
	num.Abs(num)
	num.Lsh(num, 1).Add(num, den)
	num.Quo(num, den.Lsh(den, 1))
	if negative {
		num.Neg(num)
	}
	if num.BitLen() > 127 {
		return q, false
	}
	q = decimal128.FromBigInt(num)
	return q, q.FitsInPrecision(types.MaxPrecision)
}

// powers are the powers of ten that 64 bits hold.
var powers = func() (p [20]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = 10 * p[i-1]
	}
	return p
}()

// quotient64 gives x*scale/n, rounded half away from zero, without big numbers.
func quotient64(x, n int64, scale uint64) (decimal128.Num, bool) {
	abs := uint64(x)
	if x < 0 {
		abs = -abs
	}
	hi, lo := bits.Mul64(abs, scale)
	den := uint64(n)
	qhi, rest := hi/den, hi%den
	qlo, rest := bits.Div64(rest, lo, den)
	if rest >= den-rest {
		var carry uint64
		qlo, carry = bits.Add64(qlo, 1, 0)
		qhi += carry
	}
	q := decimal128.New(int64(qhi), qlo)
	if x < 0 {
		q = q.Negate()
	}
	return q, q.FitsInPrecision(types.MaxPrecision)
}

func pow10(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// put writes a decimal of dst's scale to slot i of dst, which may be of another kind
// where a plan wants that; false when it does not fit.
func put(dst *vec.Vector, i int, x decimal128.Num) bool {
	switch dst.Type.Kind() {
	case types.KindDec:
		dst.Dec[i] = x
	case types.KindF64:
		dst.F64[i] = x.ToFloat64(0)
	case types.KindI64:
		dst.I64[i] = int64(x.LowBits())
		return x.HighBits() == dst.I64[i]>>63
	case types.KindU64:
		dst.I64[i] = int64(x.LowBits())
		return x.HighBits() == 0
	}
	return true
}
