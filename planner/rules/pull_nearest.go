package rules

import (
	"slices"

	"gsql/planner/logical"
	"gsql/planner/rules/cond"
	"gsql/sql/expr"
)

// pullNearest turns ORDER BY t DESC LIMIT 1 under the condition t <= outer value, or the
// ascending counterpart, into an ASOF join. Each row covers the outer values from its own place
// to the next row's, so that comparisons with both ends find the only match. A second comparison
// that bounds the distance holds for the nearest row if it holds for any, and is kept.
func (p *puller) pullNearest(x *logical.Limit, in logical.Node, keys []expr.SortKey, equal, others []expr.Expr) (logical.Node, []expr.Expr) {
	in, eqs := p.equalities(in, equal)
	keys = withoutEqual(keys, eqs)
	if len(keys) == 0 || x.Count != 1 || x.Offset != 0 {
		p.failed = true
		return x, nil
	}
	near := logical.Nearest{Place: keys[0].Expr, Ties: keys[1:]}
	for _, e := range others {
		op, outer := p.comparedWith(e, near.Place)
		towards := op == expr.FuncLT || op == expr.FuncLE
		switch {
		case op == "":
			p.failed = true
		case towards != keys[0].Desc: // bounds the distance
		case near.Op != "":
			p.failed = true
		default:
			near.Op, near.Outer = cond.Flipped[op], outer
		}
	}
	if p.failed = p.failed || near.Op == ""; p.failed {
		return x, nil
	}
	if len(eqs) > 0 {
		in = p.wanted(in, eqs)
	}
	in, cols := p.inSchema(in, eqs)
	for _, col := range cols {
		near.Keys = append(near.Keys, col.Ref())
	}
	n, end, err := near.Over(in, p.c.opt.NextID)
	if err != nil {
		p.c.fail(err)
		return x, nil
	}
	return n, slices.Concat(append(predicates(eqs, cols), others...), []expr.Expr{end})
}

// withoutEqual drops the sort keys that equalities make constant per outer value.
func withoutEqual(keys []expr.SortKey, eqs []outerEquality) (out []expr.SortKey) {
next:
	for _, k := range keys {
		for _, eq := range eqs {
			if expr.Equal(k.Expr, eq.inner) {
				continue next
			}
		}
		out = append(out, k)
	}
	return out
}

// comparedWith splits a comparison of place with an expression over outer columns. It returns the
// operator as if place were its left operand, or "" for all other expressions.
func (p *puller) comparedWith(e, place expr.Expr) (op expr.FuncID, outer expr.Expr) {
	c, ok := cond.CallOf(e, expr.FuncLT, expr.FuncLE, expr.FuncGT, expr.FuncGE)
	if !ok || !cond.Stable(e) {
		return "", nil
	}
	for i, op := range []expr.FuncID{c.Fn, cond.Flipped[c.Fn]} {
		if used := p.c.refsOf(c.Args[1-i]); expr.Equal(c.Args[i], place) && !used.Empty() && used.SubsetOf(p.outer) {
			return op, c.Args[1-i]
		}
	}
	return "", nil
}
