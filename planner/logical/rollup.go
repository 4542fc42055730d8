package logical

import "gsql/sql/expr"

// Rollup adds to the groups of In, which differ in Keys, the groups of each prefix of the keys: those
// by all keys but the last, and so on down to one group of all rows. Its columns are Out, in which the
// keys that a group's level omits are NULL, Level, which is the number of keys that it keeps, and
// those of Items. An empty input has no groups at all.
type Rollup struct {
	In    Node
	Keys  []Column // of In; one that occurs twice makes two levels
	Out   []Column // of the same types
	Level Column
	Items []RollupItem
}

// RollupItem merges the values that a column of In has in the groups that become one: their sum,
// the least of them, and so on. Both columns have the same type.
type RollupItem struct {
	Col Column
	Fn  expr.AggFn
	In  Column
}

// Agg returns the aggregate that merges the values.
func (it *RollupItem) Agg() *expr.Agg {
	return &expr.Agg{Fn: it.Fn, Args: []expr.Expr{it.In.Ref()}, T: it.Col.T}
}

// Needs returns the columns of In that n reads.
func (n *Rollup) Needs() []Column {
	need := append([]Column(nil), n.Keys...)
	for i := range n.Items {
		need = append(need, n.Items[i].In)
	}
	return need
}

// Schema implements Node.
func (n *Rollup) Schema() []Column {
	out := make([]Column, 0, len(n.Out)+1+len(n.Items))
	out = append(append(out, n.Out...), n.Level)
	for i := range n.Items {
		out = append(out, n.Items[i].Col)
	}
	return out
}

// Inputs implements Node.
func (n *Rollup) Inputs() []Node { return []Node{n.In} }

// WithInputs implements Node.
func (n *Rollup) WithInputs(in []Node) Node { c := *n; c.In = in[0]; return &c }
