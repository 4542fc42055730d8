package binder

import (
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

// target finds the single table that verb changes. Views are refused (1288).
func (s *statement) target(n *ast.TableRefsClause, verb string) (*Target, string, error) {
	j := n.TableRefs
	src, ok := j.Left.(*ast.TableSource)
	if !ok || j.Right != nil {
		return nil, "", sqlerr.Unsupported(-1, "%s of several tables", verb)
	}
	name, ok := src.Source.(*ast.TableName)
	if !ok {
		return nil, "", sqlerr.New(sqlerr.NonUpdatableTable, "The target table %s of the %s is not updatable", src.AsName.O, verb)
	}
	pos := s.find(name.Name.O, 0)
	obj, err := s.res.Table(s.ctx, name.Schema.O, name.Name.O)
	if err != nil {
		return nil, "", at(err, pos)
	}
	if obj.View != nil {
		return nil, "", sqlerr.New(sqlerr.NonUpdatableTable, "The target table %s of the %s is not updatable", name.Name.O, verb).At(pos).
			WithHint("%s is a view: change the tables it reads.", name.Name.O)
	}
	alias := src.AsName.O
	if alias == "" {
		alias = name.Name.O
	}
	return &Target{Table: obj.Table, DB: s.dbOf(name), Name: name.Name.O}, alias, nil
}

// rowsToChange binds the scan with RowID, the condition, and ORDER BY and LIMIT of an
// UPDATE or DELETE. The scan's first column is the RowID.
func (s *statement) rowsToChange(t *Target, alias string, cond ast.ExprNode, order *ast.OrderByClause, limit *ast.Limit, ctes *cte) (*block, logical.Node, error) {
	scan, sc := s.scan(t.Table, t.DB, alias)
	rowID := logical.Column{ID: s.newID(), Name: "_rowid", Table: alias, T: types.T(types.Int64), NotNull: true}
	scan.Columns = append([]logical.Column{rowID}, scan.Columns...)
	scan.Ordinals = append([]int{catalog.RowID}, scan.Ordinals...)
	b := s.newBlock(nil, ctes, sc)
	node, err := b.filter(scan, cond, where)
	if err != nil {
		return nil, nil, err
	}
	if order != nil {
		keys, err := b.plainKeys(order)
		if err != nil {
			return nil, nil, err
		}
		node = &logical.Sort{In: node, Keys: keys}
	}
	node, err = b.limit(node, limit)
	return b, node, err
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
	case c.AutoInc:
		return &expr.Const{Value: catalog.NullOf(c.Type)}, nil
	case c.Default != nil:
		return defaultLiteral(c, pos)
	case !c.NotNull:
		return &expr.Const{Value: catalog.NullOf(c.Type)}, nil
	case s.mode.Strict():
		return nil, sqlerr.New(sqlerr.NoDefaultForField, "Field '%s' doesn't have a default value", c.Name).At(pos)
	}
	s.session.Warn(uint16(sqlerr.NoDefaultForField), "Field '"+c.Name+"' doesn't have a default value")
	return implicitDefault(c), nil
}

// currentTimestamp is how a schema notes DEFAULT CURRENT_TIMESTAMP.
const currentTimestamp = "CURRENT_TIMESTAMP"

// defaultLiteral gives the declared default as an expression.
func defaultLiteral(c *catalog.Column, pos int) (expr.Expr, error) {
	if c.Type.IsTemporal() && *c.Default == currentTimestamp {
		now, err := expr.NewCall("now", []expr.Expr{&expr.Const{Value: catalog.Int(int64(c.Type.Prec))}}, pos)
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
	if c.Type.IsString() {
		return &expr.Const{Value: catalog.Datum{Type: c.Type}}
	}
	return expr.Cast(&expr.Const{Value: catalog.Int(0)}, c.Type)
}

// assigning is the table, and the column at hand, that DEFAULT refers to.
type assigning struct {
	schema *catalog.Schema
	column int
}

// insertValue binds DEFAULT and DEFAULT(c).
func (b *block) insertValue(n ast.ExprNode, pos int) (expr.Expr, error) {
	d, ok := n.(*ast.DefaultExpr)
	if !ok {
		return nil, sqlerr.Unsupported(pos, "VALUES(column)")
	}
	if b.target == nil {
		return nil, sqlerr.Unsupported(pos, "DEFAULT outside INSERT and UPDATE")
	}
	o := b.target.column
	if d.Name != nil {
		if o = b.target.schema.Ordinal(d.Name.Name.O); o < 0 {
			return nil, b.unknownColumn(d.Name, b.find(d.Name.Name.O, pos))
		}
	}
	return b.defaultValue(&b.target.schema.Columns[o], pos)
}
