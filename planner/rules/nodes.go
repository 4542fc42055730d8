package rules

import (
	"gsql/planner/logical"
	"gsql/sql/expr"
)

// mapInputs replaces the inputs of n by what f makes of them; n itself comes back
// when nothing changed. It allocates only for changed nodes.
func mapInputs(n logical.Node, f func(logical.Node) (logical.Node, error)) (logical.Node, error) {
	switch x := n.(type) {
	case *logical.Join:
		return mapPair(n, x.L, x.R, f)
	case *logical.SetOp:
		return mapPair(n, x.L, x.R, f)
	}
	in := onlyInput(n)
	if in == nil {
		return n, nil
	}
	m, err := f(in)
	if err != nil || m == in {
		return n, err
	}
	return n.WithInputs([]logical.Node{m}), nil
}

func mapPair(n, l, r logical.Node, f func(logical.Node) (logical.Node, error)) (logical.Node, error) {
	l2, err := f(l)
	if err != nil {
		return n, err
	}
	r2, err := f(r)
	if err != nil || l2 == l && r2 == r {
		return n, err
	}
	return n.WithInputs([]logical.Node{l2, r2}), nil
}

// onlyInput gives the input of a node that has exactly one, else nil.
func onlyInput(n logical.Node) logical.Node {
	switch x := n.(type) {
	case *logical.Filter:
		return x.In
	case *logical.Project:
		return x.In
	case *logical.Aggregate:
		return x.In
	case *logical.Sort:
		return x.In
	case *logical.Limit:
		return x.In
	case *logical.MaxOneRow:
		return x.In
	}
	return nil
}

// eachInput calls f for the inputs of n.
func eachInput(n logical.Node, f func(logical.Node)) {
	switch x := n.(type) {
	case *logical.Join:
		f(x.L)
		f(x.R)
	case *logical.SetOp:
		f(x.L)
		f(x.R)
	default:
		if in := onlyInput(n); in != nil {
			f(in)
		}
	}
}

// eachExpr calls f for the expressions that n itself holds, not those below it.
func eachExpr(n logical.Node, f func(expr.Expr)) {
	each := func(es []expr.Expr) {
		for _, e := range es {
			f(e)
		}
	}
	switch x := n.(type) {
	case *logical.Scan:
		each(x.Preds)
	case *logical.Values:
		for _, row := range x.Rows {
			each(row)
		}
	case *logical.Filter:
		each(x.Preds)
	case *logical.Project:
		for i := range x.Items {
			f(x.Items[i].Expr)
		}
	case *logical.Join:
		each(x.On)
	case *logical.Aggregate:
		for i := range x.Aggs {
			each(x.Aggs[i].Agg.Args)
			for _, k := range x.Aggs[i].Agg.OrderBy {
				f(k.Expr)
			}
		}
	case *logical.Sort:
		for _, k := range x.Keys {
			f(k.Expr)
		}
	}
}

// mapExprs rebuilds n with f applied to each expression it holds itself; n comes
// back when nothing changed.
func mapExprs(n logical.Node, f func(expr.Expr) expr.Expr) logical.Node {
	switch x := n.(type) {
	case *logical.Scan:
		if ps, ok := mapList(x.Preds, f); ok {
			c := *x
			c.Preds = ps
			return &c
		}
	case *logical.Values:
		return mapRows(x, f)
	case *logical.Filter:
		if ps, ok := mapList(x.Preds, f); ok {
			return &logical.Filter{In: x.In, Preds: ps}
		}
	case *logical.Project:
		return mapItems(x, f)
	case *logical.Join:
		if on, ok := mapList(x.On, f); ok {
			c := *x
			c.On = on
			return &c
		}
	case *logical.Aggregate:
		return mapAggs(x, f)
	case *logical.Sort:
		if ks, ok := mapKeys(x.Keys, f); ok {
			return &logical.Sort{In: x.In, Keys: ks}
		}
	}
	return n
}

func mapRows(x *logical.Values, f func(expr.Expr) expr.Expr) logical.Node {
	var rows [][]expr.Expr
	for i, row := range x.Rows {
		if m, ok := mapList(row, f); ok {
			if rows == nil {
				rows = append([][]expr.Expr(nil), x.Rows...)
			}
			rows[i] = m
		}
	}
	if rows == nil {
		return x
	}
	return &logical.Values{Columns: x.Columns, Rows: rows}
}

func mapItems(x *logical.Project, f func(expr.Expr) expr.Expr) logical.Node {
	var items []logical.Item
	for i := range x.Items {
		if m := f(x.Items[i].Expr); m != x.Items[i].Expr {
			if items == nil {
				items = append([]logical.Item(nil), x.Items...)
			}
			items[i].Expr = m
		}
	}
	if items == nil {
		return x
	}
	return &logical.Project{In: x.In, Items: items}
}

func mapAggs(x *logical.Aggregate, f func(expr.Expr) expr.Expr) logical.Node {
	var aggs []logical.AggItem
	for i := range x.Aggs {
		a := x.Aggs[i].Agg
		args, ok := mapList(a.Args, f)
		order, ok2 := mapKeys(a.OrderBy, f)
		if !ok && !ok2 {
			continue
		}
		if aggs == nil {
			aggs = append([]logical.AggItem(nil), x.Aggs...)
		}
		m := *a
		m.Args, m.OrderBy = args, order
		aggs[i].Agg = &m
	}
	if aggs == nil {
		return x
	}
	return &logical.Aggregate{In: x.In, Keys: x.Keys, Aggs: aggs}
}

// mapList applies f to each element and tells whether any changed.
func mapList(es []expr.Expr, f func(expr.Expr) expr.Expr) ([]expr.Expr, bool) {
	var out []expr.Expr
	for i, e := range es {
		if m := f(e); m != e {
			if out == nil {
				out = append([]expr.Expr(nil), es...)
			}
			out[i] = m
		}
	}
	if out == nil {
		return es, false
	}
	return out, true
}

func mapKeys(ks []expr.SortKey, f func(expr.Expr) expr.Expr) ([]expr.SortKey, bool) {
	var out []expr.SortKey
	for i, k := range ks {
		if m := f(k.Expr); m != k.Expr {
			if out == nil {
				out = append([]expr.SortKey(nil), ks...)
			}
			out[i].Expr = m
		}
	}
	if out == nil {
		return ks, false
	}
	return out, true
}

// passItem gives the item that passes a column through.
func passItem(c logical.Column) logical.Item { return logical.Item{Col: c, Expr: c.Ref()} }

// passItems gives the items that pass columns through.
func passItems(cols []logical.Column) []logical.Item {
	items := make([]logical.Item, len(cols))
	for i, c := range cols {
		items[i] = passItem(c)
	}
	return items
}

// isPass tells an item that passes a column through under its own id.
func isPass(it *logical.Item) bool {
	c, ok := it.Expr.(*expr.Col)
	return ok && c.ID == it.Col.ID
}

// filter puts preds above n, merging them into a filter that is there already.
func filter(n logical.Node, preds []expr.Expr) logical.Node {
	if len(preds) == 0 {
		return n
	}
	if f, ok := n.(*logical.Filter); ok {
		return &logical.Filter{In: f.In, Preds: concat(f.Preds, preds)}
	}
	return &logical.Filter{In: n, Preds: preds}
}

// concat joins two lists in a new one.
func concat[T any](a, b []T) []T {
	out := make([]T, 0, len(a)+len(b))
	return append(append(out, a...), b...)
}
