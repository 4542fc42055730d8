package implement

import (
	"slices"

	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// extremeJoin considers an alternative for a semi or anti join by two comparisons and optional
// equalities that tests no pairs. Some partner by the other conditions has a greater value than a
// row if the maximum of their values is greater, or a smaller value if their minimum is smaller.
// A GroupJoin computes these for each row.
func extremeJoin(p *planner, b *bidder, out variants) variants {
	c := &b.conds
	if b.n.Kind != logical.Semi && b.n.Kind != logical.Anti || b.nullAware || out[0].node == nil || p.disabled[groupJoinRule] ||
		len(c.Ranges) != 2 || len(c.Unequal)+len(c.Rest) > 0 || slices.ContainsFunc(c.Keys, func(k physical.KeyPair) bool { return k.NullSafe }) {
		return out
	}
	var best *physical.Node
	for i := range c.Ranges {
		n := byExtreme(p, b, i)
		if n != nil && (best == nil || n.Est.TotalMS < best.Est.TotalMS) {
			best = n
		}
	}
	if was := out[0].node; best != nil && best.Est.TotalMS < was.Est.TotalMS {
		best.Rejected = append([]physical.Bid{planBid(was, was.Est.TotalMS, "testing pairs")}, best.Rejected...)
		out[0] = variant{node: best}
	}
	return out
}

// byExtreme returns the plan in which comparison i tests an extreme, or nil if there is none.
func byExtreme(p *planner, b *bidder, i int) *physical.Node {
	test := b.conds.Ranges[i]
	t := test.R.Type()
	if k := t.Kind(); k == types.KindStr || k == types.KindNull {
		return nil
	}
	fn := expr.Max // the row's value must be below some partner's
	if test.Op == expr.FuncGT || test.Op == expr.FuncGE {
		fn = expr.Min
	}
	a := &expr.Agg{Fn: fn, Args: []expr.Expr{test.R}, T: t}
	col := logical.Column{ID: p.newID(), Name: a.String(), T: t}
	found := call(test.Op, test.L, col.Ref())
	kind := logical.Inner
	if b.n.Kind == logical.Anti {
		kind = logical.Left
		found = call(expr.FuncNot, call(expr.FuncCoalesce, found, &expr.Const{Value: catalog.Int(0)}))
	}
	on := append(slices.Clone(b.conds.KeyExprs), b.conds.RangeExprs[1-i])
	j := &logical.Join{Kind: kind, L: b.n.L, R: b.n.R, On: on, Hint: b.n.Hint}
	need := b.need.With(on...).With(test.L, test.R)
	joined := p.newBidder(j, b.lv, b.rv, need)
	if joined.groupJoinRefusal() != "" {
		return nil
	}
	rest := []expr.Expr{found}
	agg := &logical.Aggregate{In: j, Keys: b.need.With(test.L).Pick(b.lv.columns()), Aggs: []logical.AggItem{{Col: col, Agg: a}}}
	return newGroupJoin(p, agg, joined, true).perRow(b.cols, rest, b.out)
}
