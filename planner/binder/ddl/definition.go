package ddl

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	ptypes "github.com/pingcap/tidb/pkg/parser/types"

	"gsql/planner/binder/block"
	"gsql/planner/binder/query"
	"gsql/planner/binder/scalar"
	"gsql/planner/binder/scope"
	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// definition collects a table's columns, keys and constraints.
type definition struct {
	*query.Binder
	schema *catalog.Schema
	table  string // the table's name
}

// column adds a declared column and the keys declared with it.
func (d *definition) column(n *ast.ColumnDef) error {
	name := n.Name.Name.O
	pos := d.Find(name, d.Find("TABLE", 0))
	if d.schema.Ordinal(name) >= 0 {
		return sqlerr.New(sqlerr.DupFieldName, "Duplicate column name '%s'", name).At(d.Find(name, pos+1))
	}
	c, err := d.columnShape(n, pos)
	if err != nil {
		return err
	}
	d.schema.Columns = append(d.schema.Columns, *c)
	return d.columnKeys(len(d.schema.Columns)-1, n, pos)
}

// columnShape binds a column without its keys and constraints.
func (d *definition) columnShape(n *ast.ColumnDef, pos int) (*catalog.Column, error) {
	c := &catalog.Column{Name: n.Name.Name.O}
	if strings.TrimRight(c.Name, " ") != c.Name || c.Name == "" {
		return nil, sqlerr.New(sqlerr.WrongColumnName, "Incorrect column name '%s'", c.Name).At(pos)
	}
	var err error
	if c.Type, err = columnType(n.Tp, pos); err != nil {
		return nil, err
	}
	if n.Tp.GetCharset() == "" {
		c.Type = c.Type.Collated(d.schema.Coll)
	}
	declare(c, n.Tp)
	for _, opt := range n.Options {
		if err := d.columnOption(c, opt, pos); err != nil {
			return nil, err
		}
	}
	switch {
	case c.AutoInc && !c.Type.IsInteger() && !c.Type.IsFloat():
		return nil, sqlerr.New(sqlerr.WrongFieldSpec, "Incorrect column specifier for column '%s'", c.Name).At(pos)
	case c.Generated != "" && (c.Default != nil || c.AutoInc || c.OnUpdateNow):
		return nil, sqlerr.New(sqlerr.WrongUsage, "Incorrect usage of %s and generated column", optionBesides(c)).At(pos)
	case c.AutoInc && c.Default != nil:
		return nil, sqlerr.New(sqlerr.InvalidDefault, "Invalid default value for '%s'", c.Name).At(pos)
	}
	return c, nil
}

// optionBesides returns the name of the option that a generated column cannot have.
func optionBesides(c *catalog.Column) string {
	switch {
	case c.AutoInc:
		return "AUTO_INCREMENT"
	case c.OnUpdateNow:
		return "ON UPDATE"
	}
	return "DEFAULT"
}

// declare records the parts of a declared type that the stored type lacks.
func declare(c *catalog.Column, tp *ptypes.FieldType) {
	unsigned := mysql.HasUnsignedFlag(tp.GetFlag())
	switch tp.GetType() {
	case mysql.TypeBit:
		c.Width = uint8(max(tp.GetFlen(), 1))
	case mysql.TypeString:
		c.Fixed = c.Type.ID == types.String
	case mysql.TypeFloat, mysql.TypeDouble, mysql.TypeNewDecimal:
		c.NotNegative = unsigned
	}
	if text := declaredType(c, tp); text != c.Type.String() {
		c.Declared = text
	}
}

