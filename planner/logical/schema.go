package logical

import (
	"slices"

	"gsql/sql/expr"
)

// Schema implements Node.
func (n *Scan) Schema() []Column { return n.Columns }

// Ordinal returns the ordinal in the table of a column of n (catalog.RowID for the row id), or -1
// if n has no such column.
func (n *Scan) Ordinal(id expr.ColID) int {
	for i := range n.Columns {
		if n.Columns[i].ID == id {
			return n.Ordinals[i]
		}
	}
	return -1
}

// Inputs implements Node.
func (n *Scan) Inputs() []Node { return nil }

// WithInputs implements Node.
func (n *Scan) WithInputs([]Node) Node { return n }

// Schema implements Node.
func (n *Values) Schema() []Column { return n.Columns }

// Inputs implements Node.
func (n *Values) Inputs() []Node { return nil }

// WithInputs implements Node.
func (n *Values) WithInputs([]Node) Node { return n }

// Schema implements Node.
func (n *Filter) Schema() []Column { return n.In.Schema() }

// Inputs implements Node.
func (n *Filter) Inputs() []Node { return []Node{n.In} }

// WithInputs implements Node.
func (n *Filter) WithInputs(in []Node) Node { c := *n; c.In = in[0]; return &c }

// Schema implements Node.
func (n *Project) Schema() []Column {
	out := make([]Column, len(n.Items))
	for i, it := range n.Items {
		out[i] = it.Col
	}
	return out
}

// Inputs implements Node.
func (n *Project) Inputs() []Node { return []Node{n.In} }

// WithInputs implements Node.
func (n *Project) WithInputs(in []Node) Node { c := *n; c.In = in[0]; return &c }

// Schema implements Node.
func (n *Join) Schema() []Column {
	l := n.L.Schema()
	switch n.Kind {
	case Semi, Anti:
		return l
	case Mark:
		return append(l[:len(l):len(l)], n.MarkCol)
	}
	r := n.R.Schema()
	out := make([]Column, 0, len(l)+len(r))
	out = append(append(out, l...), r...)
	return n.Kind.Pad(out, len(l))
}

// Pad marks as nullable the columns in cols that a join of kind k pads with NULLs. cols is a new
// list of the columns of both inputs; the first left ones are the left input's. It returns cols.
func (k JoinKind) Pad(cols []Column, left int) []Column {
	for i := range cols {
		if i < left && k.PadsLeft() || i >= left && k.PadsRight() {
			cols[i].NotNull = false
		}
	}
	return cols
}

// Inputs implements Node.
func (n *Join) Inputs() []Node { return []Node{n.L, n.R} }

// WithInputs implements Node.
func (n *Join) WithInputs(in []Node) Node { c := *n; c.L, c.R = in[0], in[1]; return &c }

// Schema implements Node.
func (n *Aggregate) Schema() []Column {
	out := make([]Column, 0, len(n.Keys)+len(n.Aggs))
	out = append(out, n.Keys...)
	for _, a := range n.Aggs {
		out = append(out, a.Col)
	}
	return out
}

// Inputs implements Node.
func (n *Aggregate) Inputs() []Node { return []Node{n.In} }

// WithInputs implements Node.
func (n *Aggregate) WithInputs(in []Node) Node { c := *n; c.In = in[0]; return &c }

// Schema implements Node.
func (n *Window) Schema() []Column {
	in := n.In.Schema()
	out := make([]Column, 0, len(in)+len(n.Funcs))
	out = append(out, in...)
	for _, f := range n.Funcs {
		out = append(out, f.Col)
	}
	return out
}

// Inputs implements Node.
func (n *Window) Inputs() []Node { return []Node{n.In} }

// WithInputs implements Node.
func (n *Window) WithInputs(in []Node) Node { c := *n; c.In = in[0]; return &c }

// Schema implements Node.
func (n *Sort) Schema() []Column { return n.In.Schema() }

