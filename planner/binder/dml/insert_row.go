package dml

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/block"
	"gsql/planner/binder/scalar"
	"gsql/planner/binder/scope"
	"gsql/planner/binder/statement"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// valueRow binds the values of an inserted row that name columns. As in MySQL, a name refers to
// the value to its left, or to the column's default if there is none yet.
type valueRow struct {
	*block.Block
	table *scope.Target
	cols  *scope.Scope // columns of the table; set once a value names one
}

func (r *valueRow) columns() *scope.Scope {
	if r.cols == nil {
		node, sc := scope.Scan(r.Statement, r.table.Table, r.table.DB, r.table.Name)
		scope.LocalTimes(r.Statement, node, sc)
		r.cols = sc
	}
	return r.cols
}

// value binds a value. row holds the values to its left; other elements are nil.
func (r *valueRow) value(n ast.ExprNode, row []expr.Expr) (expr.Expr, error) {
	if n.GetFlag()&ast.FlagHasReference == 0 || n.GetFlag()&ast.FlagHasSubquery != 0 {
		return r.Expr(n)
	}
	none := r.Scope
	r.Scope = r.columns()
	e, err := r.Expr(n)
	r.Scope = none
	if err != nil {
		return nil, err
	}
	e = expr.Map(e, func(e expr.Expr) expr.Expr {
		c, ok := e.(*expr.Col)
		if !ok || err != nil {
			return e
		}
		var left expr.Expr
		left, err = r.left(r.cols.ByID(c.ID), row, statement.StartOf(n))
		return left
	})
	return e, err
}

// left returns the value that column c of a row refers to.
func (r *valueRow) left(c *scope.Column, row []expr.Expr, pos int) (e expr.Expr, err error) {
	def := &r.table.Table.Schema().Columns[c.Ordinal]
	switch e = row[c.Ordinal]; {
	case e == nil && def.Default == nil && def.NotNull:
		e = scalar.ImplicitDefault(def)
	case e == nil:
		if e, err = block.DefaultValue(r.Statement, def, pos); err != nil {
			return nil, err
		}
	case expr.Volatile(e):
		return nil, sqlerr.Unsupported(pos, "column %s, whose value is random, in VALUES", def.Name)
	}
	return r.LocalTime(e), nil
}
