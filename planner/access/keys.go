package access

import (
	"slices"

	"gsql/planner/logical"
	"gsql/planner/lookup"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/vec"
)

// mostKeys is how many keys a scan looks up at most.
const mostKeys = 1024

// Keys returns the values of a unique key that the predicates of a scan leave, where each
// of its columns is compared with constants for equality or with a list of some: the
// combinations of these. nil where there are too many, or where the table cannot find rows by
// the key. Some of them may be NULL and then mean nothing.
func Keys(n *logical.Scan) *catalog.Keys {
	if len(n.Preds) == 0 || !slices.ContainsFunc(n.Preds, boundless) { // a single key is found by its bounds
		return nil
	}
	t, ok := n.Table.(catalog.KeyFinder)
	if !ok {
		return nil
	}
	for _, ix := range n.Table.Schema().Indexes {
		if !ix.Unique && !ix.Primary || !t.FindsBy(ix.Columns) {
			continue
		}
		if keys := valuesLeft(n, ix.Columns); keys != nil {
			return keys
		}
	}
	return nil
}

// boundless reports whether predicates may leave keys that their bounds do not determine.
func boundless(e expr.Expr) bool {
	c, ok := e.(*expr.Call)
	return ok && (c.Fn == expr.FuncIn || c.Fn == expr.FuncEQ && slices.ContainsFunc(c.Args, lookup.IsCollationKey))
}

// valuesLeft returns the combinations of the values that predicates leave of columns.
func valuesLeft(n *logical.Scan, columns []int) *catalog.Keys {
	lists, total := make([][]*catalog.Datum, len(columns)), 1
	for i, c := range columns {
		for _, e := range n.Preds {
			if l := listOf(n, e, c); l != nil && (lists[i] == nil || len(l) < len(lists[i])) {
				lists[i] = l
			}
		}
		total *= len(lists[i])
		if total == 0 || total > mostKeys {
			return nil
		}
	}
	keys := &catalog.Keys{Columns: columns, Values: make([]*vec.Vector, len(columns))}
	schema, each := n.Table.Schema(), total // how often the next column's values come one after the other
	for i, c := range columns {
		each /= len(lists[i])
		v := vec.NewFlat(schema.Columns[c].Type, total)
		for at := range total {
			lists[i][at/each%len(lists[i])].Put(v, at)
		}
		keys.Values[i] = v
	}
	return keys
}

// listOf returns the values that a predicate leaves of a column of the table, nil where it
// leaves others than some constants.
func listOf(n *logical.Scan, e expr.Expr, column int) []*catalog.Datum {
	c, ok := e.(*expr.Call)
	if !ok || c.Fn != expr.FuncIn && c.Fn != expr.FuncEQ {
		return nil
	}
	args := c.Args
	if _, isConst := args[0].(*expr.Const); isConst && c.Fn == expr.FuncEQ {
		args = []expr.Expr{args[1], args[0]}
	}
	col := lookup.Column(args[0])
	if col == nil || n.Ordinal(col.ID) != column || expr.HasKey(col.T) != lookup.IsCollationKey(args[0]) {
		return nil
	}
	out := make([]*catalog.Datum, 0, len(args)-1)
	for _, a := range args[1:] {
		d := bound(col, a)
		if d == nil {
			return nil
		}
		out = append(out, d)
	}
	return out
}
