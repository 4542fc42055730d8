package rules

import (
	"slices"

	"gsql/planner/logical"
	"gsql/sql/expr"
)

// onlyInput returns the input of a node with exactly one, else nil.
func onlyInput(n logical.Node) logical.Node {
	in := logical.InputPair(n)
	if in[1] != nil {
		return nil
	}
	return in[0]
}

// eachInput calls f for the inputs of n.
func eachInput(n logical.Node, f func(logical.Node)) {
	for _, in := range logical.InputPair(n) {
		if in != nil {
			f(in)
		}
	}
}

// passItem returns the item that passes a column through.
func passItem(c logical.Column) logical.Item { return logical.Item{Col: c, Expr: c.Ref()} }

// passItems returns the items that pass columns through.
func passItems(cols []logical.Column) []logical.Item {
	items := make([]logical.Item, len(cols))
	for i, c := range cols {
		items[i] = passItem(c)
	}
	return items
}

// isPass reports whether an item passes a column through under its own id.
func isPass(it *logical.Item) bool {
	c, ok := it.Expr.(*expr.Col)
	return ok && c.ID == it.Col.ID
}

// filter puts preds above n, merging them into an existing filter.
func filter(n logical.Node, preds []expr.Expr) logical.Node {
	if len(preds) == 0 {
		return n
	}
	if f, ok := n.(*logical.Filter); ok {
		return &logical.Filter{In: f.In, Preds: slices.Concat(f.Preds, preds)}
	}
	return &logical.Filter{In: n, Preds: preds}
}

// itemsByID returns the expressions of items by column.
func itemsByID(items []logical.Item) map[expr.ColID]expr.Expr {
	by := make(map[expr.ColID]expr.Expr, len(items))
	for i := range items {
		if !isPass(&items[i]) {
			by[items[i].Col.ID] = items[i].Expr
		}
	}
	return by
}