// declaredType returns a declared type as MySQL 8 spells it: integers without a width, except TINYINT(1) and
// ZEROFILL.
func declaredType(c *catalog.Column, tp *ptypes.FieldType) string {
	_, integer := integers[tp.GetType()]
	text := tp.InfoSchemaStr()
	switch name, _, _ := strings.Cut(tp.CompactStr(), "("); {
	case c.Type.ID == types.Year || c.Type.HasMembers():
		return c.Type.String()
	case c.Type.ID == types.Decimal:
		text = c.Type.String()
	case mysql.HasZerofillFlag(tp.GetFlag()):
		return text + " zerofill"
	case !integer || tp.GetType() == mysql.TypeTiny && tp.GetFlen() == 1:
		return text
	default:
		text = name
	}
	if mysql.HasUnsignedFlag(tp.GetFlag()) {
		text += " unsigned"
	}
	return text
}

func (d *definition) columnOption(c *catalog.Column, opt *ast.ColumnOption, pos int) error {
	switch opt.Tp {
	case ast.ColumnOptionNotNull:
		c.NotNull = true
	case ast.ColumnOptionAutoIncrement:
		c.AutoInc, c.NotNull = true, true
	case ast.ColumnOptionDefaultValue:
		return d.defaultOption(c, opt.Expr, pos)
	case ast.ColumnOptionOnUpdate:
		if c.Type.ID != types.Datetime && c.Type.ID != types.Timestamp {
			return sqlerr.New(sqlerr.InvalidOnUpdate, "Invalid ON UPDATE clause for '%s' column", c.Name).At(pos)
		}
		c.OnUpdateNow = true
	case ast.ColumnOptionCollate:
		return d.columnCollation(c, opt.StrValue, pos)
	case ast.ColumnOptionComment:
		if l, ok := opt.Expr.(*parse.Literal); ok {
			c.Comment = l.GetString()
		}
	case ast.ColumnOptionGenerated:
		text, err := scalar.ExprText(opt.Expr)
		c.Generated, c.Stored = text, opt.Stored
		return err
	case ast.ColumnOptionAutoRandom:
		return sqlerr.Unsupported(pos, "AUTO_RANDOM")
	}
	return nil
}

