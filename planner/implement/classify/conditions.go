// Package classify sorts the conditions of a join by the ways in which join algorithms can use
// them.
package classify

import (
	"gsql/planner/colset"
	"gsql/planner/cost"
	"gsql/planner/lookup"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// Conditions are the conjuncts of a join, classified. Each list of expressions parallels the
// parsed form.
type Conditions struct {
	Keys         []physical.KeyPair
	KeyExprs     []expr.Expr
	Ranges       []physical.RangePred
	RangeExprs   []expr.Expr
	Unequal      []physical.RangePred // <>
	UnequalExprs []expr.Expr
	Rest         []expr.Expr
}

// Of splits the conjuncts of a join into equalities, ranges and inequalities
// between a left and a right expression of the same form, and the rest.
func Of(on []expr.Expr, l, r colset.Set) Conditions {
	var c Conditions
	for _, e := range on {
		call, ok := e.(*expr.Call)
		if !ok || len(call.Args) != 2 || !lookup.SameForm(call.Args[0].Type(), call.Args[1].Type()) {
			c.Rest = append(c.Rest, e)
			continue
		}
		op, a, b := call.Fn, call.Args[0], call.Args[1]
		if Over(b, l) && Over(a, r) {
			op, a, b = cost.Mirror(op), b, a
		} else if !Over(a, l) || !Over(b, r) {
			c.Rest = append(c.Rest, e)
			continue
		}
		switch op {
		case expr.FuncEQ, expr.FuncNullSafeEQ:
			c.Keys = append(c.Keys, physical.KeyPair{L: a, R: b, NullSafe: op == expr.FuncNullSafeEQ})
			c.KeyExprs = append(c.KeyExprs, e)
		case expr.FuncLT, expr.FuncLE, expr.FuncGT, expr.FuncGE:
			c.Ranges = append(c.Ranges, physical.RangePred{Op: op, L: a, R: b})
			c.RangeExprs = append(c.RangeExprs, e)
		case expr.FuncNE:
			c.Unequal = append(c.Unequal, physical.RangePred{Op: op, L: a, R: b})
			c.UnequalExprs = append(c.UnequalExprs, e)
		default:
			c.Rest = append(c.Rest, e)
		}
	}
	return c
}

// Over reports whether e refers to at least one column of s and to no others.
func Over(e expr.Expr, s colset.Set) bool {
	some, all := false, true
	expr.Walk(e, func(e expr.Expr) bool {
		if c, ok := e.(*expr.Col); ok {
			some = true
			all = all && s.Has(c.ID)
		}
		return all
	})
	return some && all
}
