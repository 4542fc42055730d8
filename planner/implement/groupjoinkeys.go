package implement

import (
	"gsql/planner/colset"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// groupedByBoth plans an aggregate over a join without equalities whose groups have columns of
// both sides. It pairs each row of one side with the groups of the other side instead of its
// rows, and joins the pair with the rows of its group: r JOIN s ON r.a < s.a GROUP BY r.g, s.g
// becomes r, (SELECT DISTINCT g FROM s) d JOIN s ON r.a < s.a AND s.g <=> d.g GROUP BY r.g, d.g,
// for which a group join produces no pairs. It returns the cheaper of the plans for both sides,
// or nil if there is none.
func groupedByBoth(p *planner, n *logical.Aggregate, b *bidder) *physical.Node {
	if p.disabled[groupJoinRule] || b.n.Kind != logical.Inner || b.groupJoinRefusal() != "" || !indexable(&b.conds) || b.out < b.l.Rows+b.r.Rows {
		return nil
	}
	var best *physical.Node
	for _, left := range []bool{true, false} {
		over := withGroups(p, n, b, left)
		if over == nil {
			return nil
		}
		var v variants
		err := p.tentatively(func() (err error) {
			v, err = p.aggregate(over)
			return err
		})
		if err == nil && v[0].node != nil && (best == nil || v[0].node.Est.TotalMS < best.Est.TotalMS) {
			best = v[0].node
		}
	}
	return best
}

// withGroups returns the aggregate over the left or the right input paired with the groups of the
// other one. It returns nil if the keys are all of one side, or if reading the other input twice
// may return different rows.
func withGroups(p *planner, n *logical.Aggregate, b *bidder, left bool) *logical.Aggregate {
	probe, other := b.n.L, b.n.R
	if !left {
		probe, other = other, probe
	}
	var keys []logical.Column
	of := colset.Of(other.Schema())
	for _, k := range n.Keys {
		if of.Has(k.ID) {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 || len(keys) == len(n.Keys) || !repeatable(other) {
		return nil
	}
	build, by := logical.Clone(other, p.newID)
	moved := func(e expr.Expr) expr.Expr {
		return expr.Map(e, func(e expr.Expr) expr.Expr {
			if c, ok := e.(*expr.Col); ok && by[c.ID] != nil {
				return by[c.ID]
			}
			return e
		})
	}
	on, _ := logical.MapList(b.n.On, moved)
	on = on[:len(on):len(on)]
	for _, k := range keys {
		same, err := expr.NewCall(expr.FuncNullSafeEQ, []expr.Expr{k.Ref(), by[k.ID]}, -1)
		if err != nil {
			return nil
		}
		on = append(on, same)
	}
	groups := &logical.Join{Kind: logical.Inner, L: probe, R: &logical.Aggregate{In: other, Keys: keys}}
	over := &logical.Aggregate{In: &logical.Join{Kind: logical.Inner, L: groups, R: build, On: on}, Keys: n.Keys}
	for _, it := range n.Aggs {
		a := *it.Agg
		a.Args, _ = logical.MapList(a.Args, moved)
		if len(a.OrderBy) > 0 {
			return nil
		}
		it.Agg = &a
		over.Aggs = append(over.Aggs, it)
	}
	return over
}

// repeatable reports whether n returns the same rows each time it is read.
func repeatable(n logical.Node) bool {
	switch n.(type) {
	case *logical.Scan, *logical.Filter, *logical.Project, *logical.Join:
	default:
		return false
	}
	same := true
	logical.EachExpr(n, func(e expr.Expr) { same = same && !expr.Volatile(e) && !expr.Assigns(e) })
	for _, in := range logical.InputPair(n) {
		same = same && (in == nil || repeatable(in))
	}
	return same
}
