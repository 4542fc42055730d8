package implement

import (
	"gsql/planner/cost"
	"gsql/planner/lookup"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// conditions are the conjuncts of a join by what algorithms can do with them. Each
// list of expressions runs beside the parsed form.
type conditions struct {
	keys         []physical.KeyPair
	keyExprs     []expr.Expr
	ranges       []physical.RangePred
	rangeExprs   []expr.Expr
	unequal      []physical.RangePred // <>
	unequalExprs []expr.Expr
	rest         []expr.Expr
}

// classify splits the conjuncts of a join into equalities, ranges and inequalities
// between a left and a right expression of the same form, and the rest.
func classify(on []expr.Expr, l, r colSet) conditions {
	var c conditions
	for _, e := range on {
		call, ok := e.(*expr.Call)
		if !ok || len(call.Args) != 2 || !lookup.SameForm(call.Args[0].Type(), call.Args[1].Type()) {
			c.rest = append(c.rest, e)
			continue
		}
		op, a, b := call.Fn, call.Args[0], call.Args[1]
		if over(b, l) && over(a, r) {
			op, a, b = cost.Mirror(op), b, a
		} else if !over(a, l) || !over(b, r) {
			c.rest = append(c.rest, e)
			continue
		}
		switch op {
		case expr.FuncEQ, expr.FuncNullSafeEQ:
			c.keys = append(c.keys, physical.KeyPair{L: a, R: b, NullSafe: op == expr.FuncNullSafeEQ})
			c.keyExprs = append(c.keyExprs, e)
		case expr.FuncLT, expr.FuncLE, expr.FuncGT, expr.FuncGE:
			c.ranges = append(c.ranges, physical.RangePred{Op: op, L: a, R: b})
			c.rangeExprs = append(c.rangeExprs, e)
		case expr.FuncNE:
			c.unequal = append(c.unequal, physical.RangePred{Op: op, L: a, R: b})
			c.unequalExprs = append(c.unequalExprs, e)
		default:
			c.rest = append(c.rest, e)
		}
	}
	return c
}

// over reports whether e refers to columns of s and to no others.
func over(e expr.Expr, s colSet) bool {
	some, all := false, true
	expr.Walk(e, func(e expr.Expr) bool {
		if c, ok := e.(*expr.Col); ok {
			some = true
			all = all && s.has(c.ID)
		}
		return all
	})
	return some && all
}
