package math

import (
	"gsql/sql/expr"
	"gsql/sql/types"
)

// registerSignatures registers the signatures of the functions of numbers.
func registerSignatures() {
	bigint, double, text := types.T(types.Int64), types.T(types.Float64), types.T(types.String)
	for _, fn := range []expr.FuncID{
		"sqrt", "exp", "ln", "log2", "log10", "sin", "cos", "tan", "cot", "asin", "acos", "degrees", "radians",
	} {
		expr.Register(expr.Sig{Name: fn, Min: 1, Max: 1, Resolve: expr.Fixed(double, double)})
	}
	expr.Register(
		expr.Sig{Name: expr.FuncAbs, Min: 1, Max: 1, Resolve: resolveNumber, Carries: true},
		expr.Sig{Name: expr.FuncSign, Min: 1, Max: 1, Resolve: resolveSign, Carries: true},
		expr.Sig{Name: expr.FuncCeil, Min: 1, Max: 1, Resolve: resolveWhole, Carries: true},
		expr.Sig{Name: expr.FuncFloor, Min: 1, Max: 1, Resolve: resolveWhole, Carries: true},
		expr.Sig{Name: expr.FuncRound, Min: 1, Max: 2, Resolve: resolveRound(1), Carries: true},
		expr.Sig{Name: expr.FuncTruncate, Min: 2, Max: 2, Resolve: resolveRound(0), Carries: true},
		expr.Sig{Name: expr.FuncFormat, Min: 2, Max: 3, Resolve: resolveFormat, Build: newFormat, Carries: true},
		expr.Sig{Name: "uuid", Resolve: expr.Fixed(text), Volatile: true},
		expr.Sig{Name: "pow", Min: 2, Max: 2, Resolve: expr.Fixed(double, double)},
		expr.Sig{Name: "log", Min: 1, Max: 2, Resolve: expr.Fixed(double, double)},
		expr.Sig{Name: "atan", Min: 1, Max: 2, Resolve: expr.Fixed(double, double)},
		expr.Sig{Name: "atan2", Min: 2, Max: 2, Resolve: expr.Fixed(double, double)},
		expr.Sig{Name: "pi", Resolve: expr.Fixed(double)},
		expr.Sig{Name: "rand", Max: 1, Resolve: expr.Fixed(double, bigint), NullAware: true, Volatile: true},
	)
	registerExtremeSignatures()
	expr.Alias("ceiling", expr.FuncCeil)
	expr.Alias("power", "pow")
}

// resolveNumber keeps the argument's type in arithmetic.
func resolveNumber(args []expr.Expr) ([]types.Type, types.Type, error) {
	t := expr.Number(args[0].Type())
	return []types.Type{t}, t, nil
}

func resolveSign(args []expr.Expr) ([]types.Type, types.Type, error) {
	return []types.Type{expr.Number(args[0].Type())}, types.T(types.Int64), nil
}

// bigintDigits is the number of digits that every BIGINT can hold.
const bigintDigits = 18

// resolveWhole infers the types of FLOOR and CEIL: exact numbers become BIGINT if that is wide
// enough.
func resolveWhole(args []expr.Expr) ([]types.Type, types.Type, error) {
	t := expr.Number(args[0].Type())
	want := []types.Type{t}
	switch {
	case t.ID != types.Decimal:
		return want, t, nil
	case t.WholeDigits() < bigintDigits: // rounding may add a digit
		return want, types.T(types.Int64), nil
	}
	return want, types.Dec(t.WholeDigits()+1, 0), nil
}

// resolveRound infers the types of ROUND and TRUNCATE. The result has the type of the first
// argument; a DECIMAL keeps as many digits after the point as a constant second argument leaves.
// grow is the number of digits that rounding may add before the point.
func resolveRound(grow int) expr.Resolver {
	return func(args []expr.Expr) ([]types.Type, types.Type, error) {
		t := expr.Number(args[0].Type())
		want := []types.Type{t, types.T(types.Int64)}[:len(args)]
		if t.ID != types.Decimal {
			return want, t, nil
		}
		digits, known := int64(0), true
		if len(args) == 2 {
			digits, known = expr.ConstInt(args[1])
		}
		if !known {
			want[0] = t.Shown()
			return want, want[0], nil
		}
		scale := max(min(digits, int64(t.Scale)), 0)
		prec := t.WholeDigits() + int(scale)
		if digits < int64(t.Scale) {
			prec += grow
		}
		return want, types.Dec(prec, int(scale)), nil
	}
}

// newFormat omits a locale that is NULL.
func newFormat(a []expr.Expr, pos int) (expr.Expr, error) {
	if len(a) == 3 && expr.IsNull(a[2]) {
		a = a[:2]
	}
	return expr.Lookup(expr.FuncFormat).Call(a, pos)
}

// resolveFormat infers the types of FORMAT, which rounds decimals exactly and DOUBLEs as ROUND
// does.
func resolveFormat(args []expr.Expr) ([]types.Type, types.Type, error) {
	t := expr.Number(args[0].Type())
	if !t.IsFloat() {
		t = expr.DecimalOf(t)
	}
	want := []types.Type{t, types.T(types.Int64), types.T(types.String)}
	return want[:len(args)], types.T(types.String), nil
}
