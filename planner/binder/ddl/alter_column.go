package ddl

import (
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/block"
	"gsql/planner/binder/scalar"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// known returns the number of a column of the draft. Error 1054: the column does not exist.
func (al *altering) known(n *ast.ColumnName) (int, error) {
	if o := al.schema.Ordinal(n.Name.O); o >= 0 {
		return o, nil
	}
	return 0, sqlerr.New(sqlerr.BadField, "Unknown column '%s' in '%s'", n.Name.O, al.table).At(al.Find(n.Name.O, 0))
}

// existing returns a column by its name before the statement. Only such columns can be renamed, changed or
// dropped, and only once.
func (al *altering) existing(n *ast.ColumnName) (int, error) {
	o := al.target.Table.Schema().Ordinal(n.Name.O)
	if o >= 0 && al.schema.Columns[o].Name != "" && !al.changed[o] {
		return o, nil
	}
	err := sqlerr.New(sqlerr.BadField, "Unknown column '%s' in '%s'", n.Name.O, al.table).At(al.Find(n.Name.O, 0))
	switch {
	case o >= 0 && al.changed[o]:
		err = err.WithHint("The same statement already changes the column: put its whole definition there.")
	case o < 0 && al.schema.Ordinal(n.Name.O) >= 0:
		err = err.WithHint("The same statement adds the column or renames another one to it: put its whole definition there.")
	}
	return 0, err
}

// addColumns applies ADD COLUMN for one or several columns.
func (al *altering) addColumns(n *ast.AlterTableSpec) error {
	for _, def := range n.NewColumns {
		if n.IfNotExists && al.schema.Ordinal(def.Name.Name.O) >= 0 {
			al.Session.Warn(uint16(sqlerr.DupFieldName), "Duplicate column name '"+def.Name.Name.O+"'")
			continue
		}
		checks := len(al.schema.Checks)
		if err := al.column(def); err != nil {
			return err
		}
		o := len(al.schema.Columns) - 1
		value, err := al.filling(&al.schema.Columns[o])
		if err != nil {
			return err
		}
		al.from = append(al.from, AlteredColumn{From: -1, Expr: value, Generated: al.schema.Columns[o].Generated != ""})
		al.redefine[o] = true
		al.out.Check = al.out.Check || len(al.schema.Checks) > checks
		if err := al.place(o, n.Position); err != nil {
			return err
		}
	}
	for _, c := range n.NewConstraints {
		if err := al.addConstraint(c); err != nil {
			return err
		}
	}
	return nil
}

// filling returns the values of a new column in existing rows, or nil if they are not an expression over the old
// columns.
func (al *altering) filling(c *catalog.Column) (expr.Expr, error) {
	switch {
	case c.Generated != "" || c.AutoInc:
		return nil, nil
	case c.Default == nil && c.NotNull:
		return scalar.ImplicitDefault(c), nil
	}
	return block.DefaultValue(al.Statement, c, -1)
}

// place moves column o to the position that FIRST or AFTER specifies. Without them a new column
// comes last.
func (al *altering) place(o int, n *ast.ColumnPosition) error {
	was := slices.Index(al.order, o)
	if n == nil || n.Tp == ast.ColumnPositionNone {
		if was < 0 {
			al.order = append(al.order, o)
		}
		return nil
	}
	after := -1
	if n.Tp == ast.ColumnPositionAfter {
		var err error
		if after, err = al.known(n.RelativeColumn); err != nil {
			return err
		}
		if after == o {
			return sqlerr.New(sqlerr.BadField, "Unknown column '%s' in '%s'", n.RelativeColumn.Name.O, al.table).At(al.Find("AFTER", 0))
		}
	}
	if was >= 0 {
		al.order = slices.Delete(al.order, was, was+1)
	}
	al.order = slices.Insert(al.order, slices.Index(al.order, after)+1, o)
	return nil
}

// dropColumn applies DROP COLUMN. Keys lose the column; a key without columns is dropped.
func (al *altering) dropColumn(n *ast.AlterTableSpec) error {
	name := n.OldColumnName.Name.O
	o, err := al.existing(n.OldColumnName)
	if err != nil {
		return al.cantDrop(name, n.IfExists)
	}
	if i := slices.IndexFunc(al.schema.ForeignKeys, func(f catalog.ForeignKey) bool { return containsFold(f.Columns, name) }); i >= 0 {
		return sqlerr.New(sqlerr.ForeignKeyColumn, "Cannot drop column '%s': needed in a foreign key constraint '%s'", name, al.schema.ForeignKeys[i].Name).
			At(al.Find(name, 0))
	}
	al.touched[strings.ToLower(name)] = true
	al.schema.Columns[o].Name = ""
	al.order = slices.DeleteFunc(al.order, func(x int) bool { return x == o })
	kept := al.schema.Indexes[:0]
	for _, x := range al.schema.Indexes {
		if i := slices.Index(x.Columns, o); i >= 0 {
			x.Columns = slices.Delete(slices.Clone(x.Columns), i, i+1)
			if x.Prefix != nil {
				x.Prefix = slices.Delete(slices.Clone(x.Prefix), i, i+1)
			}
		}
		if len(x.Columns) > 0 {
			kept = append(kept, x)
		}
	}
	al.schema.Indexes = kept
	return nil
}

func containsFold(names []string, name string) bool {
	return slices.ContainsFunc(names, func(x string) bool { return strings.EqualFold(x, name) })
}

// renameColumn renames a column. finish checks for duplicate names, because columns may swap theirs.
func (al *altering) renameColumn(n *ast.ColumnName, to string) error {
	o, err := al.existing(n)
	if err != nil {
		return err
	}
	al.changed[o] = true
	c := &al.schema.Columns[o]
	if !strings.EqualFold(c.Name, to) {
		al.touched[strings.ToLower(c.Name)] = true
	}
	c.Name = to
	return nil
}

// references updates the column names of the foreign keys that the table had.
func (al *altering) references() {
	was := al.target.Table.Schema()
	for i := range al.schema.ForeignKeys {
		f := &al.schema.ForeignKeys[i]
		if !slices.ContainsFunc(was.ForeignKeys, func(x catalog.ForeignKey) bool { return x.Name == f.Name }) {
			continue
		}
		f.Columns = slices.Clone(f.Columns)
		for j, name := range f.Columns {
			f.Columns[j] = al.schema.Columns[was.Ordinal(name)].Name
		}
	}
}

// duplicates returns error 1060 if two columns have the same name.
func (al *altering) duplicates() error {
	seen := map[string]bool{}
	for _, o := range al.order {
		name := al.schema.Columns[o].Name
		if seen[strings.ToLower(name)] {
			return sqlerr.New(sqlerr.DupFieldName, "Duplicate column name '%s'", name).At(al.Find(name, 0))
		}
		seen[strings.ToLower(name)] = true
	}
	return nil
}

// changeColumn applies MODIFY and CHANGE COLUMN, which redefine the column.
func (al *altering) changeColumn(n *ast.AlterTableSpec) error {
	def := n.NewColumns[0]
	name := def.Name
	if n.OldColumnName != nil {
		name = n.OldColumnName
	}
	o, err := al.existing(name)
	if err != nil {
		return err
	}
	if err := al.renameColumn(name, def.Name.Name.O); err != nil {
		return err
	}
	c, err := al.columnShape(def, al.Find(def.Name.Name.O, 0))
	if err != nil {
		return err
	}
	for _, x := range al.schema.Indexes {
		c.NotNull = c.NotNull || x.Primary && slices.Contains(x.Columns, o)
	}
	al.convert(o, c)
	al.schema.Columns[o] = *c
	checks := len(al.schema.Checks)
	if err := al.columnKeys(o, def, al.Find(def.Name.Name.O, 0)); err != nil {
		return err
	}
	al.out.Check = al.out.Check || len(al.schema.Checks) > checks
	return al.place(o, n.Position)
}

// convert sets the source of the values of column o, whose new definition is c.
func (al *altering) convert(o int, c *catalog.Column) {
	was := al.target.Table.Schema().Columns
	switch {
	case c.Generated != "":
		al.redefine[o] = true
		al.from[o] = AlteredColumn{From: -1, Generated: true}
	case keepsValues(&was[o], c):
		al.from[o] = AlteredColumn{From: o}
	default:
		al.from[o] = AlteredColumn{From: -1, Expr: al.altered(al.old.Columns[o].Ref(), c)}
	}
}

// altered converts the values of a column to those that its replacement c stores.
func (al *altering) altered(old *expr.Col, c *catalog.Column) expr.Expr {
	if old.T.ID == types.Timestamp && c.Type.ID == types.Timestamp {
		return expr.Assign(old, c.Type, c.Name, -1)
	}
	return scalar.Stored(al.Statement, al.LocalTime(old), c, false, -1)
}

// keepsValues reports whether a column's stored values are valid for a new definition.
func keepsValues(was, c *catalog.Column) bool {
	a, b := was.Type, c.Type
	switch {
	case a.ID != b.ID || c.Fixed && !was.Fixed || c.NotNegative && !was.NotNegative:
		return false
	case c.Width > 0:
		return was.Width > 0 && was.Width <= c.Width
	case a == b:
		return true
	case a.ID == types.String || a.ID == types.Bytes:
		return b.Len == 0 || a.Len > 0 && a.Len <= b.Len
	case a.ID == types.Enum:
		old, now := a.Members.Values(), b.Members.Values()
		return len(old) <= len(now) && slices.Equal(old, now[:len(old)])
	}
	return a.IsTemporal() && a.Prec <= b.Prec
}

// alterDefault applies ALTER COLUMN ... SET DEFAULT and DROP DEFAULT.
func (al *altering) alterDefault(n *ast.ColumnDef) error {
	o, err := al.existing(n.Name)
	if err != nil {
		return err
	}
	c := &al.schema.Columns[o]
	c.Default, c.DefaultExpr = nil, false
	for _, opt := range n.Options {
		if err := al.defaultOption(c, opt.Expr, al.Find(n.Name.Name.O, 0)); err != nil {
			return err
		}
	}
	return nil
}

// finish orders the draft's columns and checks the result.
func (al *altering) finish() error {
	if len(al.order) == 0 {
		return sqlerr.New(sqlerr.CantRemoveAllFields, "You can't delete all columns with ALTER TABLE; use DROP TABLE instead").At(al.Find("DROP", 0))
	}
	if err := al.duplicates(); err != nil {
		return err
	}
	if err := al.dependencies(); err != nil {
		return err
	}
	al.references()
	number := make([]int, len(al.schema.Columns))
	computed := al.out.AutoIncrement > 0
	columns := make([]catalog.Column, len(al.order))
	al.out.Columns = make([]AlteredColumn, len(al.order))
	for i, o := range al.order {
		number[o] = i
		columns[i], al.out.Columns[i] = al.schema.Columns[o], al.from[o]
		computed = computed || al.from[o].From < 0
	}
	for i := range al.schema.Indexes {
		x := &al.schema.Indexes[i]
		x.Columns = slices.Clone(x.Columns)
		for j, o := range x.Columns {
			x.Columns[j] = number[o]
		}
	}
	al.schema.Columns = columns
	if err := al.definition.finish(); err != nil {
		return err
	}
	rules, err := al.rules(al.schema)
	if err != nil {
		return err
	}
	al.out.New = rules.Columns
	for i, e := range rules.Generated {
		if e != nil && computed {
			al.out.Columns[i] = AlteredColumn{From: -1, Expr: e, Generated: true}
		}
	}
	return nil
}

// dependencies refuses to drop or rename columns that expressions use. Constraints over dropped columns alone
// are dropped with them.
func (al *altering) dependencies() error {
	for _, o := range al.order {
		c := &al.schema.Columns[o]
		if c.Generated == "" || al.redefine[o] {
			continue
		}
		names, err := namesIn(c.Generated)
		if err != nil {
			return err
		}
		for _, name := range names {
			if al.touched[name] {
				return sqlerr.New(sqlerr.GeneratedDependency, "Column '%s' has a generated column dependency.", name).At(al.Find(name, 0))
			}
		}
	}
	was := len(al.target.Table.Schema().Checks)
	kept := al.schema.Checks[:0]
	for i, c := range al.schema.Checks {
		names, err := namesIn(c.Expr)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(names, func(name string) bool { return al.touched[name] })
		switch {
		case i >= was || at < 0:
			kept = append(kept, c)
		case len(names) > 1 || al.schema.Ordinal(names[at]) >= 0 || al.renamed(names[at]):
			return sqlerr.New(sqlerr.DependentByCheck, "Check constraint '%s' uses column '%s', hence column cannot be dropped or renamed.", c.Name, names[at]).
				At(al.Find(names[at], 0))
		}
	}
	al.schema.Checks = kept
	return nil
}

// renamed reports whether an old column has a new name.
func (al *altering) renamed(name string) bool {
	o := al.target.Table.Schema().Ordinal(name)
	return o >= 0 && al.schema.Columns[o].Name != ""
}

// namesIn returns the column names in the text of an expression, in lower case.
func namesIn(text string) ([]string, error) {
	n, err := scalar.ParseExpr(text)
	if err != nil {
		return nil, err
	}
	var c nameCollector
	n.Accept(&c)
	return c.names, nil
}

// nameCollector collects the names of columns in a syntax tree.
type nameCollector struct{ names []string }

// Enter implements ast.Visitor.
func (c *nameCollector) Enter(n ast.Node) (ast.Node, bool) {
	if name, ok := n.(*ast.ColumnName); ok && !slices.Contains(c.names, name.Name.L) {
		c.names = append(c.names, name.Name.L)
	}
	return n, false
}

// Leave implements ast.Visitor.
func (c *nameCollector) Leave(n ast.Node) (ast.Node, bool) { return n, true }
