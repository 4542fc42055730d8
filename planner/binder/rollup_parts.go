package binder

import (
	"gsql/planner/logical"
	"gsql/sql/expr"
)

// parts computes aggregates in two steps: below over the rows of the finest groups, above
// over what these gave, and items make the aggregates of that.
type parts struct {
	b     *block
	below []logical.AggItem
	above []logical.AggItem
	items []logical.Item
}

// partialAggs splits the block's aggregates, if all of them can be.
func (b *block) partialAggs() (*parts, bool) {
	p := &parts{b: b}
	for _, it := range b.group.aggs {
		if it.Agg.Distinct || !p.add(it) {
			return nil, false
		}
	}
	return p, true
}

// add splits one aggregate, or tells that it cannot be.
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
		p.item(it.Col, mustCall("case", mustCall(">", count, number(0)), mustCall("/", sum, count)))
	default:
		return false
	}
	return true
}

// first computes a over the rows.
func (p *parts) first(a *expr.Agg) expr.Expr {
	return p.b.aggColumn(&p.below, a)
}

// step computes fn over the values of groups.
func (p *parts) step(fn expr.AggFn, value expr.Expr) expr.Expr {
	return p.b.aggColumn(&p.above, mustAgg(fn, []expr.Expr{value}))
}

// aggColumn gives the column of an aggregate in a list, adding it where there is none.
func (b *block) aggColumn(list *[]logical.AggItem, a *expr.Agg) *expr.Col {
	for i := range *list {
		if sameAgg((*list)[i].Agg, a) {
			return (*list)[i].Col.Ref()
		}
	}
	col := logical.Column{ID: b.newID(), Name: a.String(), T: a.T}
	*list = append(*list, logical.AggItem{Col: col, Agg: a})
	return col.Ref()
}

// item makes an aggregate of the block of what the steps gave.
func (p *parts) item(col logical.Column, value expr.Expr) {
	p.items = append(p.items, logical.Item{Col: col, Expr: expr.Cast(value, col.T)})
}

// mustAgg makes an aggregate whose arguments are known to fit.
func mustAgg(fn expr.AggFn, args []expr.Expr) *expr.Agg {
	a, err := expr.NewAgg(fn, args, false)
	if err != nil {
		panic(err)
	}
	return a
}
