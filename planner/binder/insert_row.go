package binder

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// valueRow lets the values of a row that is to be inserted name columns: as in MySQL they
// stand for the values to their left, and for defaults where there is none yet.
type valueRow struct {
	*block
	target *Target
	scope  *scope // of the table, once a value names a column
}

func (r *valueRow) columns() *scope {
	if r.scope == nil {
		scan, sc := r.statement.scan(r.target.Table, r.target.DB, r.target.Name)
		r.localTimes(scan, sc)
		r.scope = sc
	}
	return r.scope
}

// value binds a value; row has those to its left, nil for others.
func (r *valueRow) value(n ast.ExprNode, row []expr.Expr) (expr.Expr, error) {
	if n.GetFlag()&ast.FlagHasReference == 0 || n.GetFlag()&ast.FlagHasSubquery != 0 {
		return r.expr(n)
	}
	none := r.block.scope
	r.block.scope = r.columns()
	e, err := r.expr(n)
	r.block.scope = none
	if err != nil {
		return nil, err
	}
	e = expr.Map(e, func(e expr.Expr) expr.Expr {
		c, ok := e.(*expr.Col)
		if !ok || err != nil {
			return e
		}
		var left expr.Expr
		left, err = r.left(r.scope.byID(c.ID), row, startOf(n))
		return left
	})
	return e, err
}

// left gives what column c of a row stands for.
func (r *valueRow) left(c *column, row []expr.Expr, pos int) (e expr.Expr, err error) {
	def := &r.target.Table.Schema().Columns[c.ordinal]
	switch e = row[c.ordinal]; {
	case e == nil && def.Default == nil && def.NotNull:
		e = implicitDefault(def)
	case e == nil:
		if e, err = r.defaultValue(def, pos); err != nil {
			return nil, err
		}
	case expr.Volatile(e):
		return nil, sqlerr.Unsupported(pos, "column %s, whose value is random, in VALUES", def.Name)
	}
	return r.localTime(e), nil
}
