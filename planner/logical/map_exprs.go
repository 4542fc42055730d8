package logical

import "gsql/sql/expr"

// MapExprs copies n with f applied to each expression that n itself evaluates (those
// that Exprs lists). n is returned as it is when f changes nothing.
func MapExprs(n Node, f func(expr.Expr) expr.Expr) Node {
	m := exprMapper{f: f}
	switch n := n.(type) {
	case *Scan:
		c := *n
		c.Preds = m.list(n.Preds)
		return m.choose(n, &c)
	case *Filter:
		c := *n
		c.Preds = m.list(n.Preds)
		return m.choose(n, &c)
	case *Join:
		c := *n
		c.On = m.list(n.On)
		return m.choose(n, &c)
	case *Values:
		c := *n
		c.Rows = make([][]expr.Expr, len(n.Rows))
		for i, r := range n.Rows {
			c.Rows[i] = m.list(r)
		}
		return m.choose(n, &c)
	case *Project:
		c := *n
		c.Items = append([]Item(nil), n.Items...)
		for i := range c.Items {
			c.Items[i].Expr = m.one(c.Items[i].Expr)
		}
		return m.choose(n, &c)
	case *Sort:
		c := *n
		c.Keys = m.keys(n.Keys)
		return m.choose(n, &c)
	case *Aggregate:
		c := *n
		c.Aggs = append([]AggItem(nil), n.Aggs...)
		for i, a := range n.Aggs {
			agg := *a.Agg
			agg.Args, agg.OrderBy = m.list(agg.Args), m.keys(agg.OrderBy)
			c.Aggs[i].Agg = &agg
		}
		return m.choose(n, &c)
	}
	return n
}

type exprMapper struct {
	f       func(expr.Expr) expr.Expr
	changed bool
}

func (m *exprMapper) choose(before, after Node) Node {
	if m.changed {
		return after
	}
	return before
}

func (m *exprMapper) one(e expr.Expr) expr.Expr {
	x := m.f(e)
	m.changed = m.changed || x != e
	return x
}

func (m *exprMapper) list(es []expr.Expr) []expr.Expr {
	if es == nil {
		return nil
	}
	out := make([]expr.Expr, len(es))
	for i, e := range es {
		out[i] = m.one(e)
	}
	return out
}

func (m *exprMapper) keys(ks []expr.SortKey) []expr.SortKey {
	if ks == nil {
		return nil
	}
	out := append([]expr.SortKey(nil), ks...)
	for i := range out {
		out[i].Expr = m.one(out[i].Expr)
	}
	return out
}
