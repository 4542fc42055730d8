package block

import (
	"slices"

	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// addedDigits are the most digits of values whose sums fit in 128 bits for 10^10 rows.
const addedDigits = 28

// divideAverages computes averages that are converted to DOUBLE as MySQL does: it divides the sum by the
// count as doubles. The digits that the average carries as a decimal would be fewer. Averages that MySQL
// reads from a temporary table, those of GROUP BY and beside window functions, are decimals first.
func (l *selectList) divideAverages(preds []expr.Expr, keys []expr.SortKey) {
	g := l.b.group
	averages := func(it logical.AggItem) bool { return it.Agg.Fn == expr.Avg && it.Agg.T.Carries() }
	if g == nil || g.explicit && g.rollup == nil || hasWindows(l.b.sel) || !slices.ContainsFunc(g.aggs, averages) {
		return
	}
	d := divided{grouping: g, plans: map[logical.Node]logical.Node{}}
	l.overGroups(preds, keys, d.expr)
}

// divided replaces averages that become doubles by quotients of doubles.
type divided struct {
	*grouping
	plans map[logical.Node]logical.Node // those of subqueries, which several expressions may share
}

func (d *divided) expr(e expr.Expr) expr.Expr {
	return expr.Map(e, func(e expr.Expr) expr.Expr {
		switch x := e.(type) {
		case *expr.Call:
			if x.Fn == expr.FuncCast && x.T.IsFloat() {
				if q := d.realAverage(columnID(expr.AllDigits(x.Args[0]))); q != nil {
					return expr.Cast(q, x.T)
				}
			}
		case *expr.Subquery:
			old := x.Plan.(logical.Node)
			if n := d.plan(old); n != old {
				c := *x
				c.Plan = n
				return &c
			}
		}
		return e
	})
}

// plan returns the plan of a subquery, which may refer to averages of the block around it.
func (d *divided) plan(n logical.Node) logical.Node {
	if m, ok := d.plans[n]; ok {
		return m
	}
	m, in := n, slices.Clone(n.Inputs())
	for i := range in {
		in[i] = d.plan(in[i])
	}
	if !slices.Equal(in, n.Inputs()) {
		m = n.WithInputs(in)
	}
	m = logical.MapExprs(m, d.expr)
	d.plans[n] = m
	return m
}

// realAverage returns the DOUBLE value of the average in the column id, or nil if the column is no
// average of exact numbers.
func (g *grouping) realAverage(id expr.ColID) expr.Expr {
	for i := range g.aggs {
		a := g.aggs[i].Agg
		if g.aggs[i].Col.ID != id || a.Fn != expr.Avg || !a.T.Carries() {
			continue
		}
		if t := a.Args[0].Type(); t.WholeDigits()+int(t.Scale) > addedDigits {
			return nil
		}
		sum, err := expr.NewAgg(expr.Sum, a.Args, a.Distinct)
		if err != nil {
			return nil
		}
		count, err := expr.NewAgg(expr.Count, a.Args, a.Distinct)
		if err != nil {
			return nil
		}
		t := types.T(types.Float64)
		return mustCall(expr.FuncDiv, expr.Cast(g.addAgg(sum, false), t), expr.Cast(g.addAgg(count, true), t))
	}
	return nil
}