// Inputs implements Node.
func (n *Sort) Inputs() []Node { return []Node{n.In} }

// WithInputs implements Node.
func (n *Sort) WithInputs(in []Node) Node { c := *n; c.In = in[0]; return &c }

// Schema implements Node.
func (n *Limit) Schema() []Column { return n.In.Schema() }

// Inputs implements Node.
func (n *Limit) Inputs() []Node { return []Node{n.In} }

// WithInputs implements Node.
func (n *Limit) WithInputs(in []Node) Node { c := *n; c.In = in[0]; return &c }

// Schema implements Node.
func (n *SetOp) Schema() []Column { return n.Columns }

// Inputs implements Node.
func (n *SetOp) Inputs() []Node { return []Node{n.L, n.R} }

// WithInputs implements Node.
func (n *SetOp) WithInputs(in []Node) Node { c := *n; c.L, c.R = in[0], in[1]; return &c }

// Schema implements Node.
func (n *Recursive) Schema() []Column { return n.Columns }

// Inputs implements Node.
func (n *Recursive) Inputs() []Node { return []Node{n.Seed, n.Step} }

// WithInputs implements Node.
func (n *Recursive) WithInputs(in []Node) Node { c := *n; c.Seed, c.Step = in[0], in[1]; return &c }

// Schema implements Node.
func (n *WorkTable) Schema() []Column { return n.Columns }

// Inputs implements Node.
func (n *WorkTable) Inputs() []Node { return nil }

// WithInputs implements Node.
func (n *WorkTable) WithInputs([]Node) Node { return n }

// Schema implements Node.
func (n *MaxOneRow) Schema() []Column { return Padded(n.In.Schema()) }

// Padded returns the columns as nullable, because a row of NULLs may replace a missing one.
func Padded(cols []Column) []Column {
	out := slices.Clone(cols)
	for i := range out {
		out[i].NotNull = false
	}
	return out
}

// Inputs implements Node.
func (n *MaxOneRow) Inputs() []Node { return []Node{n.In} }

// WithInputs implements Node.
func (n *MaxOneRow) WithInputs(in []Node) Node { c := *n; c.In = in[0]; return &c }

// InputPair returns the inputs of n, left first, with nil for a missing one. Unlike Inputs it
// allocates no slice.
func InputPair(n Node) [2]Node {
	switch x := n.(type) {
	case *Filter:
		return [2]Node{x.In}
	case *Project:
		return [2]Node{x.In}
	case *Join:
		return [2]Node{x.L, x.R}
	case *Aggregate:
		return [2]Node{x.In}
	case *Rollup:
		return [2]Node{x.In}
	case *Sort:
		return [2]Node{x.In}
	case *Limit:
		return [2]Node{x.In}
	case *Window:
		return [2]Node{x.In}
	case *MaxOneRow:
		return [2]Node{x.In}
	case *SetOp:
		return [2]Node{x.L, x.R}
	case *Recursive:
		return [2]Node{x.Seed, x.Step}
	}
	return [2]Node{}
}

// MapInputs replaces each input of n by the result of f. It returns n itself if nothing changed,
// and allocates only for changed nodes.
func MapInputs(n Node, f func(Node) (Node, error)) (Node, error) {
	in := InputPair(n)
	switch {
	case in[0] == nil:
		return n, nil
	case in[1] != nil:
		return mapPair(n, in[0], in[1], f)
	}
	m, err := f(in[0])
	if err != nil || m == in[0] {
		return n, err
	}
	return n.WithInputs([]Node{m}), nil
}

func mapPair(n, l, r Node, f func(Node) (Node, error)) (Node, error) {
	l2, err := f(l)
	if err != nil {
		return n, err
	}
	r2, err := f(r)
	if err != nil || l2 == l && r2 == r {
		return n, err
	}
	return n.WithInputs([]Node{l2, r2}), nil
}
