package isolate

import (
	"math"
	"slices"

	"gsql/planner/rules/cond"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// unitMicros maps the units of constant length to their microseconds.
var unitMicros = map[expr.Part]int64{
	expr.Week: 7 * types.Day, expr.Day: types.Day, expr.Hour: types.Hour, expr.Minute: types.Minute,
	expr.Second: types.Second, expr.Microsecond: 1,
}

// elapsed isolates TIMESTAMPDIFF(unit, a, b) op k, which divides the difference in microseconds
// by the length of the unit and truncates towards zero.
func (in *Join) elapsed(op expr.FuncID, x *expr.Call, k int64) []expr.Expr {
	u, err := expr.UnitOf(x.Args[0])
	unit := unitMicros[u.First]
	if err != nil || u.First != u.Last || unit == 0 || math.Abs(float64(k))+1 > mostMicros/float64(unit) {
		return nil
	}
	switch op {
	case expr.FuncLT:
		return in.elapsedUpTo(expr.FuncLE, x, unit, k-1)
	case expr.FuncGT:
		return in.elapsedUpTo(expr.FuncGE, x, unit, k+1)
	case expr.FuncLE, expr.FuncGE:
		return in.elapsedUpTo(op, x, unit, k)
	case expr.FuncEQ:
		below, above := in.elapsedUpTo(expr.FuncLE, x, unit, k), in.elapsedUpTo(expr.FuncGE, x, unit, k)
		if below == nil || above == nil {
			return nil
		}
		return slices.Concat(below, above)
	}
	return nil
}

// mostMicros exceeds the microseconds between any two dates.
const mostMicros = 4e17

// elapsedUpTo isolates a comparison of whole units, <= k or >= k.
func (in *Join) elapsedUpTo(op expr.FuncID, x *expr.Call, unit, k int64) []expr.Expr {
	last := k * unit // the largest or smallest difference in microseconds that passes
	switch {
	case op == expr.FuncLE && k >= 0:
		last += unit - 1
	case op == expr.FuncGE && k <= 0:
		last -= unit - 1
	}
	s := sum{in: in, constant: whole(-last)}
	for i, factor := range []number{whole(-1), whole(1)} {
		since, ok := micros(x.Args[1+i])
		if !ok || !s.addTerm(since, factor, mostMicros) {
			return nil
		}
	}
	if !s.grow(math.Abs(float64(last)), 0) {
		return nil
	}
	return in.separate(&s, op)
}

// micros returns the microseconds since 1970 of a column of dates.
func micros(e expr.Expr) (expr.Expr, bool) {
	col, ok := columnOfDates(e)
	if !ok {
		return nil, false
	}
	start := catalog.Datum{Type: types.T(types.Datetime)}
	since, err := expr.NewCall(expr.FuncTimestampDiff, []expr.Expr{&expr.Const{Value: catalog.Str("microsecond")}, &expr.Const{Value: start}, col}, -1)
	return since, err == nil
}

// columnOfDates returns e if it is a column of dates with or without a time of day, or the column
// under a cast of such a column to DATETIME.
func columnOfDates(e expr.Expr) (*expr.Col, bool) {
	if c, ok := cond.CallOf(e, expr.FuncCast); ok && c.T.ID == types.Datetime && c.Args[0].Type().ID == types.Date {
		e = c.Args[0]
	}
	col, ok := e.(*expr.Col)
	return col, ok && col.T.IsTemporal() && col.T.ID != types.Time
}
