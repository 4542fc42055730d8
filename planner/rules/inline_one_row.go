package rules

import (
	"slices"

	"gsql/planner/logical"
	"gsql/planner/rules/cond"
	"gsql/sql/expr"
)

// inlineOneRow unnests a right input that yields exactly one row for every left row, optionally
// filtered and projected: an aggregate without GROUP BY, or SELECT without FROM. It returns nil
// for other right inputs.
//
// The aggregate is computed for all outer values at once, grouped by the expressions that it
// compares with them, and joined by LEFT JOIN. Left rows without a group then have NULLs. This is
// correct for all aggregates except those that are not NULL over no rows: COUNT gets its 0 back.
// The rest of the right input is computed above that join.
func inlineOneRow(c *context, j *logical.Join) logical.Node {
	if !j.Correlated && j.Kind == logical.Inner && len(j.On) == 0 {
		return nil
	}
	chain, base := oneRowChain(j.R)
	var in logical.Node
	vals := map[expr.ColID]expr.Expr{}
	switch x := base.(type) {
	case *logical.Values:
		in = j.L
		if len(x.Columns) > 0 {
			in = &logical.Join{Kind: logical.Inner, L: j.L, R: x}
		}
	case *logical.Aggregate:
		if j.Correlated && !c.opt.Disabled[decorrelateName] {
			if conditional(j, chain) {
				x, vals = renamedAggs(c, x)
			}
			in = joinAggregate(c, j, x)
		}
	}
	if in == nil {
		return nil
	}
	var preds []expr.Expr
	for i := len(chain) - 1; i >= 0; i-- {
		switch x := chain[i].(type) {
		case *logical.Filter:
			for _, p := range x.Preds {
				preds = append(preds, cond.Substitute(p, vals))
			}
		case *logical.Project:
			next := make(map[expr.ColID]expr.Expr, len(x.Items))
			for _, it := range x.Items {
				next[it.Col.ID] = cond.Substitute(it.Expr, vals)
			}
			vals = next
		}
	}
	on, _ := logical.MapList(j.On, func(e expr.Expr) expr.Expr { return cond.Substitute(e, vals) })
	c.record(decorrelateName, j, in)
	return finishOneRow(c, j, in, vals, preds, on)
}

// conditional reports whether the right columns of a join may be NULL although the one row on the
// right has a value.
func conditional(j *logical.Join, chain []logical.Node) bool {
	if j.Kind != logical.Left && j.Kind != logical.Single {
		return false
	}
	found := len(j.On) > 0
	for _, n := range chain {
		_, ok := n.(*logical.Filter)
		found = found || ok
	}
	return found
}

// renamedAggs gives the aggregates new columns, so that expressions over them can take the old
// ones. It returns the map from old to new columns.
func renamedAggs(c *context, a *logical.Aggregate) (*logical.Aggregate, map[expr.ColID]expr.Expr) {
	m, by := *a, map[expr.ColID]expr.Expr{}
	m.Aggs = append([]logical.AggItem(nil), a.Aggs...)
	for i := range m.Aggs {
		old := m.Aggs[i].Col
		m.Aggs[i].Col = c.newColumn(old)
		by[old.ID] = m.Aggs[i].Col.Ref()
	}
	return &m, by
}

// oneRowChain splits n into a chain of filters and projections and the one-row node below them;
// base is nil if there is none.
func oneRowChain(n logical.Node) (chain []logical.Node, base logical.Node) {
	for {
		switch x := n.(type) {
		case *logical.Filter, *logical.Project:
			ok := true
			logical.EachExpr(n, func(e expr.Expr) { ok = ok && cond.Stable(e) })
			if !ok {
				return nil, nil
			}
			chain = append(chain, n)
			n = onlyInput(n)
			continue
		case *logical.Sort:
			n = x.In
			continue
		case *logical.Aggregate:
			if len(x.Keys) == 0 {
				return chain, x
			}
		case *logical.Values:
			if len(x.Rows) == 1 {
				return chain, x
			}
		}
		return nil, nil
	}
}

// finishOneRow returns the result of join j. in has the left columns and those that the right
// columns vals are computed from; these count where preds are true.
func finishOneRow(c *context, j *logical.Join, in logical.Node, vals map[expr.ColID]expr.Expr, preds, on []expr.Expr) logical.Node {
	left := c.schema(j.L)
	both := slices.Concat(preds, on)
	switch j.Kind {
	case logical.Semi:
		return c.only(filter(in, both), left)
	case logical.Anti:
		return c.only(filter(in, []expr.Expr{cond.Call(expr.FuncNot, cond.IsTrue(cond.And(both)))}), left)
	case logical.Mark:
		mark := cond.And(on)
		if len(preds) > 0 {
			mark = &expr.Call{Fn: expr.FuncCase, Args: []expr.Expr{cond.And(preds), mark, cond.False}, T: cond.Type, Pos: -1}
		}
		return &logical.Project{In: in, Items: append(passItems(left), logical.Item{Col: j.MarkCol, Expr: mark})}
	case logical.Inner:
		in, both = filter(in, both), nil
	}
	items := passItems(left)
	for _, col := range c.schema(j)[len(left):] {
		v := expr.Expr(col.Ref())
		if e, ok := vals[col.ID]; ok {
			v = e
		}
		if len(both) > 0 {
			v = cond.OnlyWhen(cond.And(both), v)
		}
		items = append(items, logical.Item{Col: col, Expr: v})
	}
	return &logical.Project{In: in, Items: items}
}

// joinAggregate joins the left rows of j with the aggregate's value for each. It returns nil if
// the aggregate's input cannot be decorrelated.
func joinAggregate(c *context, j *logical.Join, a *logical.Aggregate) logical.Node {
	if n := joinSplitAggregate(c, j, a); n != nil {
		return n
	}
	p := puller{c: c, outer: c.out(j.L), source: j.L}
	g, preds := p.groupByOuter(a)
	if p.failed || c.free(g).Meets(p.outer) {
		return nil
	}
	if len(g.Keys) == 0 { // correlated above the aggregate only
		return &logical.Join{Kind: logical.Inner, L: j.L, R: g}
	}
	g, counts := countsApart(c, g)
	n := logical.Node(&logical.Join{Kind: logical.Left, L: j.L, R: g, On: preds})
	if len(counts) == 0 {
		return n
	}
	return &logical.Project{In: n, Items: append(passItems(c.schema(n)), counts...)}
}
