package logical

import "gsql/sql/expr"

// Clone copies n's subtree, with an id from newID for each column it produces, and returns the
// new column for each old one. Correlated columns are unchanged.
func Clone(n Node, newID func() expr.ColID) (Node, map[expr.ColID]expr.Expr) {
	k := cloner{newID: newID, by: map[expr.ColID]expr.Expr{}, subs: map[*expr.Subquery]*expr.Subquery{}, plans: map[any]Node{}}
	return k.clone(n), k.by
}

type cloner struct {
	newID func() expr.ColID
	by    map[expr.ColID]expr.Expr
	subs  map[*expr.Subquery]*expr.Subquery

	plans map[any]Node // of subqueries
}

// col returns the new column for an old one; a column that is passed through keeps the id
// assigned where it was produced.
func (k *cloner) col(old Column) Column {
	if ref, ok := k.by[old.ID]; ok {
		old.ID = ref.(*expr.Col).ID
		return old
	}
	fresh := old
	fresh.ID = k.newID()
	k.by[old.ID] = fresh.Ref()
	return fresh
}

func (k *cloner) cols(old []Column) []Column {
	out := make([]Column, len(old))
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
		if args, changed := MapList(x.Args, k.expr); changed {
			m := *x
			m.Args = args
			return &m
		}
	case *expr.Subquery:
		if k.subs[x] == nil {
			m := *x
			m.Left, _ = MapList(x.Left, k.expr)
			if k.plans[x.Plan] == nil {
				k.plans[x.Plan] = k.clone(x.Plan.(Node))
			}
			m.Plan = k.plans[x.Plan]
			k.subs[x] = &m
		}
		return k.subs[x]
	}
	return e
}

// clone copies inputs first, so that k.by knows their columns.
func (k *cloner) clone(n Node) Node {
	n, _ = MapInputs(n, func(in Node) (Node, error) { return k.clone(in), nil })
	switch x := n.(type) {
	case *Scan:
		m := *x
		m.Columns = k.cols(x.Columns)
		n = &m
	case *Values:
		n = &Values{Columns: k.cols(x.Columns), Rows: x.Rows}
	case *WorkTable:
		return &WorkTable{Work: x.Work, Alias: x.Alias, Columns: k.cols(x.Columns)}
	}
	n = MapExprs(n, k.expr)
	switch x := n.(type) {
	case *Project:
		m := &Project{In: x.In, Items: make([]Item, len(x.Items))}
		for i, it := range x.Items {
			m.Items[i] = Item{Col: k.col(it.Col), Expr: it.Expr}
		}
		return m
	case *Aggregate:
		m := &Aggregate{In: x.In, Keys: k.cols(x.Keys), Aggs: make([]AggItem, len(x.Aggs))}
		for i, a := range x.Aggs {
			m.Aggs[i] = AggItem{Col: k.col(a.Col), Agg: a.Agg}
		}
		return m
	case *Rollup:
		m := *x
		m.Keys, m.Out, m.Level = k.cols(x.Keys), k.cols(x.Out), k.col(x.Level)
		m.Items = make([]RollupItem, len(x.Items))
		for i, it := range x.Items {
			m.Items[i] = RollupItem{Col: k.col(it.Col), Fn: it.Fn, In: k.col(it.In)}
		}
		return &m
	case *Window:
		m := *x
		m.Funcs = make([]WindowItem, len(x.Funcs))
		for i, f := range x.Funcs {
			m.Funcs[i] = WindowItem{Col: k.col(f.Col), Fn: f.Fn}
			if f.Col.ID == x.Top.By {
				m.Top.By = m.Funcs[i].Col.ID
			}
		}
		return &m
	case *SetOp:
		m := *x
		m.Columns = k.cols(x.Columns)
		return &m
	case *Recursive:
		m := *x
		m.Columns = k.cols(x.Columns)
		return &m
	case *Join:
		if x.Kind == Mark {
			m := *x
			m.MarkCol = k.col(x.MarkCol)
			return &m
		}
	}
	return n
}
