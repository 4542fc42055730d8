package operator

import (
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
)

func registerArith() {
	kernel.Register(
		kernel.Def{Name: expr.FuncAdd, Bind: bindSum(false), Narrow: kernel.OfDecimals},
		kernel.Def{Name: expr.FuncSub, Bind: bindSum(true), Narrow: kernel.OfDecimals},
		kernel.Def{Name: expr.FuncSignedSub, Bind: signedDifference},
		kernel.Def{Name: expr.FuncMul, Bind: bindProduct, Narrow: func(c *expr.Call) bool { return kernel.OfDecimals(c) && scaleDrop(c) <= 0 }},
		kernel.Def{Name: expr.FuncDiv, Bind: bindQuotient, Narrow: kernel.OfDecimals},
		kernel.Def{Name: expr.FuncMod, Bind: bindMod, Narrow: kernel.OfDecimals},
		kernel.Def{Name: expr.FuncIntDiv, Bind: bindDiv},
		kernel.Def{Name: expr.FuncNeg, Bind: bindNeg, Narrow: kernel.OfDecimal},
	)
}

func bindSum(sub bool) func(*expr.Call) (kernel.Kernel, error) {
	return func(c *expr.Call) (kernel.Kernel, error) {
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

func bindProduct(c *expr.Call) (kernel.Kernel, error) {
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

func bindQuotient(c *expr.Call) (kernel.Kernel, error) {
	if c.T.Kind() == types.KindF64 {
		return kernel.TryBinary(quotientF64), nil
	}
	return quotientDec(c), nil
}

func bindMod(c *expr.Call) (kernel.Kernel, error) {
	switch c.T.Kind() {
	case types.KindF64:
		return kernel.TryBinary(modF64), nil
	case types.KindDec:
		return narrowMod(kernel.TryBinary(modDec)), nil
	}
	return modInt(c), nil
}

func bindDiv(c *expr.Call) (kernel.Kernel, error) {
	switch kernel.ArgKind(c, 0) {
	case types.KindF64:
		return kernel.TryBinary(divF64), nil
	case types.KindDec:
		return divDec(c), nil
	}
	return divInt(c), nil
}

func bindNeg(c *expr.Call) (kernel.Kernel, error) {
	switch kernel.ArgKind(c, 0) {
	case types.KindF64:
		return kernel.Unary(func(a float64) float64 { return -a }), nil
	case types.KindDec:
		return kernel.NarrowFirst(kernel.NarrowNegate, kernel.Unary(func(a decimal128.Num) decimal128.Num { return a.Negate() })), nil
	case types.KindU64:
		return kernel.TryUnary(negU64), nil
	}
	return kernel.TryUnary(negI64), nil
}
