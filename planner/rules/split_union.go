package rules

import (
	"gsql/planner/logical"
	"gsql/planner/rules/cond"
	"gsql/sql/expr"
)

// splitUnionName is the rule that disables splitUnion and joinSplitAggregate, which run within
// convertSubqueries.
const splitUnionName = "SplitUnionSubqueries"

// splitUnion splits a subquery over a correlated UNION: EXISTS (a UNION b) is EXISTS a OR EXISTS
// b, x IN (a UNION b) is x IN a OR x IN b, NULLs included, and x > ALL (a UNION b) is the
// conjunction. Decorrelated as one subquery, both branches would be joined with all distinct outer
// values, unless they equate the same ones with their columns: then p stays whole. splitUnion
// returns the branches, which the binder has cast to the types of the UNION, or nil.
func splitUnion(c *context, s *expr.Subquery, p, l logical.Node) []logical.Node {
	u, ok := p.(*logical.SetOp)
	outer := c.out(l)
	if !ok || u.Kind != logical.Union || c.opt.Disabled[splitUnionName] || c.opt.Disabled[decorrelateName] || !c.free(u).Meets(outer) {
		return nil
	}
	for _, e := range s.Left {
		if !cond.Stable(e) {
			return nil
		}
	}
	if alignable(c, u, l) {
		return nil
	}
	var out []logical.Node
	for _, in := range []logical.Node{u.L, u.R} {
		if s.Kind == expr.Exists {
			in = c.existing(in, l)
		}
		if parts := splitUnion(c, s, in, l); parts != nil {
			out = append(out, parts...)
		} else {
			out = append(out, in)
		}
	}
	return out
}

// alignable reports whether both branches equate the same outer expressions with their columns.
func alignable(c *context, u *logical.SetOp, l logical.Node) bool {
	p := puller{c: c, outer: c.out(l), source: l}
	left, lp := p.pull(u.L)
	right, rp := p.pull(u.R)
	if p.failed {
		return false
	}
	_, _, ok := p.sameEqualities(left, lp, right, rp)
	return ok
}
