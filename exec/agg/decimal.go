package agg

import (
	"math/big"

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
