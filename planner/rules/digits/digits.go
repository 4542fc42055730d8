// Package digits drops the digits that quotients carry where the only operator above uses the shown ones. A column holds
// values of more digits before the point without them.
package digits

import (
	"slices"

	"gsql/planner/logical"
	"gsql/planner/rules/cond"
	"gsql/sql/expr"
)

// Show returns a over a projection that rounds the columns of which a uses only the shown digits, or nil if there are none.
func Show(a *logical.Aggregate, newColumn func(like logical.Column) logical.Column) *logical.Aggregate {
	p, ok := a.In.(*logical.Project)
	if !ok {
		return nil
	}
	rounded := map[expr.ColID]logical.Column{}
	items := slices.Clone(p.Items)
	for i, it := range items {
		_, passes := it.Expr.(*expr.Col)
		if passes || !it.Col.T.Carries() || !onlyShown(a, it.Col) {
			continue
		}
		col := newColumn(it.Col)
		col.T = it.Col.T.Shown()
		rounded[it.Col.ID] = col
		items[i] = logical.Item{Col: col, Expr: expr.Cast(it.Expr, col.T)}
	}
	if len(rounded) == 0 {
		return nil
	}
	replace := func(e expr.Expr) expr.Expr {
		return expr.Map(e, func(e expr.Expr) expr.Expr {
			if c := shown(e); c != nil {
				if col, ok := rounded[c.ID]; ok {
					return col.Ref()
				}
			}
			return e
		})
	}
	out := &logical.Aggregate{In: &logical.Project{In: p.In, Items: items}, Keys: a.Keys, Aggs: slices.Clone(a.Aggs)}
	for i := range out.Aggs {
		m := *out.Aggs[i].Agg
		m.Args, m.OrderBy = slices.Clone(m.Args), slices.Clone(m.OrderBy)
		for j, e := range m.Args {
			m.Args[j] = replace(e)
		}
		for j, k := range m.OrderBy {
			m.OrderBy[j].Expr = replace(k.Expr)
		}
		out.Aggs[i].Agg = &m
	}
	return out
}

// shown returns the column that e rounds to its shown digits, or nil.
func shown(e expr.Expr) *expr.Col {
	x, ok := e.(*expr.Call)
	if !ok || x.Fn != expr.FuncCast {
		return nil
	}
	if c, ok := x.Args[0].(*expr.Col); ok && c.T.Carries() && x.T == c.T.Shown() {
		return c
	}
	return nil
}

// onlyShown reports whether a uses a column, and only its shown digits.
func onlyShown(a *logical.Aggregate, col logical.Column) bool {
	used, bare := false, slices.ContainsFunc(a.Keys, func(k logical.Column) bool { return k.ID == col.ID })
	look := func(e expr.Expr) {
		bare = bare || cond.HasSubquery(e)
		expr.Walk(e, func(e expr.Expr) bool {
			if c := shown(e); c != nil {
				used = used || c.ID == col.ID
				return false
			}
			c, ok := e.(*expr.Col)
			bare = bare || ok && c.ID == col.ID
			return !bare
		})
	}
	for _, it := range a.Aggs {
		for _, e := range it.Agg.Args {
			look(e)
		}
		for _, k := range it.Agg.OrderBy {
			look(k.Expr)
		}
	}
	return used && !bare
}
