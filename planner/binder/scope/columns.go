package scope

import (
	"gsql/planner/binder/statement"
	"gsql/planner/logical"
	"gsql/sql/expr"
)

// PassThrough keeps the given columns of node.
func PassThrough(node logical.Node, cols []logical.Column) logical.Node {
	return &logical.Project{In: node, Items: PassItems(cols)}
}

// PassItems returns items that pass columns through.
func PassItems(cols []logical.Column) []logical.Item {
	items := make([]logical.Item, len(cols))
	for i, c := range cols {
		items[i] = logical.Item{Col: c, Expr: c.Ref()}
	}
	return items
}

// CastColumns casts node's columns to the types of want.
func CastColumns(s *statement.Statement, node logical.Node, want []logical.Column) logical.Node {
	cols := node.Schema()
	items := make([]logical.Item, len(cols))
	changed := false
	for i, c := range cols {
		items[i] = logical.Item{Col: c, Expr: c.Ref()}
		if c.T != want[i].T {
			changed = true
			items[i].Expr = expr.Cast(c.Ref(), want[i].T)
			items[i].Col.ID, items[i].Col.T = s.NewID(), want[i].T
		}
	}
	if !changed {
		return node
	}
	return &logical.Project{In: node, Items: items}
}

// Renewed returns the columns with new ids.
func Renewed(s *statement.Statement, cols []logical.Column) []logical.Column {
	out := append([]logical.Column(nil), cols...)
	for i := range out {
		out[i].ID = s.NewID()
	}
	return out
}

// IDsOf returns the set of the columns' ids.
func IDsOf(cols []logical.Column) map[expr.ColID]bool {
	ids := make(map[expr.ColID]bool, len(cols))
	for i := range cols {
		ids[cols[i].ID] = true
	}
	return ids
}
