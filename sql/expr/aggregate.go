package expr

import (
	"strings"

	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// sumDigits are the digits that MySQL adds to the precision of a summed DECIMAL.
const sumDigits = 22

// NewAgg returns a typed aggregate. It checks the number of arguments, converts them to the types
// that the aggregate computes with, and infers MySQL's result type. CountStar takes none,
// COUNT(DISTINCT) and GROUP_CONCAT one or more, the others exactly one.
//
// Errors: 1582 (argument count), 1235 (MIN and MAX of JSON).
func NewAgg(fn AggFn, args []Expr, distinct bool) (*Agg, error) {
	lo, hi := 1, 1
	switch {
	case fn == CountStar:
		lo, hi = 0, 0
	case fn == GroupConcat || fn == Count && distinct:
		hi = len(args)
	case fn == JSONObjectAgg:
		lo, hi = 2, 2
	}
	if len(args) < lo || len(args) > hi {
		return nil, sqlerr.New(sqlerr.WrongParamCountToNativeFct, "Incorrect parameter count in the call to native function '%s'", strings.ToLower(fn.String()))
	}
	a := &Agg{Fn: fn, Args: append([]Expr(nil), args...), Distinct: distinct}
	if err := a.resolve(); err != nil || a.T.ID != types.String {
		return a, err
	}
	c, _, err := CollationOf(a.Args[0])
	a.T = a.T.Collated(c)
	return a, err
}

// NewAverage is NewAgg for AVG and MEDIAN under a div_precision_increment.
func NewAverage(fn AggFn, args []Expr, distinct bool, increment int) (*Agg, error) {
	a, err := NewAgg(fn, args, distinct)
	if err == nil {
		a.T = avgType(HexNumber(args[0]).Type(), increment)
	}
	return a, err
}

// Averages reports whether an aggregate divides a sum by a number of values.
func (f AggFn) Averages() bool { return f == Avg || f == Median }

func (a *Agg) resolve() (err error) {
	convert := func(t types.Type) {
		for i := range a.Args {
			a.Args[i] = coerce(a.Args[i], t)
		}
	}
	switch a.Fn {
	case CountStar, Count:
		a.T = types.T(types.Int64)
	case Sum, Avg, Median:
		a.Args[0] = HexNumber(a.Args[0])
		arg := a.Args[0].Type()
		convert(Number(arg))
		a.T = sumType(arg)
		if a.Fn != Sum {
			a.T = avgType(arg, DefaultIncrement)
		}
	case Min, Max, First:
		a.T = a.Args[0].Type()
		if a.T.ID == types.JSON && a.Fn != First {
			return sqlerr.Unsupported(-1, "%s of JSON", a.Fn).WithHint("Aggregate a value extracted by JSON_EXTRACT or ->>, with CAST if it is a number.")
		}
	case GroupConcat:
		convert(types.T(types.String))
		a.T = types.T(types.String)
	case StddevPop, StddevSamp, VarPop, VarSamp:
		convert(types.T(types.Float64))
		a.T = types.T(types.Float64)
	case BitAnd, BitOr, BitXor:
		a.Args[0] = HexNumber(a.Args[0])
		if a.Args[0].Type().ID == types.Bytes {
			return sqlerr.Unsupported(-1, "%s of binary strings", a.Fn)
		}
		convert(types.T(types.Uint64))
		a.T = types.T(types.Uint64)
	case JSONArrayAgg:
		a.T = jsonType
		a.Args[0], err = arrayElement(a.Args[0])
	case JSONObjectAgg:
		a.T = jsonType
		var pair Expr
		pair, err = NewCall(FuncJSONPair, a.Args, -1)
		a.Args = []Expr{pair}
	}
	return err
}

func sumType(t types.Type) types.Type {
	if Number(t).IsFloat() {
		return types.T(types.Float64)
	}
	d := DecimalOf(t)
	shown := d.Shown()
	return types.Dec(int(shown.Prec)+sumDigits, int(shown.Scale)).Carrying(int(d.Scale))
}

func avgType(t types.Type, increment int) types.Type {
	if Number(t).IsFloat() {
		return types.T(types.Float64)
	}
	return averageType(DecimalOf(t), increment)
}
