package rules

import (
	"gsql/planner/colset"
	"gsql/planner/logical"
	"gsql/planner/rules/cond"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// domain returns the set of distinct combinations of values of the outer columns cols, computed
// by a copy of the part of the left input that produces them. The set may contain combinations
// that no left row has, which is harmless: the join with the left rows drops them. by maps each
// outer column to its column of the domain; preds equate the two.
func (p *puller) domain(cols colset.Set) (n logical.Node, by map[expr.ColID]expr.Expr, preds []expr.Expr) {
	if p.source == nil {
		p.failed = true
		return nil, nil, nil
	}
	src := sourceOf(p.c, p.source, cols)
	if !repeatable(p.c, src) {
		p.failed = true
		return nil, nil, nil
	}
	n, by = logical.Clone(src, p.c.opt.NextID)
	var keys []logical.Column
	cols.Each(func(id expr.ColID) {
		col, _ := p.c.column(src, id)
		old := col.Ref()
		col.ID = by[id].(*expr.Col).ID
		keys = append(keys, col)
		preds = append(preds, cond.Call(expr.FuncNullSafeEQ, old, col.Ref()))
	})
	only := make(map[expr.ColID]expr.Expr, len(keys))
	cols.Each(func(id expr.ColID) { only[id] = by[id] })
	return &logical.Aggregate{In: n, Keys: keys}, only, preds
}

// sourceOf descends to the smallest part of n that returns all values of cols. Filters and limits
// above it only drop some of them.
func sourceOf(c *context, n logical.Node, cols colset.Set) logical.Node {
	switch x := n.(type) {
	case *logical.Join:
		if x.Kind.PadsLeft() { // adds NULLs that the inputs may lack
			return n
		}
		if cols.SubsetOf(c.out(x.L)) {
			return sourceOf(c, x.L, cols)
		}
		if x.Kind == logical.Inner && !x.Correlated && cols.SubsetOf(c.out(x.R)) {
			return sourceOf(c, x.R, cols)
		}
	case *logical.Filter:
		if m := sourceOf(c, x.In, cols); m != x.In {
			return m
		}
	case *logical.Sort, *logical.Limit:
		return sourceOf(c, onlyInput(n), cols)
	case *logical.Aggregate, *logical.Project, *logical.Window:
		if in := onlyInput(n); cols.SubsetOf(c.out(in)) {
			return sourceOf(c, in, cols)
		}
	}
	return n
}

// repeatable reports whether computing n twice returns the same rows: there is no LIMIT, which
// may choose different rows, no ROLLUP, no sum of floats, which depends on the order, and nothing volatile.
func repeatable(c *context, n logical.Node) bool {
	ok := true
	logical.EachExpr(n, func(e expr.Expr) { ok = ok && cond.Stable(e) })
	switch x := n.(type) {
	case *logical.Limit, *logical.Rollup, *logical.Window: // ROW_NUMBER orders peers arbitrarily
		return false
	case *logical.Aggregate:
		for _, a := range x.Aggs {
			switch fn := a.Agg.Fn; {
			case fn == expr.First || fn.Gathers():
				return false
			case fn == expr.CountStar || fn == expr.Count || fn == expr.Min || fn == expr.Max:
			default:
				ok = ok && a.Agg.T.Kind() != types.KindF64
			}
		}
	}
	eachInput(n, func(in logical.Node) { ok = ok && repeatable(c, in) })
	return ok
}

// emptyValue returns the value of an aggregate over no rows, or nil if that is NULL.
func emptyValue(a *expr.Agg) expr.Expr {
	var bits int64
	switch a.Fn {
	case expr.CountStar, expr.Count, expr.BitOr, expr.BitXor:
	case expr.BitAnd:
		bits = -1
	default:
		return nil
	}
	k := cond.ZeroOf(&expr.Col{T: a.T}).(*expr.Const)
	k.Value.I64 = bits
	return k
}

// countsApart gives new columns to the aggregates that are not NULL over no rows, and returns the
// items that compute the old columns from them: COALESCE(count, 0).
func countsApart(c *context, a *logical.Aggregate) (*logical.Aggregate, []logical.Item) {
	var items []logical.Item
	m := *a
	m.Aggs = append([]logical.AggItem(nil), a.Aggs...)
	for i := range m.Aggs {
		empty := emptyValue(m.Aggs[i].Agg)
		if empty == nil {
			m.Aggs[i].Col.NotNull = false
			continue
		}
		old := m.Aggs[i].Col
		m.Aggs[i].Col = c.newColumn(old)
		value := &expr.Call{Fn: expr.FuncCoalesce, Args: []expr.Expr{m.Aggs[i].Col.Ref(), empty}, T: old.T, Pos: -1}
		items = append(items, logical.Item{Col: old, Expr: value})
	}
	return &m, items
}
