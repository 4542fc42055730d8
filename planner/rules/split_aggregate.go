package rules

import (
	"gsql/planner/logical"
	"gsql/planner/rules/addends"
	"gsql/planner/rules/cond"
	"gsql/planner/rules/digits"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// safeSumDigits is the largest precision at which sums of decimals fit into 128 bits in any order
// of addition, given fewer than 10^18 rows.
const safeSumDigits = types.MaxPrecision - 18

// joinSplitAggregate is joinAggregate for an aggregate over a UNION whose branches do not equate
// the same outer values with their columns. It aggregates each branch separately, joins it with
// the left rows and combines the results. Otherwise, the domain would be joined to all branches
// below the UNION, including uncorrelated ones. joinSplitAggregate returns nil if the split does
// not apply.
func joinSplitAggregate(c *context, j *logical.Join, a *logical.Aggregate) logical.Node {
	u, ok := a.In.(*logical.SetOp)
	if !ok || u.Kind != logical.Union || c.opt.Disabled[splitUnionName] || !c.free(u).Meets(c.out(j.L)) {
		return nil
	}
	a, means := withoutAverages(c, a)
	for _, it := range a.Aggs {
		if !splittable(it.Agg, u.All) {
			return nil
		}
	}
	left, right := aggregateBranch(c, a, u, u.L), aggregateBranch(c, a, u, u.R)
	if left == nil || right == nil || alignable(c, u, j.L) {
		return nil
	}
	m := *j
	for _, part := range []*logical.Aggregate{left, right} {
		if m.L = joinAggregate(c, &m, part); m.L == nil {
			return nil
		}
	}
	items := passItems(c.schema(m.L))
	for i, it := range a.Aggs {
		e, err := together(it.Agg, left.Aggs[i].Col.Ref(), right.Aggs[i].Col.Ref())
		if err != nil {
			c.fail(err)
			return nil
		}
		items = append(items, logical.Item{Col: it.Col, Expr: e})
	}
	c.record(splitUnionName, a, m.L)
	out := logical.Node(&logical.Project{In: m.L, Items: items})
	if len(means) > 0 {
		out = &logical.Project{In: out, Items: append(passItems(c.schema(out)), means...)}
	}
	return out
}

// withoutAverages returns an aggregate with SUM and COUNT in place of each AVG, and the items that
// compute the averages from them.
func withoutAverages(c *context, a *logical.Aggregate) (*logical.Aggregate, []logical.Item) {
	m := *a
	m.Aggs = nil
	var means []logical.Item
	for _, it := range a.Aggs {
		if mean, parts := averageOf(c, it); mean != nil {
			means = append(means, logical.Item{Col: it.Col, Expr: mean})
			m.Aggs = append(m.Aggs, parts...)
		} else {
			m.Aggs = append(m.Aggs, it)
		}
	}
	return &m, means
}

// averageOf returns the value of an AVG as an expression over the columns of two other aggregates. It
// returns nil for other aggregates and where the quotient would have fewer digits.
func averageOf(c *context, it logical.AggItem) (expr.Expr, []logical.AggItem) {
	if it.Agg.Fn != expr.Avg || it.Agg.Distinct || !splittable(&expr.Agg{Fn: expr.Sum, Args: it.Agg.Args}, true) {
		return nil, nil
	}
	var parts []logical.AggItem
	for _, fn := range []expr.AggFn{expr.Sum, expr.Count} {
		x, err := expr.NewAgg(fn, it.Agg.Args, false)
		if err != nil {
			c.fail(err)
			return nil, nil
		}
		col := logical.Column{ID: c.opt.NextID(), Name: x.String(), T: x.T, NotNull: fn == expr.Count}
		parts = append(parts, logical.AggItem{Col: col, Agg: x})
	}
	sum, count := parts[0].Col.Ref(), parts[1].Col.Ref()
	mean := expr.Average(sum, count, it.Col.T)
	if mean == nil {
		return nil, nil
	}
	filled := cond.Call(expr.FuncGT, count, cond.ZeroOf(count))
	return &expr.Call{Fn: expr.FuncCase, Args: []expr.Expr{filled, mean}, T: it.Col.T, Pos: -1}, parts
}

// splittable reports whether together can compute an aggregate over a UNION from the aggregates
// over its branches. Sums of doubles would depend on the order. A UNION without ALL may drop rows
// of one branch that repeat rows of the other, which affects all aggregates but MIN and MAX.
func splittable(a *expr.Agg, all bool) bool {
	switch a.Fn {
	case expr.Min, expr.Max:
		return a.T.Kind() != types.KindStr
	case expr.Count, expr.CountStar:
		return all && !a.Distinct
	case expr.Sum:
		t := a.Args[0].Type()
		return all && !a.Distinct && (t.IsInteger() || t.ID == types.Decimal && !t.Carries() && t.Prec <= safeSumDigits)
	}
	return false
}

// aggregateBranch returns the aggregate over one branch of u with new columns, or nil if the
// branch has columns of other types.
func aggregateBranch(c *context, a *logical.Aggregate, u *logical.SetOp, branch logical.Node) *logical.Aggregate {
	cols := c.schema(branch)
	by := make(map[expr.ColID]expr.Expr, len(cols))
	for i, col := range u.Columns {
		if col.T != cols[i].T {
			return nil
		}
		by[col.ID] = cols[i].Ref()
	}
	m := &logical.Aggregate{In: branch, Aggs: a.Aggs}
	m = logical.MapExprs(m, func(e expr.Expr) expr.Expr { return cond.Substitute(e, by) }).(*logical.Aggregate)
	m, _ = renamedAggs(c, m)
	return m
}

// together combines x and y, the values of an aggregate over each branch, into its value over
// both.
func together(a *expr.Agg, x, y expr.Expr) (expr.Expr, error) {
	switch a.Fn {
	case expr.Min, expr.Max: // ignores NULLs
		op := expr.FuncLE
		if a.Fn == expr.Max {
			op = expr.FuncGE
		}
		first := cond.Call(expr.FuncOr, cond.Call(op, x, y), cond.Call(expr.FuncIsNull, y))
		return &expr.Call{Fn: expr.FuncCase, Args: []expr.Expr{first, x, y}, T: a.T, Pos: -1}, nil
	}
	sum, err := expr.NewCall(expr.FuncAdd, []expr.Expr{x, y}, -1)
	if err != nil || a.Fn != expr.Sum {
		return sum, err
	}
	args := []expr.Expr{expr.Cast(sum, a.T), x, y}
	return &expr.Call{Fn: expr.FuncCoalesce, Args: args, T: a.T, Pos: -1}, nil
}

// shareSums computes sums that differ in constant addends from one sum and one count.
func shareSums(c *context, n logical.Node) logical.Node {
	a, ok := n.(*logical.Aggregate)
	if !ok {
		return n
	}
	m, err := addends.Share(a, func(agg *expr.Agg) logical.Column {
		return c.newColumn(logical.Column{Name: agg.String(), T: agg.T, NotNull: agg.Fn == expr.Count})
	})
	if err != nil {
		c.fail(err)
	}
	if m == nil {
		return n
	}
	return m
}

// showDigits rounds columns below an aggregate that uses only their shown digits.
func showDigits(c *context, n logical.Node) logical.Node {
	if a, ok := n.(*logical.Aggregate); ok {
		if m := digits.Show(a, c.newColumn); m != nil {
			return m
		}
	}
	return n
}
