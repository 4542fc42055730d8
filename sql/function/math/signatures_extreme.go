package math

import (
	"gsql/sql/expr"
	"gsql/sql/types"
)

// registerExtremeSignatures registers the signatures of GREATEST and LEAST.
func registerExtremeSignatures() {
	for _, fn := range []expr.FuncID{expr.FuncGreatest, expr.FuncLeast} {
		expr.Register(expr.Sig{
			Name: fn, Min: 2, Max: -1, Resolve: resolveExtreme, Build: newExtreme(fn), Carries: true, Compares: expr.FuncCollatedPair,
		})
	}
}

// resolveExtreme infers the types of GREATEST and LEAST. All arguments are compared in one type,
// which is that of the result; a date and a string are compared as dates.
func resolveExtreme(args []expr.Expr) ([]types.Type, types.Type, error) {
	result, dates := types.T(types.Null), types.T(types.Null)
	texts := 0
	if amongNumbers(args) {
		for i, a := range args {
			args[i] = expr.HexNumber(a)
		}
	}
	for _, a := range args {
		t := a.Type()
		result = expr.CommonType(result, t)
		if t.IsTemporal() {
			dates = expr.CommonType(dates, t)
		} else if t.IsString() || expr.IsNull(a) {
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

// amongNumbers reports whether there are numbers among the arguments, and no texts but hexadecimal literals.
func amongNumbers(args []expr.Expr) (numbers bool) {
	for _, a := range args {
		switch t := a.Type(); {
		case t.IsNumeric():
			numbers = true
		case !expr.IsHex(a) && !expr.IsNull(a):
			return false
		}
	}
	return numbers
}

// extremeDate widens the temporal type t so that it holds the strings among args.
func extremeDate(t types.Type, args []expr.Expr) (types.Type, error) {
	result := t
	for _, a := range args {
		switch {
		case a.Type().IsTemporal() || expr.IsNull(a):
		case a.Type().IsString():
			s, err := expr.TemporalFor(t, a)
			if err != nil {
				return t, err
			}
			result = expr.CommonType(result, s)
		default:
			return types.T(types.String), nil
		}
	}
	return result, nil
}

// newExtreme builds GREATEST and LEAST. Texts with a collation are replaced by pairs, and the text
// is extracted from the resulting pair.
func newExtreme(fn expr.FuncID) func(args []expr.Expr, pos int) (expr.Expr, error) {
	return func(args []expr.Expr, pos int) (expr.Expr, error) {
		e, err := expr.Lookup(fn).Call(args, pos)
		if err != nil {
			return nil, err
		}
		for _, a := range args {
			if call, ok := a.(*expr.Call); ok && call.Fn == expr.FuncCollatedPair {
				e.(*expr.Call).T = call.T
				return expr.CollatedValue(e), nil
			}
		}
		return e, nil
	}
}
