package cost

import (
	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/types"
)

func projected(in *Props, items []logical.Item) *Props {
	p := &Props{Rows: in.Rows, in: [2]*Props{in}, ordered: true}
	for i := range items {
		it := &items[i]
		c, isCol := it.Expr.(*expr.Col)
		switch {
		case isCol && c.ID == it.Col.ID:
		case isCol:
			if col, ok := in.Col(c.ID); ok {
				p.own = append(p.own, ownColumn{it.Col.ID, col})
			}
		default:
			p.own = append(p.own, ownColumn{it.Col.ID, computed(it, in)})
		}
	}
	return p
}

func computed(it *logical.Item, in *Props) Column {
	col := Column{Type: it.Col.T, NDV: in.NDV(it.Expr), Null: in.nullShare(it.Expr), Width: TypeWidth(it.Col.T)}
	x := linearOf(it.Expr, in)
	if !x.ok || !it.Col.T.IsNumeric() {
		return col
	}
	if x.col.grouped != nil {
		col.grouped = &grouped{of: &x}
	}
	if x.col.Bounded {
		a, b := x.col.Lo*x.scale+x.shift, x.col.Hi*x.scale+x.shift
		col.Lo, col.Hi, col.Bounded = min(a, b), max(a, b), true
	}
	return col
}

func valueColumns(n *logical.Values) []ownColumn {
	out := make([]ownColumn, len(n.Columns))
	for i, c := range n.Columns {
		out[i] = ownColumn{c.ID, valueColumn(n, i)}
	}
	return out
}

func valueColumn(n *logical.Values, i int) Column {
	col := Column{Type: n.Columns[i].T, NDV: max(1, float64(len(n.Rows))), Width: TypeWidth(n.Columns[i].T)}
	for j, row := range n.Rows {
		k, ok := row[i].(*expr.Const)
		if !ok || k.Value.Null {
			col.Bounded = false
			return col
		}
		x := k.Value.Float()
		if j == 0 {
			col.Lo, col.Hi, col.Bounded = x, x, true
		}
		col.Lo, col.Hi = min(col.Lo, x), max(col.Hi, x)
	}
	return col
}

func limited(in *Props, n *logical.Limit) *Props {
	rows := max(0, in.Rows-float64(n.Offset))
	if n.Count >= 0 {
		rows = min(rows, float64(n.Count))
	}
	return &Props{Rows: rows, in: [2]*Props{in}, ordered: true}
}

func sorted(in *Props, keys []expr.SortKey) *Props {
	p := &Props{Rows: in.Rows, in: [2]*Props{in}}
	if len(keys) == 0 || keys[0].Desc {
		return p
	}
	if c, ok := keys[0].Expr.(*expr.Col); ok {
		if col, ok := in.Col(c.ID); ok {
			col.Sorted = true
			p.set(c.ID, col)
		}
	}
	return p
}

func combined(l, r *Props, n *logical.SetOp) *Props {
	p := &Props{}
	switch {
	case n.Kind == logical.Union:
		p.Rows = l.Rows + r.Rows
	case n.Kind == logical.Except:
		p.Rows = max(l.Rows-r.Rows/2, l.Rows/2)
	default:
		p.Rows = min(l.Rows, r.Rows) / 2
	}
	distinct := 1.0
	left, right := n.L.Schema(), n.R.Schema()
	for i, c := range n.Columns {
		a, _ := l.Col(left[i].ID)
		b, _ := r.Col(right[i].ID)
		col := union(a, b, c.T)
		p.own = append(p.own, ownColumn{c.ID, col})
		distinct *= col.NDV
	}
	if !n.All {
		p.Rows = min(p.Rows, max(distinct, 1))
	}
	return p
}

func union(a, b Column, t types.Type) Column {
	col := Column{Type: t, NDV: max(1, max(a.NDV, b.NDV)), Null: (a.Null + b.Null) / 2, Width: max(TypeWidth(t), max(a.Width, b.Width))}
	if a.Bounded && b.Bounded {
		col.Lo, col.Hi, col.Bounded = min(a.Lo, b.Lo), max(a.Hi, b.Hi), true
	}
	return col
}
