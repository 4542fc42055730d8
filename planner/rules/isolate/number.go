package isolate

import (
	"math/big"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// number is an exact value, v / 10^scale. The zero value is 0; v is immutable.
type number struct {
	v     *big.Int
	scale int
}

func whole(x int64) number { return number{v: big.NewInt(x)} }

// numberOf returns the value of a constant that is an integer or a decimal.
func numberOf(e expr.Expr) (number, bool) {
	k, ok := e.(*expr.Const)
	switch {
	case !ok || k.Value.Null:
		return number{}, false
	case isBigint(k):
		return whole(k.Value.I64), true
	case k.Value.Type.ID == types.Decimal:
		return number{k.Value.Dec.BigInt(), int(k.Value.Type.Scale)}.reduced(), true
	}
	return number{}, false
}

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// reduced drops trailing zeros after the point.
func (x number) reduced() number {
	ten := big.NewInt(10)
	for x.scale > 0 {
		q, r := new(big.Int).QuoRem(x.v, ten, new(big.Int))
		if r.Sign() != 0 {
			break
		}
		x = number{q, x.scale - 1}
	}
	return x
}

func (x number) sign() int {
	if x.v == nil {
		return 0
	}
	return x.v.Sign()
}

func (x number) isOne() bool { return x.scale == 0 && x.v.IsInt64() && x.v.Int64() == 1 }

func (x number) negative() number {
	if x.v == nil {
		return x
	}
	return number{new(big.Int).Neg(x.v), x.scale}
}

func (x number) times(y number) number {
	return number{new(big.Int).Mul(x.v, y.v), x.scale + y.scale}.reduced()
}

func (x number) plus(y number) number {
	if x.v == nil {
		return y
	}
	scale := max(x.scale, y.scale)
	a, b := new(big.Int).Mul(x.v, pow10(scale-x.scale)), new(big.Int).Mul(y.v, pow10(scale-y.scale))
	return number{a.Add(a, b), scale}.reduced()
}

// magnitude returns the absolute value as a float.
func (x number) magnitude() float64 {
	f, _ := new(big.Rat).SetFrac(new(big.Int).Abs(x.v), pow10(x.scale)).Float64()
	return f
}

// expr returns the value, which must fit, as an integer or a decimal constant.
func (x number) expr(decimal bool) expr.Expr {
	if !decimal {
		return &expr.Const{Value: catalog.Int(x.v.Int64())}
	}
	digits := len(new(big.Int).Abs(x.v).String())
	return &expr.Const{Value: catalog.Datum{Type: types.Dec(digits, x.scale), Dec: decimal128.FromBigInt(x.v)}}
}
