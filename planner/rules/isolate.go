package rules

import (
	"gsql/planner/logical"
	"gsql/planner/rules/isolate"
	"gsql/sql/expr"
)

// isolateSides rearranges join conditions so that each operand depends on one input.
func isolateSides(c *context, n logical.Node) logical.Node {
	return eachCondition(c, n, (*isolate.Join).Isolated)
}

// solveProducts turns join conditions over products into ranges.
func solveProducts(c *context, n logical.Node) logical.Node {
	return eachCondition(c, n, (*isolate.Join).Solved)
}

// eachCondition replaces each condition of a join by the result of f. If f returns nil, the
// condition stays.
func eachCondition(c *context, n logical.Node, f func(*isolate.Join, expr.Expr) []expr.Expr) logical.Node {
	j, ok := n.(*logical.Join)
	if !ok || len(j.On) == 0 {
		return n
	}
	c.inputs = sidesOf(c, j)
	c.conditions.Inputs = &c.inputs
	var on []expr.Expr
	changed := false
	for _, e := range j.On {
		if by := f(&c.conditions, e); by != nil {
			on, changed = append(on, by...), true
			continue
		}
		on = append(on, e)
	}
	if !changed {
		return n
	}
	m := *j
	m.On = on
	return &m
}

// Magnitude implements isolate.Inputs.
func (in *sides) Magnitude(col expr.ColID) (most float64, ok bool) {
	for _, n := range in.nodes {
		if in.c.out(n).Has(col) {
			return magnitude(in.c, n, col)
		}
	}
	return 0, false
}
