package binder

import (
	"context"
	"fmt"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

// CreateTable is a bound CREATE TABLE.
type CreateTable struct {
	DB, Name    string
	IfNotExists bool
	Temporary   bool
	Schema      catalog.Schema
	Query       *Bound // CREATE TABLE ... SELECT: what fills the table, else nil
	Fill        []int  // with Query: for every column of Schema the query's column that fills it, or -1
}

// CreateTable binds a table's definition. Table options that cannot change an answer
// (engine, row format and the like) are ignored.
func (b *Binder) CreateTable(ctx context.Context, s *parse.Statement, n *ast.CreateTableStmt) (*CreateTable, error) {
	st := b.begin(ctx, s)
	out := &CreateTable{
		DB: st.dbOf(n.Table), Name: n.Table.Name.O, IfNotExists: n.IfNotExists, Temporary: n.TemporaryKeyword != ast.TemporaryNone,
	}
	if n.ReferTable != nil {
		return out, st.createLike(out, n.ReferTable)
	}
	d := &definition{statement: st, schema: &out.Schema}
	for _, c := range n.Cols {
		if err := d.column(c); err != nil {
			return nil, err
		}
	}
	if n.Select != nil {
		if err := d.fromQuery(out, n.Select); err != nil {
			return nil, err
		}
	}
	for _, c := range n.Constraints {
		if err := d.constraint(c); err != nil {
			return nil, err
		}
	}
	if len(out.Schema.Columns) == 0 {
		return nil, sqlerr.New(sqlerr.TableMustHaveColumns, "A table must have at least 1 column")
	}
	st.warnUnusedHints()
	return out, nil
}

// createLike copies the shape of another table.
func (s *statement) createLike(out *CreateTable, n *ast.TableName) error {
	pos := s.find(n.Name.O, s.find("LIKE", 0))
	obj, err := s.res.Table(s.ctx, n.Schema.O, n.Name.O)
	if err != nil {
		return at(err, pos)
	}
	if obj.Table == nil {
		return sqlerr.New(sqlerr.WrongObject, "'%s.%s' is not BASE TABLE", s.dbOf(n), n.Name.O).At(pos)
	}
	schema := obj.Table.Schema()
	out.Schema = catalog.Schema{
		Columns: append([]catalog.Column(nil), schema.Columns...), Indexes: append([]catalog.Index(nil), schema.Indexes...),
	}
	return nil
}

// definition collects a table's columns and keys.
type definition struct {
	*statement
	schema *catalog.Schema
}

// column adds a declared column and the keys declared with it.
func (d *definition) column(n *ast.ColumnDef) error {
	name := n.Name.Name.O
	pos := d.find(name, d.find("TABLE", 0))
	if d.schema.Ordinal(name) >= 0 {
		return sqlerr.New(sqlerr.DupFieldName, "Duplicate column name '%s'", name).At(d.find(name, pos+1))
	}
	t, err := columnType(n.Tp, pos)
	if err != nil {
		return err
	}
	d.schema.Columns = append(d.schema.Columns, catalog.Column{Name: name, Type: t})
	o := len(d.schema.Columns) - 1
	for _, opt := range n.Options {
		if err := d.columnOption(o, opt, pos); err != nil {
			return err
		}
	}
	c := &d.schema.Columns[o]
	if c.AutoInc && !c.Type.IsInteger() && !c.Type.IsFloat() {
		return sqlerr.New(sqlerr.WrongFieldSpec, "Incorrect column specifier for column '%s'", name).At(pos)
	}
	return nil
}

func (d *definition) columnOption(o int, opt *ast.ColumnOption, pos int) error {
	c := &d.schema.Columns[o]
	switch opt.Tp {
	case ast.ColumnOptionPrimaryKey:
		return d.addKey("PRIMARY", []int{o}, true, true, pos)
	case ast.ColumnOptionUniqKey:
		return d.addKey("", []int{o}, true, false, pos)
	case ast.ColumnOptionNotNull:
		c.NotNull = true
	case ast.ColumnOptionAutoIncrement:
		c.AutoInc, c.NotNull = true, true
	case ast.ColumnOptionDefaultValue:
		return d.defaultOption(c, opt.Expr, pos)
	case ast.ColumnOptionComment:
		if l, ok := opt.Expr.(*parse.Literal); ok {
			c.Comment = l.GetString()
		}
	case ast.ColumnOptionGenerated:
		return sqlerr.Unsupported(pos, "generated column %s", c.Name).WithHint("Compute it in a view.")
	case ast.ColumnOptionCheck:
		return sqlerr.Unsupported(pos, "CHECK constraint")
	}
	return nil
}

// defaultOption notes a DEFAULT: a literal's text, or the current time.
func (d *definition) defaultOption(c *catalog.Column, n ast.ExprNode, pos int) error {
	if f, ok := n.(*ast.FuncCallExpr); ok && c.Type.IsTemporal() && f.FnName.L == "current_timestamp" {
		text := currentTimestamp
		c.Default = &text
		return nil
	}
	b := d.newBlock(nil, nil, &scope{})
	b.at = fieldList
	e, err := b.expr(n)
	if err != nil {
		return err
	}
	v, ok := constantValue(e)
	if !ok {
		return sqlerr.Unsupported(pos, "DEFAULT expression of column %s", c.Name).WithHint("Use a literal.")
	}
	if v.Null {
		if c.NotNull {
			return sqlerr.New(sqlerr.InvalidDefault, "Invalid default value for '%s'", c.Name).At(pos)
		}
		return nil
	}
	text := v.Text()
	c.Default = &text
	return nil
}

// constraint adds a key declared beside the columns.
func (d *definition) constraint(n *ast.Constraint) error {
	unique, primary := false, false
	switch n.Tp {
	case ast.ConstraintPrimaryKey:
		unique, primary = true, true
	case ast.ConstraintUniq, ast.ConstraintUniqKey, ast.ConstraintUniqIndex:
		unique = true
	case ast.ConstraintKey, ast.ConstraintIndex, ast.ConstraintFulltext:
	case ast.ConstraintForeignKey:
		d.session.Warn(uint16(sqlerr.NotSupportedYet), "FOREIGN KEY is parsed but not enforced")
		return nil
	case ast.ConstraintCheck:
		return sqlerr.Unsupported(d.find("CHECK", 0), "CHECK constraint")
	default:
		return sqlerr.Unsupported(-1, "this kind of key")
	}
	cols, pos, err := d.keyColumns(n.Keys)
	if err != nil {
		return err
	}
	if unique && hasPrefix(n.Keys) {
		unique = false
		d.session.Warn(uint16(sqlerr.NotSupportedYet), "UNIQUE over a column prefix is not enforced")
	}
	name := n.Name
	if primary {
		name = "PRIMARY"
	}
	return d.addKey(name, cols, unique, primary, pos)
}

// keyColumns gives the ordinals of a key's columns.
func (d *definition) keyColumns(parts []*ast.IndexPartSpecification) ([]int, int, error) {
	cols := make([]int, len(parts))
	pos := -1
	for i, p := range parts {
		if p.Column == nil {
			return nil, 0, sqlerr.Unsupported(-1, "key over an expression")
		}
		pos = d.find(p.Column.Name.O, d.find("KEY", 0))
		cols[i] = d.schema.Ordinal(p.Column.Name.O)
		if cols[i] < 0 {
			return nil, 0, sqlerr.New(sqlerr.KeyColumnDoesNotExist, "Key column '%s' doesn't exist in table", p.Column.Name.O).At(pos)
		}
		for _, before := range cols[:i] {
			if before == cols[i] {
				return nil, 0, sqlerr.New(sqlerr.DupFieldName, "Duplicate column name '%s'", p.Column.Name.O).At(pos)
			}
		}
	}
	return cols, pos, nil
}

// hasPrefix tells whether a key covers the beginning of some column alone.
func hasPrefix(parts []*ast.IndexPartSpecification) bool {
	for _, p := range parts {
		if p.Length > 0 {
			return true
		}
	}
	return false
}

// addKey adds a key; without a name it is called after its first column.
func (d *definition) addKey(name string, cols []int, unique, primary bool, pos int) error {
	given := name != ""
	if !given {
		name = d.schema.Columns[cols[0]].Name
	}
	base := name
	for i := 2; d.hasKey(name); i++ {
		if primary {
			return sqlerr.New(sqlerr.MultiplePriKey, "Multiple primary key defined").At(pos)
		}
		if given {
			return sqlerr.New(sqlerr.DupKeyName, "Duplicate key name '%s'", name).At(pos)
		}
		name = fmt.Sprintf("%s_%d", base, i)
	}
	if primary {
		for _, o := range cols {
			d.schema.Columns[o].NotNull = true
		}
	}
	d.schema.Indexes = append(d.schema.Indexes, catalog.Index{Name: name, Columns: cols, Unique: unique, Primary: primary})
	return nil
}

func (d *definition) hasKey(name string) bool {
	for i := range d.schema.Indexes {
		if strings.EqualFold(d.schema.Indexes[i].Name, name) {
			return true
		}
	}
	return false
}

// fromQuery binds CREATE TABLE ... SELECT: the query's columns fill the declared ones
// of the same name, and the others are added behind.
func (d *definition) fromQuery(out *CreateTable, n ast.ResultSetNode) error {
	q, err := d.query(n, nil, nil)
	if err != nil {
		return err
	}
	out.Query = q.bound()
	declared := len(d.schema.Columns)
	for i, c := range out.Query.Columns {
		name := q.names[i]
		switch o := d.schema.Ordinal(name); {
		case o >= declared:
			return sqlerr.New(sqlerr.DupFieldName, "Duplicate column name '%s'", name).
				WithHint("Give one of the columns another alias.")
		case o < 0:
			d.schema.Columns = append(d.schema.Columns, catalog.Column{Name: name, Type: storedType(c.T), NotNull: c.NotNull})
		}
	}
	out.Fill = make([]int, len(d.schema.Columns))
	for o := range out.Fill {
		out.Fill[o] = -1
		for i, name := range q.names {
			if strings.EqualFold(name, d.schema.Columns[o].Name) {
				out.Fill[o] = i
			}
		}
	}
	return nil
}
