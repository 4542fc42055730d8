package block

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/scalar"
	"gsql/planner/binder/scope"
	"gsql/planner/binder/statement"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// CurrentTimestamp is the text with which a schema stores DEFAULT CURRENT_TIMESTAMP.
const CurrentTimestamp = "CURRENT_TIMESTAMP"

// DefaultValue returns the value of a column that an INSERT omits.
func DefaultValue(s *statement.Statement, c *catalog.Column, pos int) (expr.Expr, error) {
	switch {
	case c.AutoInc || c.Generated != "":
		return &expr.Const{Value: catalog.NullOf(c.Type)}, nil
	case c.DefaultExpr:
		return computedDefault(s, c)
	case c.Default != nil:
		return defaultLiteral(s, c, pos)
	case !c.NotNull:
		return &expr.Const{Value: catalog.NullOf(c.Type)}, nil
	case s.Mode.Strict():
		return nil, sqlerr.New(sqlerr.NoDefaultForField, "Field '%s' doesn't have a default value", c.Name).At(pos)
	}
	s.Session.Warn(uint16(sqlerr.NoDefaultForField), "Field '"+c.Name+"' doesn't have a default value")
	return scalar.ImplicitDefault(c), nil
}

// computedDefault binds DEFAULT (expression).
func computedDefault(s *statement.Statement, c *catalog.Column) (expr.Expr, error) {
	n, err := scalar.ParseExpr(*c.Default)
	if err != nil {
		return nil, err
	}
	b := New(s, nil, nil, &scope.Scope{})
	b.At = scope.FieldList
	e, err := b.Expr(n)
	if err != nil {
		return nil, err
	}
	return scalar.Stored(s, e, c, false, -1), nil
}

// defaultLiteral returns the declared default as an expression.
func defaultLiteral(s *statement.Statement, c *catalog.Column, pos int) (expr.Expr, error) {
	if c.Type.IsTemporal() && *c.Default == CurrentTimestamp {
		fn := expr.FuncNow
		if c.Type.ID == types.Timestamp {
			fn = expr.FuncUTCTimestamp
		}
		now, err := expr.NewCall(fn, []expr.Expr{&expr.Const{Value: catalog.Int(int64(c.Type.Prec))}}, pos)
		if err != nil {
			return nil, err
		}
		return expr.Cast(now, c.Type), nil
	}
	return expr.Cast(&expr.Const{Value: catalog.Str(*c.Default)}, c.Type), nil
}

// assigning is the table, and its current column, that DEFAULT refers to.
type assigning struct {
	schema *catalog.Schema
	column int
	fresh  []scope.Column // ON DUPLICATE KEY UPDATE: the columns of the rejected row
}

// Assigned implements scalar.Block. It binds DEFAULT, DEFAULT(c) and VALUES(c).
func (b *Block) Assigned(n ast.ExprNode, pos int) (expr.Expr, error) {
	if v, ok := n.(*ast.ValuesExpr); ok {
		return b.freshValue(v.Column.Name, pos)
	}
	d := n.(*ast.DefaultExpr)
	switch {
	case d.Name == nil && b.target == nil:
		return nil, sqlerr.Unsupported(pos, "DEFAULT outside INSERT and UPDATE")
	case d.Name == nil:
		return localDefault(b.Statement, &b.target.schema.Columns[b.target.column], pos)
	case b.target != nil:
		if o := b.target.schema.Ordinal(d.Name.Name.O); o >= 0 {
			return localDefault(b.Statement, &b.target.schema.Columns[o], pos)
		}
	}
	return b.defaultOf(d.Name, pos)
}

// defaultOf binds DEFAULT(c) of a column in scope.
func (b *Block) defaultOf(name *ast.ColumnName, pos int) (expr.Expr, error) {
	pos = b.Find(name.Name.O, pos)
	for o := b; o != nil; o = o.Outer {
		c, n := o.Scope.Find(name)
		switch {
		case n > 1:
			return nil, scope.Ambiguous(scope.DisplayName(name), b.At, pos)
		case n == 1 && (c.Source == nil || c.Source.Table == nil):
			return nil, sqlerr.New(sqlerr.NoDefaultForField, "Field '%s' doesn't have a default value", name.Name.O).At(pos)
		case n == 1:
			return localDefault(b.Statement, &c.Source.Table.Schema().Columns[c.Ordinal], pos)
		}
	}
	return nil, b.UnknownColumn(name, pos)
}

// freshValue binds VALUES(c), the rejected row's value of column c.
func (b *Block) freshValue(name *ast.ColumnName, pos int) (expr.Expr, error) {
	for o := b; o != nil; o = o.Outer {
		if o.target == nil || o.target.fresh == nil {
			continue
		}
		if i := o.target.schema.Ordinal(name.Name.O); i >= 0 {
			return o.target.fresh[i].Ref(), nil
		}
		return nil, b.UnknownColumn(name, b.Find(name.Name.O, pos))
	}
	return nil, sqlerr.Unsupported(pos, "VALUES(column) outside ON DUPLICATE KEY UPDATE")
}

// localDefault returns the default of a column as an expression sees it.
func localDefault(s *statement.Statement, c *catalog.Column, pos int) (expr.Expr, error) {
	e, err := DefaultValue(s, c, pos)
	if err != nil {
		return nil, err
	}
	return s.LocalTime(e), nil
}

// Assigning sets the column that DEFAULT refers to.
func (b *Block) Assigning(schema *catalog.Schema, column int) {
	if b.target == nil {
		b.target = &assigning{}
	}
	b.target.schema, b.target.column = schema, column
}

// Inserts sets the columns of the rejected row, which VALUES(c) refers to.
func (b *Block) Inserts(fresh []scope.Column) { b.target = &assigning{fresh: fresh} }
