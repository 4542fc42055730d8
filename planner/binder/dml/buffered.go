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

// itemOf returns the expression of a query's select list that computes a column, or nil if there is none:
// a set operation has several. The expression refers to columns of the query's tables.
func itemOf(n logical.Node, id expr.ColID) expr.Expr {
	p, ok := n.(*logical.Project)
	if !ok {
		if len(n.Inputs()) == 1 {
			return itemOf(n.Inputs()[0], id)
		}
		return nil
	}
	for _, it := range p.Items {
		if it.Col.ID == id {
			if c, ok := it.Expr.(*expr.Col); ok {
				return itemOf(p.In, c.ID)
			}
			return it.Expr
		}
	}
	return nil
}

// isConstant reports whether an item of a select list is a constant expression.
func isConstant(item expr.Expr) bool {
	constant := item != nil && !expr.Volatile(item)
	if constant {
		expr.Walk(item, func(e expr.Expr) bool {
			switch e.(type) {
			case *expr.Col, *expr.Subquery:
				constant = false
			}
			return constant
		})
	}
	return constant
}
