package expr

import (
	"strings"

	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// sumDigits are the digits that MySQL adds to the precision of a summed DECIMAL.
const sumDigits = 22

// NewAgg makes a typed aggregate: it checks the number of arguments, converts them
// to what the aggregate computes with and infers MySQL's result type. CountStar
// takes none, COUNT(DISTINCT) and GROUP_CONCAT one or more, the others exactly one.
//
// Errors: 1582 (argument count).
func NewAgg(fn AggFn, args []Expr, distinct bool) (*Agg, error) {
	lo, hi := 1, 1
	switch {
	case fn == CountStar:
		lo, hi = 0, 0
	case fn == GroupConcat || fn == Count && distinct:
		hi = len(args)
	}
	if len(args) < lo || len(args) > hi {
		return nil, sqlerr.New(sqlerr.WrongParamCountToNativeFct, "Incorrect parameter count in the call to native function '%s'", strings.ToLower(fn.String()))
	}
	a := &Agg{Fn: fn, Args: append([]Expr(nil), args...), Distinct: distinct}
	a.resolve()
	return a, nil
}

func (a *Agg) resolve() {
	convert := func(t types.Type) {
		for i := range a.Args {
			a.Args[i] = coerce(a.Args[i], t)
		}
	}
	switch a.Fn {
	case CountStar, Count:
		a.T = types.T(types.Int64)
	case Sum, Avg:
		arg := a.Args[0].Type()
		convert(Number(arg))
		a.T = sumType(arg)
		if a.Fn == Avg {
			a.T = avgType(arg)
		}
	case Min, Max, First:
		a.T = a.Args[0].Type()
	case GroupConcat:
		convert(types.T(types.String))
		a.T = types.T(types.String)
	case StddevPop, StddevSamp, VarPop, VarSamp:
		convert(types.T(types.Float64))
		a.T = types.T(types.Float64)
	case BitAnd, BitOr, BitXor:
		convert(types.T(types.Uint64))
		a.T = types.T(types.Uint64)
	}
}

func sumType(t types.Type) types.Type {
	if Number(t).IsFloat() {
		return types.T(types.Float64)
	}
	d := DecimalOf(t)
	return types.Dec(int(d.Prec)+sumDigits, int(d.Scale))
}

func avgType(t types.Type) types.Type {
	if Number(t).IsFloat() {
		return types.T(types.Float64)
	}
	d := DecimalOf(t)
	return types.Dec(int(d.Prec)+divPrecisionIncrement, int(d.Scale)+divPrecisionIncrement)
}
