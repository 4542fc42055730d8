package lower

import (
	"errors"
	"fmt"

	"gsql/gpu/pipeline"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// ofDay holds the functions of DATETIME that depend only on the day.
var ofDay = map[expr.FuncID]bool{
	expr.FuncDate: true, expr.FuncDay: true, expr.FuncDayOfWeek: true, expr.FuncDayOfYear: true, expr.FuncLastDay: true, expr.FuncMonth: true,
	expr.FuncQuarter: true, expr.FuncToDays: true, expr.FuncWeek: true, expr.FuncWeekOfYear: true, expr.FuncWeekday: true, expr.FuncYear: true,
	expr.FuncYearWeek: true,
}

// ofTime holds the functions of the time of day in microseconds: the divisor, and the modulus of
// the quotient.
var ofTime = map[expr.FuncID][2]int64{
	expr.FuncHour: {3600e6, 24}, expr.FuncMinute: {60e6, 60}, expr.FuncSecond: {1e6, 60}, expr.FuncMicrosecond: {1, 1e6},
}

// dayParts converts functions of DATETIME.
type dayParts struct{ *scalars }

// dayPart returns a part of a DATETIME. There are too many microseconds for a table of results, but
// not too many days.
func (l dayParts) dayPart(in env, c *expr.Call) (value, error) {
	if len(c.Args) == 0 || c.Args[0].Type().ID != types.Datetime {
		return value{}, errNoTable
	}
	v, err := l.scalar(in, c.Args[0])
	if err != nil || v.e == nil || v.e.Kind != pipeline.Int || v.e.Op == pipeline.OpNull {
		return value{}, errors.Join(errNoTable, err)
	}
	day, time, err := l.splitDay(v.e)
	if err != nil {
		return value{}, err
	}
	if part, ok := ofTime[c.Fn]; ok {
		e, errQuo := l.Quotient(pipeline.OpQuo, time, l.Int(part[0]))
		if errQuo != nil {
			return value{}, errQuo
		}
		if e, err = l.Quotient(pipeline.OpRem, e, l.Int(part[1])); err != nil {
			return value{}, err
		}
		return l.typed(e, 0, c.T)
	}
	return l.dayTable(c, day)
}

// dateOf returns the day of a DATETIME.
func (l dayParts) dateOf(in env, c *expr.Call) (value, error) {
	v, err := l.scalar(in, c.Args[0])
	if err != nil {
		return value{}, err
	}
	if v.e == nil || v.e.Kind != pipeline.Int {
		return value{}, fmt.Errorf("%s has no device form", c)
	}
	if v.e.Op == pipeline.OpNull {
		return v, nil
	}
	day, _, err := l.splitDay(v.e)
	return value{e: day}, err
}

// splitDay returns the day of a number of microseconds since 1970, and the microseconds since its
// beginning.
func (l dayParts) splitDay(e *pipeline.Expr) (day, time *pipeline.Expr, err error) {
	quo, errQuo := l.Quotient(pipeline.OpQuo, e, l.Int(types.Day))
	rest, errRest := l.Quotient(pipeline.OpRem, e, l.Int(types.Day))
	if err := errors.Join(errQuo, errRest); err != nil {
		return nil, nil, err
	}
	before := l.ToInt(l.Compare(pipeline.OpLT, rest, l.Int(0))) // the remainder has the sign of the dividend
	if day, err = l.Arith(pipeline.OpSub, quo, before); err != nil {
		return nil, nil, err
	}
	whole, err := l.Arith(pipeline.OpMul, before, l.Int(types.Day))
	if err != nil {
		return nil, nil, err
	}
	if time, err = l.Arith(pipeline.OpAdd, rest, whole); err != nil {
		return nil, nil, err
	}
	// The bounds of the sum do not reflect that its terms depend on each other.
	return day, l.Extreme(pipeline.OpLess, l.Extreme(pipeline.OpGreater, time, l.Int(0)), l.Int(types.Day-1)), nil
}

// dayTable looks up the result of a function of a day. The table holds its result at the beginning
// of each day.
func (l dayParts) dayTable(c *expr.Call, day *pipeline.Expr) (value, error) {
	n := day.Max - day.Min + 1
	if n <= 0 || n > tableRange {
		return value{}, errNoTable
	}
	of := &expr.Col{ID: 1, T: c.Args[0].Type()}
	call := *c
	call.Args = append([]expr.Expr{of}, c.Args[1:]...)
	if _, err := onlyColumn(&call); err != nil {
		return value{}, err
	}
	inputs := vec.NewFlat(of.T, int(n))
	for i := range inputs.I64 {
		inputs.I64[i] = (day.Min + int64(i)) * types.Day
	}
	results, err := evaluate(&call, of, inputs)
	if err != nil {
		return value{}, err
	}
	index, err := l.Arith(pipeline.OpSub, day, l.Int(day.Min))
	if err != nil {
		return value{}, err
	}
	return l.lookedUp(results, index)
}
