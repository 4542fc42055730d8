package eval

import (
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/expr"
	"gsql/sql/types"
)

func init() {
	Register(
		Def{Name: expr.FuncAdd, Bind: bindSum(false), Narrow: ofDecimals},
		Def{Name: expr.FuncSub, Bind: bindSum(true), Narrow: ofDecimals},
		Def{Name: expr.FuncSignedSub, Bind: signedDifference},
		Def{Name: expr.FuncMul, Bind: bindProduct, Narrow: func(c *expr.Call) bool { return ofDecimals(c) && scaleDrop(c) <= 0 }},
		Def{Name: expr.FuncDiv, Bind: bindQuotient, Narrow: ofDecimals},
		Def{Name: expr.FuncMod, Bind: bindMod, Narrow: ofDecimals},
		Def{Name: expr.FuncIntDiv, Bind: bindDiv},
		Def{Name: expr.FuncNeg, Bind: bindNeg, Narrow: ofDecimal},
	)
}

func bindSum(sub bool) func(*expr.Call) (Kernel, error) {
	return func(c *expr.Call) (Kernel, error) {
		switch c.T.Kind() {
		case types.KindF64:
			if sub {
				return diffF64, nil
			}
			return sumF64, nil
		case types.KindDec:
			return sumDec(sub), nil
		case types.KindU64:
			if sub {
				return unsigned(c, subWide), nil
			}
			return unsigned(c, addWide), nil
		}
		return sumI64(sub), nil
	}
}

func bindProduct(c *expr.Call) (Kernel, error) {
	switch c.T.Kind() {
	case types.KindF64:
		return productF64, nil
	case types.KindDec:
		return productDec(c), nil
	case types.KindU64:
		return unsigned(c, mulWide), nil
	}
	return productI64, nil
}

func bindQuotient(c *expr.Call) (Kernel, error) {
	if c.T.Kind() == types.KindF64 {
		return TryBinary(quotientF64), nil
	}
	return quotientDec(c), nil
}

func bindMod(c *expr.Call) (Kernel, error) {
	switch c.T.Kind() {
	case types.KindF64:
		return TryBinary(modF64), nil
	case types.KindDec:
		return narrowMod(TryBinary(modDec)), nil
	}
	return modInt(c), nil
}

func bindDiv(c *expr.Call) (Kernel, error) {
	switch argKind(c, 0) {
	case types.KindF64:
		return TryBinary(divF64), nil
	case types.KindDec:
		return divDec(c), nil
	}
	return divInt(c), nil
}

func bindNeg(c *expr.Call) (Kernel, error) {
	switch argKind(c, 0) {
	case types.KindF64:
		return Unary(func(a float64) float64 { return -a }), nil
	case types.KindDec:
		return narrowFirst(narrowNegate, Unary(func(a decimal128.Num) decimal128.Num { return a.Negate() })), nil
	case types.KindU64:
		return TryUnary(negU64), nil
	}
	return TryUnary(negI64), nil
}
