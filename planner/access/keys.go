package access

import (
	"slices"

	"gsql/planner/logical"
	"gsql/planner/lookup"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/vec"
)

// mostKeys is the maximum number of keys that a scan looks up.
const mostKeys = 1024

// Keys returns the values of a unique key that satisfy the predicates of a scan. Each column of
// the key must be compared with a constant or a list of constants for equality; the keys are the
// combinations of these. Keys returns nil if there are too many, or if the table cannot find rows
// by the key. Some values may be NULL, which match no rows.
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

// boundless reports whether a predicate may exclude keys that its bounds include.
func boundless(e expr.Expr) bool {
	c, ok := e.(*expr.Call)
	return ok && (c.Fn == expr.FuncIn || c.Fn == expr.FuncEQ && slices.ContainsFunc(c.Args, lookup.IsCollationKey))
}

// valuesLeft returns the combinations of values of columns that satisfy the predicates.
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
	schema, each := n.Table.Schema(), total // how many consecutive keys share a value of the next column
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

// listOf returns the values of a column of the table that satisfy a predicate, or nil if these
// are not a list of constants.
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
