package block

import (
	"gsql/planner/binder/statement"
	"gsql/planner/logical"
	"gsql/sql/expr"
)

// parts computes aggregates in two steps: below, over the rows of the finest groups, and above,
// over the results. items computes the aggregates from the results of the second step.
type parts struct {
	s     *statement.Statement
	below []logical.AggItem
	above []logical.AggItem
	items []logical.Item
}

// partialAggs splits the aggregates. ok is false if one of them cannot be split.
func (g *grouping) partialAggs() (*parts, bool) {
	p := &parts{s: g.b.Statement}
	for _, it := range g.aggs {
		if it.Agg.Distinct || !p.add(it) {
			return nil, false
		}
	}
	return p, true
}

// add splits one aggregate. It reports whether that is possible.
func (p *parts) add(it logical.AggItem) bool {
	a := it.Agg
	switch a.Fn {
	case expr.Min, expr.Max, expr.BitAnd, expr.BitOr, expr.BitXor, expr.First:
		p.item(it.Col, p.step(a.Fn, p.first(a)))
	case expr.Sum, expr.Count, expr.CountStar:
		p.item(it.Col, p.step(expr.Sum, p.first(a)))
	case expr.Avg:
		if !a.Args[0].Type().IsNumeric() {
			return false
		}
		sum := p.step(expr.Sum, p.first(mustAgg(expr.Sum, a.Args)))
		count := p.step(expr.Sum, p.first(mustAgg(expr.Count, a.Args)))
		mean := expr.Average(sum, count, it.Col.T)
		if mean == nil {
			return false
		}
		p.item(it.Col, mustCall(expr.FuncCase, mustCall(expr.FuncGT, count, number(0)), mean))
	default:
		return false
	}
	return true
}

// first adds a to the aggregates over the rows.
func (p *parts) first(a *expr.Agg) expr.Expr {
	return aggColumn(p.s, &p.below, a)
}

// step adds fn over the groups' values.
func (p *parts) step(fn expr.AggFn, value expr.Expr) expr.Expr {
	return aggColumn(p.s, &p.above, mustAgg(fn, []expr.Expr{value}))
}

// aggColumn returns the column of an aggregate in a list, adding it if necessary.
func aggColumn(s *statement.Statement, list *[]logical.AggItem, a *expr.Agg) *expr.Col {
	for i := range *list {
		if sameAgg((*list)[i].Agg, a) {
			return (*list)[i].Col.Ref()
		}
	}
	col := logical.Column{ID: s.NewID(), Name: a.String(), T: a.T}
	*list = append(*list, logical.AggItem{Col: col, Agg: a})
	return col.Ref()
}

// item adds an aggregate of the block, computed from the results of the steps.
func (p *parts) item(col logical.Column, value expr.Expr) {
	p.items = append(p.items, logical.Item{Col: col, Expr: expr.Cast(value, col.T)})
}

// mustAgg returns an aggregate whose arguments are known to be valid.
func mustAgg(fn expr.AggFn, args []expr.Expr) *expr.Agg {
	a, err := expr.NewAgg(fn, args, false)
	if err != nil {
		panic(err)
	}
	return a
}
