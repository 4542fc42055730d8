package ddl

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// readsTables reports whether a query selects from tables and views alone. As in MySQL, columns of
// derived tables, common table expressions and set operations have no default.
func readsTables(n ast.ResultSetNode) bool {
	s, ok := n.(*ast.SelectStmt)
	return ok && s.With == nil && s.From != nil && areTables(s.From.TableRefs)
}

func areTables(n ast.ResultSetNode) bool {
	switch x := n.(type) {
	case nil, *ast.TableName:
		return true
	case *ast.TableSource:
		return areTables(x.Source)
	case *ast.Join:
		return areTables(x.Left) && areTables(x.Right)
	}
	return false
}

// inheritDefault copies the default of a table's column to col if column id of n is that column unchanged.
// That of an AUTO_INCREMENT column is 0, as in MySQL.
func inheritDefault(col *catalog.Column, n logical.Node, id expr.ColID) {
	switch from := originOf(n, id); {
	case from == nil:
	case from.AutoInc:
		zero := "0"
		col.Default = &zero
	default:
		col.Default, col.DefaultExpr, col.OnUpdateNow = from.Default, from.DefaultExpr, from.OnUpdateNow
	}
}

// originOf returns the column of a table that column id of n shows unchanged, or nil.
func originOf(n logical.Node, id expr.ColID) *catalog.Column {
	switch x := n.(type) {
	case *logical.Scan:
		at := slices.IndexFunc(x.Columns, func(c logical.Column) bool { return c.ID == id })
		if at < 0 || x.Ordinals[at] < 0 {
			return nil
		}
		return &x.Table.Schema().Columns[x.Ordinals[at]]
	case *logical.Project:
		for _, it := range x.Items {
			if c, ok := it.Expr.(*expr.Col); ok && it.Col.ID == id {
				return originOf(x.In, c.ID)
			}
		}
	case *logical.Filter, *logical.Sort, *logical.Limit:
		return originOf(n.Inputs()[0], id)
	case *logical.Join:
		for _, in := range n.Inputs() {
			if c := originOf(in, id); c != nil {
				return c
			}
		}
	}
	return nil
}
