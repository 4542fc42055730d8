package expr

import (
	"gsql/sql/types"
)

func init() {
	bigint, double, text := types.T(types.Int64), types.T(types.Float64), types.T(types.String)
	for _, fn := range []FuncID{
		"sqrt", "exp", "ln", "log2", "log10", "sin", "cos", "tan", "cot", "asin", "acos", "degrees", "radians",
	} {
		Register(Sig{Name: fn, Min: 1, Max: 1, Resolve: Fixed(double, double)})
	}
	Register(
		Sig{Name: FuncAbs, Min: 1, Max: 1, Resolve: resolveNumber},
		Sig{Name: FuncSign, Min: 1, Max: 1, Resolve: resolveSign},
		Sig{Name: FuncCeil, Min: 1, Max: 1, Resolve: resolveWhole},
		Sig{Name: FuncFloor, Min: 1, Max: 1, Resolve: resolveWhole},
		Sig{Name: FuncRound, Min: 1, Max: 2, Resolve: resolveRound(1)},
		Sig{Name: FuncTruncate, Min: 2, Max: 2, Resolve: resolveRound(0)},
		Sig{Name: "pow", Min: 2, Max: 2, Resolve: Fixed(double, double)},
		Sig{Name: "log", Min: 1, Max: 2, Resolve: Fixed(double, double)},
		Sig{Name: "atan", Min: 1, Max: 2, Resolve: Fixed(double, double)},
		Sig{Name: "atan2", Min: 2, Max: 2, Resolve: Fixed(double, double)},
		Sig{Name: "pi", Resolve: Fixed(double)},
		Sig{Name: "rand", Max: 1, Resolve: Fixed(double, bigint), NullAware: true, Volatile: true},
		Sig{Name: FuncGreatest, Min: 2, Max: -1, Resolve: resolveExtreme},
		Sig{Name: FuncLeast, Min: 2, Max: -1, Resolve: resolveExtreme},
		Sig{Name: "crc32", Min: 1, Max: 1, Resolve: Fixed(types.T(types.Uint32), text)},
		Sig{Name: "bin", Min: 1, Max: 1, Resolve: resolveBits(text)},
		Sig{Name: "oct", Min: 1, Max: 1, Resolve: resolveBits(text)},
		Sig{Name: "bit_count", Min: 1, Max: 1, Resolve: resolveBits(bigint)},
		Sig{Name: "hex", Min: 1, Max: 1, Resolve: resolveHex},
		Sig{Name: "conv", Min: 3, Max: 3, Resolve: Fixed(text, text, bigint, bigint)},
	)
	Alias("ceiling", FuncCeil)
	Alias("power", "pow")
}

// resolveNumber keeps the argument's type as arithmetic sees it.
func resolveNumber(args []Expr) ([]types.Type, types.Type, error) {
	t := Number(args[0].Type())
	return []types.Type{t}, t, nil
}

func resolveSign(args []Expr) ([]types.Type, types.Type, error) {
	return []types.Type{Number(args[0].Type())}, types.T(types.Int64), nil
}

// bigintDigits is the number of digits that every BIGINT can hold.
const bigintDigits = 18

// resolveWhole types FLOOR and CEIL: exact numbers give BIGINT where it is wide
// enough.
func resolveWhole(args []Expr) ([]types.Type, types.Type, error) {
	t := Number(args[0].Type())
	want := []types.Type{t}
	switch {
	case t.ID != types.Decimal:
		return want, t, nil
	case t.WholeDigits() < bigintDigits: // rounding may add a digit
		return want, types.T(types.Int64), nil
	}
	return want, types.Dec(t.WholeDigits()+1, 0), nil
}

// resolveRound types ROUND and TRUNCATE: the type of the first argument, DECIMAL
// with as many digits after the point as a constant second argument leaves; grow is
// the digits that rounding may add before the point.
func resolveRound(grow int) Resolver {
	return func(args []Expr) ([]types.Type, types.Type, error) {
		t := Number(args[0].Type())
		want := []types.Type{t, types.T(types.Int64)}[:len(args)]
		if t.ID != types.Decimal {
			return want, t, nil
		}
		digits, known := int64(0), true
		if len(args) == 2 {
			digits, known = ConstInt(args[1])
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

// ConstInt returns the value of an integer literal that is not NULL.
func ConstInt(e Expr) (int64, bool) {
	c, ok := e.(*Const)
	if !ok || IsNull(c) || c.Value.Type.Kind() != types.KindI64 || c.Value.Type.IsTemporal() {
		return 0, false
	}
	return c.Value.I64, true
}

// ConstText returns the value of a string literal that is not NULL.
func ConstText(e Expr) (string, bool) {
	c, ok := e.(*Const)
	if !ok || IsNull(c) || !c.Value.Type.IsString() {
		return "", false
	}
	return c.Value.Str, true
}

// resolveExtreme types GREATEST and LEAST. All arguments compare as one type, which
// is the result's; a date compares with a string as dates do.
func resolveExtreme(args []Expr) ([]types.Type, types.Type, error) {
	result, dates := types.T(types.Null), types.T(types.Null)
	texts := 0
	for _, a := range args {
		t := a.Type()
		result = CommonType(result, t)
		if t.IsTemporal() {
			dates = CommonType(dates, t)
		} else if t.IsString() || IsNull(a) {
			texts++
		}
	}
	if dates.ID != types.Null && texts > 0 {
		var err error
		if result, err = extremeDate(dates, args); err != nil {
			return nil, result, err
		}
	}
	if result.ID == types.Null || result.ID == types.JSON {
		result = types.T(types.String)
	}
	want := make([]types.Type, len(args))
	for i := range want {
		want[i] = result
	}
	return want, result, nil
}

// extremeDate widens the temporal type t to hold the strings among args.
func extremeDate(t types.Type, args []Expr) (types.Type, error) {
	result := t
	for _, a := range args {
		switch {
		case a.Type().IsTemporal() || IsNull(a):
		case a.Type().IsString():
			s, err := temporalFor(t, a)
			if err != nil {
				return t, err
			}
			result = commonTemporal(result, s)
		default:
			return types.T(types.String), nil
		}
	}
	return result, nil
}

// resolveBits takes an integer's 64 bits.
func resolveBits(result types.Type) Resolver {
	return func(args []Expr) ([]types.Type, types.Type, error) {
		if args[0].Type().ID == types.Bytes && result.IsInteger() { // BIT_COUNT
			return []types.Type{AsIs}, result, nil
		}
		if args[0].Type().IsUnsigned() {
			return []types.Type{types.T(types.Uint64)}, result, nil
		}
		return []types.Type{types.T(types.Int64)}, result, nil
	}
}

// resolveHex: HEX writes the bytes of strings and the bits of numbers.
func resolveHex(args []Expr) ([]types.Type, types.Type, error) {
	text := types.T(types.String)
	if !args[0].Type().IsNumeric() {
		return []types.Type{text}, text, nil
	}
	return resolveBits(text)(args)
}
