package rules

import (
	"gsql/planner/logical"
	"gsql/sql/expr"
)

// cloned copies n's subtree with new ids for all columns it produces, and gives the
// new column for each old one. Correlated columns stay as they are.
func (c *context) cloned(n logical.Node) (logical.Node, map[expr.ColID]expr.Expr) {
	k := cloner{c: c, by: map[expr.ColID]expr.Expr{}, subs: map[*expr.Subquery]*expr.Subquery{}, plans: map[any]logical.Node{}}
	return k.clone(n), k.by
}

type cloner struct {
	c    *context
	by   map[expr.ColID]expr.Expr
	subs map[*expr.Subquery]*expr.Subquery

	plans map[any]logical.Node // of subqueries
}

// col gives the new column of an old one; a column that is passed through keeps the
// id it was given where it was produced.
func (k *cloner) col(old logical.Column) logical.Column {
	if ref, ok := k.by[old.ID]; ok {
		old.ID = ref.(*expr.Col).ID
		return old
	}
	fresh := k.c.newColumn(old)
	k.by[old.ID] = fresh.Ref()
	return fresh
}

func (k *cloner) cols(old []logical.Column) []logical.Column {
	out := make([]logical.Column, len(old))
	for i, col := range old {
		out[i] = k.col(col)
	}
	return out
}

// expr copies an expression. A subquery or a plan that occurs twice is copied once, so
// that its columns are produced once.
func (k *cloner) expr(e expr.Expr) expr.Expr {
	switch x := e.(type) {
	case *expr.Col:
		if to, ok := k.by[x.ID]; ok {
			return to
		}
	case *expr.Call:
		if args, changed := logical.MapList(x.Args, k.expr); changed {
			m := *x
			m.Args = args
			return &m
		}
	case *expr.Subquery:
		if k.subs[x] == nil {
			m := *x
			m.Left, _ = logical.MapList(x.Left, k.expr)
			if k.plans[x.Plan] == nil {
				k.plans[x.Plan] = k.clone(x.Plan.(logical.Node))
			}
			m.Plan = k.plans[x.Plan]
			k.subs[x] = &m
		}
		return k.subs[x]
	}
	return e
}

// clone copies inputs first, so that k.by knows their columns.
func (k *cloner) clone(n logical.Node) logical.Node {
	n, _ = mapInputs(n, func(in logical.Node) (logical.Node, error) { return k.clone(in), nil })
	switch x := n.(type) {
	case *logical.Scan:
		m := *x
		m.Columns = k.cols(x.Columns)
		n = &m
	case *logical.Values:
		n = &logical.Values{Columns: k.cols(x.Columns), Rows: x.Rows}
	case *logical.WorkTable:
		return &logical.WorkTable{Work: x.Work, Alias: x.Alias, Columns: k.cols(x.Columns)}
	}
	n = logical.MapExprs(n, k.expr)
	switch x := n.(type) {
	case *logical.Project:
		m := &logical.Project{In: x.In, Items: make([]logical.Item, len(x.Items))}
		for i, it := range x.Items {
			m.Items[i] = logical.Item{Col: k.col(it.Col), Expr: it.Expr}
		}
		return m
	case *logical.Aggregate:
		m := &logical.Aggregate{In: x.In, Keys: k.cols(x.Keys), Aggs: make([]logical.AggItem, len(x.Aggs))}
		for i, a := range x.Aggs {
			m.Aggs[i] = logical.AggItem{Col: k.col(a.Col), Agg: a.Agg}
		}
		return m
	case *logical.Window:
		m := *x
		m.Funcs = make([]logical.WindowItem, len(x.Funcs))
		for i, f := range x.Funcs {
			m.Funcs[i] = logical.WindowItem{Col: k.col(f.Col), Fn: f.Fn}
			if f.Col.ID == x.Top.By {
				m.Top.By = m.Funcs[i].Col.ID
			}
		}
		return &m
	case *logical.SetOp:
		m := *x
		m.Columns = k.cols(x.Columns)
		return &m
	case *logical.Recursive:
		m := *x
		m.Columns = k.cols(x.Columns)
		return &m
	case *logical.Join:
		if x.Kind == logical.Mark {
			m := *x
			m.MarkCol = k.col(x.MarkCol)
			return &m
		}
	}
	return n
}
