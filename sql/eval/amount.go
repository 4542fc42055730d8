package eval

import (
	"math/big"
	"sync"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/catalog"
	"gsql/sql/types"
)

// amount is an exact number n / 10^scale of any size, a value that is not an exact number, or
// NULL.
type amount struct {
	n     *big.Int // nil if the value is not an exact number
	scale int
	other *catalog.Datum // nil for NULL and numbers
}

func (a amount) null() bool { return a.n == nil && a.other == nil }

func whole(x int64) amount { return amount{n: big.NewInt(x)} }

func amountOf(d catalog.Datum) amount {
	switch {
	case d.Null || d.Type.ID == types.Null:
		return amount{}
	case d.Type.ID == types.Decimal:
		return amount{n: d.Dec.BigInt(), scale: int(d.Type.Scale)}
	case !d.Type.IsInteger():
		return amount{other: &d}
	case d.Type.IsUnsigned():
		return amount{n: new(big.Int).SetUint64(uint64(d.I64))}
	}
	return whole(d.I64)
}

// as converts a to type t; ok is false if the value is out of t's range.
func (a amount) as(t types.Type) (d catalog.Datum, ok bool) {
	switch {
	case a.null():
		return catalog.NullOf(t), true
	case a.n == nil:
		return *a.other, true
	}
	d.Type = t
	switch t.Kind() {
	case types.KindDec:
		n := a.rescaled(int(t.Scale)).n
		if n.CmpAbs(tens(types.MaxPrecision)) >= 0 {
			return d, false
		}
		d.Dec = decimal128.FromBigInt(n)
		return d, true
	case types.KindU64:
		n := a.rescaled(0).n
		d.I64 = int64(n.Uint64())
		return d, n.IsUint64()
	}
	n := a.rescaled(0).n
	d.I64 = n.Int64()
	return d, n.IsInt64()
}

// powers holds the powers of ten that words of digits need.
var powers = sync.OnceValue(func() (p [2 * 81]*big.Int) {
	for n := range p {
		p[n] = new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
	}
	return p
})

// tens returns 10^n, which must not be changed.
func tens(n int) *big.Int {
	if p := powers(); n < len(p) {
		return p[n]
	}
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// rescaled returns a with the given scale, rounding half away from zero.
func (a amount) rescaled(scale int) amount {
	if scale >= a.scale {
		return a.raised(scale)
	}
	unit := tens(a.scale - scale)
	half := new(big.Int).Rsh(unit, 1)
	if a.n.Sign() < 0 {
		half.Neg(half)
	}
	n := half.Add(half, a.n)
	return amount{n: n.Quo(n, unit), scale: scale}
}

// raised returns a with at least the given scale.
func (a amount) raised(scale int) amount {
	if scale <= a.scale {
		return a
	}
	return amount{n: new(big.Int).Mul(a.n, tens(scale-a.scale)), scale: scale}
}

// cutOff returns a with at most the given scale, truncating further digits.
func (a amount) cutOff(scale int) amount {
	if scale >= a.scale {
		return a
	}
	return amount{n: new(big.Int).Quo(a.n, tens(a.scale-scale)), scale: scale}
}

// digits returns the number of digits before the decimal point.
func (a amount) digits() int {
	whole := a.cutOff(0).n
	if whole.Sign() == 0 {
		return 0
	}
	return len(new(big.Int).Abs(whole).String())
}

// mostDigits is at least the number of digits before the decimal point.
func (a amount) mostDigits() int {
	const log2 = 0.30103 // rounded up
	return max(0, int(float64(a.n.BitLen())*log2)+1-a.scale)
}

// aligned returns both numbers at the larger of their scales.
func aligned(a, b amount) (amount, amount) { return a.raised(b.scale), b.raised(a.scale) }

func (a amount) cmp(b amount) int {
	a, b = aligned(a, b)
	return a.n.Cmp(b.n)
}
