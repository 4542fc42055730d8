package binder

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// Target is the table that a statement changes.
type Target struct {
	Table    catalog.Table
	DB, Name string
}

// target finds the table that an INSERT or REPLACE fills. Views are refused (1288).
func (s *statement) target(n *ast.TableRefsClause, verb string) (*Target, error) {
	name := n.TableRefs.Left.(*ast.TableSource).Source.(*ast.TableName)
	pos := s.find(name.Name.O, 0)
	obj, err := s.res.Table(s.ctx, name.Schema.O, name.Name.O)
	if err != nil {
		return nil, at(err, pos)
	}
	if obj.View != nil {
		return nil, sqlerr.New(sqlerr.NonUpdatableTable, "The target table %s of the %s is not updatable", name.Name.O, verb).At(pos).
			WithHint("%s is a view: change the tables it reads.", name.Name.O)
	}
	return &Target{Table: obj.Table, DB: s.dbOf(name), Name: name.Name.O}, nil
}

// chosen binds the condition, ORDER BY and LIMIT of an UPDATE or DELETE over the rows of
// its tables.
func (b *block) chosen(node logical.Node, cond ast.ExprNode, order *ast.OrderByClause, limit *ast.Limit) (logical.Node, error) {
	node, err := b.filter(node, cond, where)
	if err != nil {
		return nil, err
	}
	if order != nil {
		keys, err := b.plainKeys(order)
		if err != nil {
			return nil, err
		}
		node = &logical.Sort{In: node, Keys: keys}
	}
	return b.limit(node, limit)
}

// plainKeys binds ORDER BY over the table's columns.
func (b *block) plainKeys(n *ast.OrderByClause) ([]expr.SortKey, error) {
	defer b.enter(orderBy, false)()
	keys := make([]expr.SortKey, 0, len(n.Items))
	for _, it := range n.Items {
		if p, ok := it.Expr.(*ast.PositionExpr); ok {
			return nil, sqlerr.New(sqlerr.BadField, "Unknown column '%d' in 'order clause'", p.N)
		}
		e, err := b.expr(it.Expr)
		if err != nil {
			return nil, err
		}
		keys = append(keys, expr.SortKey{Expr: expr.Sortable(e), Desc: it.Desc})
	}
	return keys, nil
}

// stored converts e to what column c stores. In strict mode, unless the statement
// says IGNORE, a value that does not fit is an error, else the nearest one is taken
// with a warning. Integers and strings that fit are taken as they are, so that long
// VALUES lists cost no conversion.
func (s *statement) stored(e expr.Expr, c *catalog.Column, ignore bool, pos int) expr.Expr {
	if c.Type.ID == types.Timestamp {
		return s.storedTime(e, c, ignore, pos)
	}
	switch {
	case c.Fixed:
		e = unpadded(e)
	case c.Type.HasMembers() && (e.Type().IsFloat() || e.Type().ID == types.Decimal):
		e = expr.Cast(e, types.T(types.Int64))
	}
	k, ok := e.(*expr.Const)
	switch {
	case ok && fits(&k.Value, c.Type):
		d := k.Value
		d.Type = c.Type
		return &expr.Const{Value: d}
	case ignore || !s.mode.Strict():
		return expr.Fit(e, c.Type, c.Name, pos)
	}
	return expr.Assign(e, c.Type, c.Name, pos)
}

// unpadded takes the trailing spaces off text: a CHAR column does not store them.
func unpadded(e expr.Expr) expr.Expr {
	if e.Type().ID != types.String {
		return e
	}
	if k, ok := e.(*expr.Const); ok {
		d := k.Value
		d.Str = strings.TrimRight(d.Str, " ")
		return &expr.Const{Value: d}
	}
	return &expr.Call{Fn: "rtrim", Args: []expr.Expr{e}, T: e.Type(), Pos: -1}
}

// fits tells whether a literal is a value of type t without conversion.
func fits(d *catalog.Datum, t types.Type) bool {
	switch {
	case d.Null:
		return true
	case d.Type.ID == types.Int64 && t.ID >= types.Int8 && t.ID <= types.Int64:
		unused := 64 - t.Bits()
		return d.I64<<unused>>unused == d.I64
	case d.Type.ID == types.String && t.ID == types.String:
		return t.Len == 0 || len(d.Str) <= int(t.Len)
	}
	return false
}

// defaultValue gives the value of a column that an INSERT leaves out.
func (s *statement) defaultValue(c *catalog.Column, pos int) (expr.Expr, error) {
	switch {
	case c.AutoInc || c.Generated != "":
		return &expr.Const{Value: catalog.NullOf(c.Type)}, nil
	case c.DefaultExpr:
		return s.computedDefault(c)
	case c.Default != nil:
		return s.defaultLiteral(c, pos)
	case !c.NotNull:
		return &expr.Const{Value: catalog.NullOf(c.Type)}, nil
	case s.mode.Strict():
		return nil, sqlerr.New(sqlerr.NoDefaultForField, "Field '%s' doesn't have a default value", c.Name).At(pos)
	}
	s.session.Warn(uint16(sqlerr.NoDefaultForField), "Field '"+c.Name+"' doesn't have a default value")
	return implicitDefault(c), nil
}

