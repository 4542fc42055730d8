package isolate

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/dec128"
	"gsql/planner/rules/cond"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// exactBounds turns a comparison of an integer or decimal, converted to DOUBLE, with a DOUBLE
// constant into comparisons of the unconverted operand. Conversion rounds but preserves order, so
// the values that pass are those up to, or from, some integer or decimal. For other comparisons
// it returns x itself.
func exactBounds(x *expr.Call) []*expr.Call {
	op, e, k := x.Fn, x.Args[0], x.Args[1]
	if _, ok := e.(*expr.Const); ok {
		op, e, k = cond.Flipped[op], k, e
	}
	c, isConst := k.(*expr.Const)
	from, ok := cond.CallOf(e, expr.FuncCast)
	if !isConst || !ok || c.Value.Null || c.Value.Type.ID != types.Float64 || from.T.ID != types.Float64 {
		return []*expr.Call{x}
	}
	inner := from.Args[0]
	if !isBigint(inner) && inner.Type().ID != types.Decimal || math.Abs(c.Value.F64)*math.Pow10(int(inner.Type().Scale)) >= 1<<52 {
		return []*expr.Call{x}
	}
	switch op {
	case expr.FuncEQ:
		return []*expr.Call{exactBound(expr.FuncGE, inner, c.Value.F64), exactBound(expr.FuncLE, inner, c.Value.F64)}
	case expr.FuncLT, expr.FuncLE, expr.FuncGT, expr.FuncGE:
		return []*expr.Call{exactBound(op, inner, c.Value.F64)}
	}
	return []*expr.Call{x}
}

func exactBound(op expr.FuncID, e expr.Expr, c float64) *expr.Call {
	closed, n := expr.FuncLE, int64(0)
	switch op {
	case expr.FuncLT, expr.FuncLE:
		n = greatestUpTo(c, int(e.Type().Scale), op == expr.FuncLT)
	default:
		closed, n = expr.FuncGE, -greatestUpTo(-c, int(e.Type().Scale), op == expr.FuncGT)
	}
	bound := &expr.Const{Value: catalog.Int(n)}
	if e.Type().ID == types.Decimal {
		bound.Value = catalog.Datum{Type: types.Dec(narrowDigits, int(e.Type().Scale)), Dec: decimal128.FromI64(n)}
	}
	return &expr.Call{Fn: closed, Args: []expr.Expr{e, bound}, T: cond.Type, Pos: -1}
}

// greatestUpTo returns the greatest n for which the double nearest to n / 10^scale is at most c,
// or less than c if less is set. If c * 10^scale is below 2^52, no two n share a double.
func greatestUpTo(c float64, scale int, less bool) int64 {
	passes := func(n int64) bool {
		x := dec128.Float64(decimal128.FromI64(n), scale)
		return x < c || !less && x == c
	}
	n := int64(math.Floor(c * math.Pow10(scale)))
	for passes(n + 1) {
		n++
	}
	for !passes(n) {
		n--
	}
	return n
}
