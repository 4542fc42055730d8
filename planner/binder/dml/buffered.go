package dml

import (
	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// reads reports whether a query reads a table. MySQL then puts the rows that are to be inserted into a
// temporary table, whose values have only the digits that are shown. Constants are not in it.
func reads(n logical.Node, table catalog.Table) bool {
	scan, ok := n.(*logical.Scan)
	found := ok && scan.Table == table
	logical.EachExpr(n, func(e expr.Expr) {
		expr.Walk(e, func(e expr.Expr) bool {
			q, ok := e.(*expr.Subquery)
			found = found || ok && reads(q.Plan.(logical.Node), table)
			return !found
		})
	})
	for _, in := range n.Inputs() {
		found = found || reads(in, table)
	}
	return found
}

// isConstant reports whether a column of a query is a constant expression of its select list.
func isConstant(n logical.Node, id expr.ColID) bool {
	p, ok := n.(*logical.Project)
	if !ok {
		return len(n.Inputs()) == 1 && isConstant(n.Inputs()[0], id)
	}
	for _, it := range p.Items {
		if it.Col.ID == id {
			if c, ok := it.Expr.(*expr.Col); ok {
				return isConstant(p.In, c.ID)
			}
			constant := !expr.Volatile(it.Expr)
			expr.Walk(it.Expr, func(e expr.Expr) bool {
				switch e.(type) {
				case *expr.Col, *expr.Subquery:
					constant = false
				}
				return constant
			})
			return constant
		}
	}
	return false
}
