package logical

import "gsql/sql/expr"

// EachExpr calls f for the expressions that n itself holds, not those below it.
func EachExpr(n Node, f func(expr.Expr)) {
	each := func(es []expr.Expr) {
		for _, e := range es {
			f(e)
		}
	}
	switch x := n.(type) {
	case *Scan:
		each(x.Preds)
	case *Values:
		for _, row := range x.Rows {
			each(row)
		}
	case *Filter:
		each(x.Preds)
	case *Project:
		for i := range x.Items {
			f(x.Items[i].Expr)
		}
	case *Join:
		each(x.On)
	case *Aggregate:
		for i := range x.Aggs {
			each(x.Aggs[i].Agg.Args)
			for _, k := range x.Aggs[i].Agg.OrderBy {
				f(k.Expr)
			}
		}
	case *Window:
		each(x.Partition)
		for _, k := range x.Order {
			f(k.Expr)
		}
		for _, it := range x.Funcs {
			it.Fn.Exprs(f)
		}
	case *Sort:
		for _, k := range x.Keys {
			f(k.Expr)
		}
	}
}

// MapExprs rebuilds n with f applied to each expression that n itself holds (those of EachExpr).
// It returns n if nothing changed, and allocates only what changed.
func MapExprs(n Node, f func(expr.Expr) expr.Expr) Node {
	switch x := n.(type) {
	case *Scan:
		if ps, ok := MapList(x.Preds, f); ok {
			c := *x
			c.Preds = ps
			return &c
		}
	case *Values:
		return mapRows(x, f)
	case *Filter:
		if ps, ok := MapList(x.Preds, f); ok {
			return &Filter{In: x.In, Preds: ps}
		}
	case *Project:
		return mapItems(x, f)
	case *Join:
		if on, ok := MapList(x.On, f); ok {
			c := *x
			c.On = on
			return &c
		}
	case *Aggregate:
		return mapAggs(x, f)
	case *Window:
		return mapWindow(x, f)
	case *Sort:
		if ks, ok := MapKeys(x.Keys, f); ok {
			return &Sort{In: x.In, Keys: ks}
		}
	}
	return n
}

func mapRows(x *Values, f func(expr.Expr) expr.Expr) Node {
	var rows [][]expr.Expr
	for i, row := range x.Rows {
		if m, ok := MapList(row, f); ok {
			if rows == nil {
				rows = append([][]expr.Expr(nil), x.Rows...)
			}
			rows[i] = m
		}
	}
	if rows == nil {
		return x
	}
	return &Values{Columns: x.Columns, Rows: rows}
}

func mapItems(x *Project, f func(expr.Expr) expr.Expr) Node {
	var items []Item
	for i := range x.Items {
		if m := f(x.Items[i].Expr); m != x.Items[i].Expr {
			if items == nil {
				items = append([]Item(nil), x.Items...)
			}
			items[i].Expr = m
		}
	}
	if items == nil {
		return x
	}
	return &Project{In: x.In, Items: items}
}

func mapAggs(x *Aggregate, f func(expr.Expr) expr.Expr) Node {
	var aggs []AggItem
	for i := range x.Aggs {
		a := x.Aggs[i].Agg
		args, ok := MapList(a.Args, f)
		order, ok2 := MapKeys(a.OrderBy, f)
		if !ok && !ok2 {
			continue
		}
		if aggs == nil {
			aggs = append([]AggItem(nil), x.Aggs...)
		}
		m := *a
		m.Args, m.OrderBy = args, order
		aggs[i].Agg = &m
	}
	if aggs == nil {
		return x
	}
	return &Aggregate{In: x.In, Keys: x.Keys, Aggs: aggs}
}

func mapWindow(x *Window, f func(expr.Expr) expr.Expr) Node {
	partition, changed := MapList(x.Partition, f)
	order, ok := MapKeys(x.Order, f)
	changed = changed || ok
	funcs := append([]WindowItem(nil), x.Funcs...)
	for i := range funcs {
		m := funcs[i].Fn.Map(f)
		changed = changed || m != funcs[i].Fn
		funcs[i].Fn = m
	}
	if !changed {
		return x
	}
	return &Window{In: x.In, Partition: partition, Order: order, Funcs: funcs, Top: x.Top}
}

// MapList applies f to each element and reports whether any changed.
func MapList(es []expr.Expr, f func(expr.Expr) expr.Expr) ([]expr.Expr, bool) {
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

// MapKeys is MapList for sort keys.
func MapKeys(ks []expr.SortKey, f func(expr.Expr) expr.Expr) ([]expr.SortKey, bool) {
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