// columnKeys adds the keys and constraints declared with column o.
func (d *definition) columnKeys(o int, n *ast.ColumnDef, pos int) error {
	for _, opt := range n.Options {
		var err error
		switch opt.Tp {
		case ast.ColumnOptionPrimaryKey:
			err = d.addKey(catalog.Index{Name: "PRIMARY", Columns: []int{o}, Unique: true, Primary: true}, pos)
		case ast.ColumnOptionUniqKey:
			err = d.addKey(catalog.Index{Columns: []int{o}, Unique: true}, pos)
		case ast.ColumnOptionCheck:
			err = d.addCheck(opt.ConstraintName, opt.Expr, opt.Enforced)
		case ast.ColumnOptionReference:
			d.Session.Warn(uint16(sqlerr.NotSupportedYet), "REFERENCES of column '"+n.Name.Name.O+"' is parsed but not enforced")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// defaultOption records a DEFAULT: a literal's text, the current time, or the text of an expression.
func (d *definition) defaultOption(c *catalog.Column, n ast.ExprNode, pos int) error {
	if f, ok := n.(*ast.FuncCallExpr); ok && c.Type.IsTemporal() && f.FnName.L == "current_timestamp" {
		text := block.CurrentTimestamp
		c.Default = &text
		return nil
	}
	b := d.Block(d.columnScope())
	b.At = scope.FieldList
	e, err := b.Expr(n)
	if err != nil {
		return err
	}
	if c.Type.IsNumeric() {
		e = expr.HexNumber(e)
	}
	v, ok := constantValue(e)
	switch {
	case !ok:
		return d.defaultExpr(c, n, e, pos)
	case v.Null && c.NotNull:
		return sqlerr.New(sqlerr.InvalidDefault, "Invalid default value for '%s'", c.Name).At(pos)
	case v.Null:
		return nil
	}
	text := v.Text()
	if c.Type.ID == types.Timestamp {
		var ok bool
		if text, ok = d.InUTC(text); !ok {
			return sqlerr.New(sqlerr.InvalidDefault, "Invalid default value for '%s'", c.Name).At(pos)
		}
	}
	c.Default = &text
	return nil
}

// defaultExpr records DEFAULT (expression).
func (d *definition) defaultExpr(c *catalog.Column, n ast.ExprNode, e expr.Expr, pos int) error {
	refers := map[expr.ColID]bool{}
	expr.Cols(e, refers)
	switch {
	case len(refers) > 0:
		return sqlerr.Unsupported(pos, "DEFAULT of column %s that reads other columns", c.Name).WithHint("Use a generated column.")
	case hasSubquery(e):
		return sqlerr.New(sqlerr.DefaultExprNotAllowed, "Default value expression of column '%s' contains a disallowed function: `subquery`.", c.Name).At(pos)
	}
	text, err := scalar.ExprText(n)
	c.Default, c.DefaultExpr = &text, true
	return err
}

func hasSubquery(e expr.Expr) bool {
	found := false
	expr.Walk(e, func(e expr.Expr) bool {
		_, sub := e.(*expr.Subquery)
		found = found || sub
		return !found
	})
	return found
}

// columnScope returns a scope of the columns declared so far.
func (d *definition) columnScope() *scope.Scope {
	cols := make([]logical.Column, len(d.schema.Columns))
	for i, c := range d.schema.Columns {
		cols[i] = logical.Column{ID: d.NewID(), Name: c.Name, Table: d.table, T: c.Type, NotNull: c.NotNull}
	}
	key := strings.ToLower(d.table)
	return scope.New(&scope.Source{Key: key, Alias: d.table}, cols)
}

// options applies the table options that matter and returns AUTO_INCREMENT = n, 0 for none. Error 1112: there is no
// such compression.
func (d *definition) options(list []*ast.TableOption) (auto uint64, err error) {
	for _, o := range list {
		switch o.Tp {
		case ast.TableOptionAutoIncrement:
			auto = o.UintValue
		case ast.TableOptionComment:
			d.schema.Comment = o.StrValue
		case ast.TableOptionCompression:
			by, ok := catalog.ParseCompression(o.StrValue)
			if !ok {
				return 0, sqlerr.New(sqlerr.UnsupportedExtension, "Table '%s' uses an extension that doesn't exist in this MySQL version", d.table).
					At(d.Find(o.StrValue, 0)).WithHint("COMPRESSION is 'zstd', 'lz4' or 'none'.")
			}
			d.schema.Compression = by
		}
	}
	return auto, nil
}

// tableCollation records the collation that the table's options set for columns without one of their own.
// convert reports CONVERT TO CHARACTER SET, which the parser returns as an option and which applies to existing
// columns too.
func (d *definition) tableCollation(list []*ast.TableOption) (convert bool, err error) {
	for _, o := range list {
		switch o.Tp {
		case ast.TableOptionCharset:
			d.schema.Coll = types.Bin
			convert = o.UintValue == ast.TableOptionCharsetWithConvertTo
		case ast.TableOptionCollate:
			if d.schema.Coll, err = scalar.Collation(o.StrValue, d.Find(o.StrValue, 0)); err != nil {
				return false, err
			}
		}
	}
	return convert, nil
}

// columnCollation applies COLLATE after a column's type.
func (d *definition) columnCollation(c *catalog.Column, name string, pos int) error {
	coll, err := scalar.Collation(name, d.Find(name, pos))
	c.Type = c.Type.Collated(coll)
	return err
}

// finish checks the whole definition.
func (d *definition) finish() error {
	if len(d.schema.Columns) == 0 {
		return sqlerr.New(sqlerr.TableMustHaveColumns, "A table must have at least 1 column")
	}
	if err := d.checkNames(); err != nil {
		return err
	}
	if err := d.autoKey(); err != nil {
		return err
	}
	d.schema.SortIndexes()
	_, err := d.rules(d.schema)
	return err
}