// computedDefault binds DEFAULT (expression).
func (s *statement) computedDefault(c *catalog.Column) (expr.Expr, error) {
	n, err := parseExpr(*c.Default)
	if err != nil {
		return nil, err
	}
	b := s.newBlock(nil, nil, &scope{})
	b.at = fieldList
	e, err := b.expr(n)
	if err != nil {
		return nil, err
	}
	return s.stored(e, c, false, -1), nil
}

// generatedValue is error 3105: a statement gives a generated column a value that is not
// DEFAULT.
func generatedValue(c *catalog.Column, table string, pos int) error {
	return sqlerr.New(sqlerr.GeneratedValue, "The value specified for generated column '%s' in table '%s' is not allowed.", c.Name, table).At(pos)
}

// isDefault tells whether a value is the word DEFAULT.
func isDefault(n ast.ExprNode) bool {
	d, ok := n.(*ast.DefaultExpr)
	return ok && d.Name == nil
}

// currentTimestamp is how a schema notes DEFAULT CURRENT_TIMESTAMP.
const currentTimestamp = "CURRENT_TIMESTAMP"

// defaultLiteral gives the declared default as an expression.
func (s *statement) defaultLiteral(c *catalog.Column, pos int) (expr.Expr, error) {
	if c.Type.IsTemporal() && *c.Default == currentTimestamp {
		fn := "now"
		if c.Type.ID == types.Timestamp {
			fn = "utc_timestamp"
		}
		now, err := expr.NewCall(fn, []expr.Expr{&expr.Const{Value: catalog.Int(int64(c.Type.Prec))}}, pos)
		if err != nil {
			return nil, err
		}
		return expr.Cast(now, c.Type), nil
	}
	return expr.Cast(&expr.Const{Value: catalog.Str(*c.Default)}, c.Type), nil
}

// implicitDefault is MySQL's value for a NOT NULL column without a default when
// sql_mode is not strict: zero or the empty string.
func implicitDefault(c *catalog.Column) expr.Expr {
	if c.Type.ID == types.Enum {
		return &expr.Const{Value: catalog.Datum{Type: c.Type, Str: c.Type.Members.Values()[0]}}
	}
	if c.Type.IsString() {
		return &expr.Const{Value: catalog.Datum{Type: c.Type}}
	}
	return expr.Cast(&expr.Const{Value: catalog.Int(0)}, c.Type)
}

// assigning is the table, and the column at hand, that DEFAULT refers to.
type assigning struct {
	schema *catalog.Schema
	column int
	fresh  []column // ON DUPLICATE KEY UPDATE: the columns of the row that was to be inserted
}

// insertValue binds DEFAULT, DEFAULT(c) and VALUES(c).
func (b *block) insertValue(n ast.ExprNode, pos int) (expr.Expr, error) {
	if v, ok := n.(*ast.ValuesExpr); ok {
		return b.freshValue(v.Column.Name, pos)
	}
	d := n.(*ast.DefaultExpr)
	switch {
	case d.Name == nil && b.target == nil:
		return nil, sqlerr.Unsupported(pos, "DEFAULT outside INSERT and UPDATE")
	case d.Name == nil:
		return b.localDefault(&b.target.schema.Columns[b.target.column], pos)
	case b.target != nil:
		if o := b.target.schema.Ordinal(d.Name.Name.O); o >= 0 {
			return b.localDefault(&b.target.schema.Columns[o], pos)
		}
	}
	return b.defaultOf(d.Name, pos)
}

// defaultOf binds DEFAULT(c) of a column in scope.
func (b *block) defaultOf(name *ast.ColumnName, pos int) (expr.Expr, error) {
	pos = b.find(name.Name.O, pos)
	for o := b; o != nil; o = o.outer {
		c, n := o.scope.find(name)
		switch {
		case n > 1:
			return nil, ambiguous(displayName(name), b.at, pos)
		case n == 1 && (c.src == nil || c.src.table == nil):
			return nil, sqlerr.New(sqlerr.NoDefaultForField, "Field '%s' doesn't have a default value", name.Name.O).At(pos)
		case n == 1:
			return b.localDefault(&c.src.table.Schema().Columns[c.ordinal], pos)
		}
	}
	return nil, b.unknownColumn(name, pos)
}

// freshValue binds VALUES(c): what column c was to be.
func (b *block) freshValue(name *ast.ColumnName, pos int) (expr.Expr, error) {
	for o := b; o != nil; o = o.outer {
		if o.target == nil || o.target.fresh == nil {
			continue
		}
		if i := o.target.schema.Ordinal(name.Name.O); i >= 0 {
			return o.target.fresh[i].Ref(), nil
		}
		return nil, b.unknownColumn(name, b.find(name.Name.O, pos))
	}
	return nil, sqlerr.Unsupported(pos, "VALUES(column) outside ON DUPLICATE KEY UPDATE")
}
