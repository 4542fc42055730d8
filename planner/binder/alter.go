package binder

import (
	"context"
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

// AlterTable is a bound ALTER TABLE: what the table becomes and where the values of its
// columns come from.
type AlterTable struct {
	Target
	Schema        catalog.Schema
	Old           []expr.ColID // what expressions call the columns as they were
	New           []expr.ColID // what the expressions of generated columns call Schema's columns
	Columns       []AlteredColumn
	Check         bool   // the rows there are must satisfy new constraints
	AutoIncrement uint64 // the next value that the statement asks for, 0 for none
	ToDB, ToName  string // RENAME TO; "" keeps the name
	Renamed       bool   // nothing but the name changes
}

// AlteredColumn says where the values of a column come from: from column From as it was,
// or else from Expr, which is over Old, or over New for a generated column. Without
// either the rows are numbered.
type AlteredColumn struct {
	From      int
	Expr      expr.Expr
	Generated bool
}

// altering applies the parts of an ALTER TABLE, one after another, to a draft of the
// table. Columns are appended to the draft and keep their numbers until finish puts them
// in order; a dropped one has no name.
type altering struct {
	*definition
	target   *Target
	old      *scope          // the table as it was
	order    []int           // numbers of the draft's columns, in the order to be
	from     []AlteredColumn // by number in the draft
	touched  map[string]bool // names, in lower case, of columns renamed or dropped
	changed  map[int]bool    // columns renamed or redefined
	redefine map[int]bool    // columns whose generation expression is new
	out      *AlterTable
}

// AlterTable binds ALTER TABLE.
func (b *Binder) AlterTable(ctx context.Context, s *parse.Statement, n *ast.AlterTableStmt) (*AlterTable, error) {
	st := b.begin(ctx, s)
	t, err := st.tableToAlter(n.Table)
	if err != nil {
		return nil, err
	}
	al := st.alteration(t)
	for _, spec := range n.Specs {
		if err := al.apply(spec); err != nil {
			return nil, err
		}
	}
	al.out.Renamed = len(n.Specs) == 1 && n.Specs[0].Tp == ast.AlterTableRenameTable
	if err := al.finish(); err != nil {
		return nil, err
	}
	return al.out, nil
}

// tableToAlter finds a table of the store: error 1347 for a view.
func (s *statement) tableToAlter(n *ast.TableName) (*Target, error) {
	pos := s.find(n.Name.O, s.find("TABLE", 0))
	obj, err := s.res.Table(s.ctx, n.Schema.O, n.Name.O)
	if err != nil {
		return nil, at(err, pos)
	}
	if obj.Table == nil {
		return nil, sqlerr.New(sqlerr.WrongObject, "'%s.%s' is not BASE TABLE", s.dbOf(n), n.Name.O).At(pos)
	}
	return &Target{Table: obj.Table, DB: s.dbOf(n), Name: n.Name.O}, nil
}

// alteration starts a draft of what t becomes.
func (s *statement) alteration(t *Target) *altering {
	was := t.Table.Schema()
	out := &AlterTable{Target: *t, Schema: *was}
	draft := &out.Schema
	draft.Columns, draft.Checks = slices.Clone(was.Columns), slices.Clone(was.Checks)
	draft.Indexes, draft.ForeignKeys = slices.Clone(was.Indexes), slices.Clone(was.ForeignKeys)
	_, sc := s.scan(t.Table, t.DB, t.Name)
	al := &altering{
		definition: &definition{statement: s, schema: draft, table: t.Name},
		target:     t, old: sc, touched: map[string]bool{}, changed: map[int]bool{}, redefine: map[int]bool{}, out: out,
	}
	for i := range was.Columns {
		al.order = append(al.order, i)
		al.from = append(al.from, AlteredColumn{From: i})
		out.Old = append(out.Old, sc.cols[i].ID)
	}
	return al
}

// apply dispatches on the kind of a part.
func (al *altering) apply(n *ast.AlterTableSpec) error {
	switch n.Tp {
	case ast.AlterTableAddColumns:
		return al.addColumns(n)
	case ast.AlterTableDropColumn:
		return al.dropColumn(n)
	case ast.AlterTableModifyColumn, ast.AlterTableChangeColumn:
		return al.changeColumn(n)
	case ast.AlterTableRenameColumn:
		return al.renameColumn(n.OldColumnName, n.NewColumnName.Name.O)
	case ast.AlterTableAlterColumn:
		return al.alterDefault(n.NewColumns[0])
	case ast.AlterTableAddConstraint:
		return al.addConstraint(n.Constraint)
	case ast.AlterTableDropPrimaryKey:
		return al.dropKey("PRIMARY", false)
	case ast.AlterTableDropIndex:
		return al.dropKey(n.Name, n.IfExists)
	case ast.AlterTableRenameIndex:
		return al.renameKey(n.FromKey.O, n.ToKey.O)
	case ast.AlterTableDropForeignKey:
		return al.dropReference(n.Name)
	case ast.AlterTableDropCheck:
		return al.dropConstraint(n.Constraint.Name)
	case ast.AlterTableAlterCheck:
		return al.enforce(n.Constraint)
	case ast.AlterTableRenameTable:
		al.out.ToDB, al.out.ToName = al.dbOf(n.NewTable), n.NewTable.Name.O
		if n.NewTable.Schema.O == "" {
			al.out.ToDB = al.target.DB
		}
		return nil
	case ast.AlterTableOption:
		convert, err := al.tableCollation(n.Options)
		if err != nil {
			return err
		}
		for i := range al.schema.Columns {
			if c := &al.schema.Columns[i]; convert {
				c.Type = c.Type.Collated(al.schema.Coll)
			}
		}
		if auto := al.options(n.Options); auto > 0 {
			al.out.AutoIncrement = auto
		}
		return nil
	case ast.AlterTableLock, ast.AlterTableAlgorithm, ast.AlterTableForce, ast.AlterTableEnableKeys, ast.AlterTableDisableKeys,
		ast.AlterTableWithValidation, ast.AlterTableWithoutValidation:
		return nil // how the change is made, which changes nothing here
	}
	return sqlerr.Unsupported(al.find("TABLE", 0), "this form of ALTER TABLE").WithHint("See docs/sql.md for the forms gsql knows.")
}

// dropKey drops a key by name: error 1091 when there is none.
func (al *altering) dropKey(name string, ifExists bool) error {
	i := al.key(name)
	if i < 0 {
		return al.cantDrop(name, ifExists)
	}
	al.schema.Indexes = slices.Delete(al.schema.Indexes, i, i+1)
	return nil
}

// cantDrop is error 1091, or a note where the statement says IF EXISTS.
func (al *altering) cantDrop(name string, ifExists bool) error {
	e := sqlerr.New(sqlerr.CantDropFieldOrKey, "Can't DROP '%s'; check that column/key exists", name).At(al.find(name, 0))
	if ifExists {
		al.session.Warn(uint16(e.Code), e.Msg)
		return nil
	}
	return e
}

func (al *altering) renameKey(from, to string) error {
	i := al.key(from)
	switch {
	case i < 0:
		return sqlerr.New(sqlerr.NoSuchIndex, "Key '%s' doesn't exist in table '%s'", from, al.table).At(al.find(from, 0))
	case al.key(to) >= 0 && al.key(to) != i:
		return sqlerr.New(sqlerr.DupKeyName, "Duplicate key name '%s'", to).At(al.find(to, 0))
	case al.schema.Indexes[i].Primary || strings.EqualFold(to, "PRIMARY"):
		return sqlerr.New(sqlerr.WrongIndexName, "Incorrect index name '%s'", to).At(al.find(to, 0))
	}
	al.schema.Indexes[i].Name = to
	return nil
}

func (al *altering) dropReference(name string) error {
	i := al.reference(name)
	if i < 0 {
		return al.cantDrop(name, false)
	}
	al.schema.ForeignKeys = slices.Delete(al.schema.ForeignKeys, i, i+1)
	return nil
}

// addConstraint adds a key or constraint.
func (al *altering) addConstraint(n *ast.Constraint) error {
	checks := len(al.schema.Checks)
	if n.IfNotExists && n.Name != "" && al.key(n.Name) >= 0 {
		al.session.Warn(uint16(sqlerr.DupKeyName), "Duplicate key name '"+n.Name+"'")
		return nil
	}
	if err := al.constraint(n); err != nil {
		return err
	}
	al.out.Check = al.out.Check || len(al.schema.Checks) > checks && n.Enforced
	return nil
}

// dropConstraint is DROP CHECK and DROP CONSTRAINT, which takes any kind of constraint.
func (al *altering) dropConstraint(name string) error {
	if i := al.checkCalled(name); i >= 0 {
		al.schema.Checks = slices.Delete(al.schema.Checks, i, i+1)
		return nil
	}
	dropAny := !strings.EqualFold(al.wordAfter("DROP"), "CHECK")
	switch i := al.key(name); {
	case dropAny && i >= 0 && al.schema.Indexes[i].Unique:
		return al.dropKey(name, false)
	case dropAny && al.reference(name) >= 0:
		return al.dropReference(name)
	case dropAny:
		return sqlerr.New(sqlerr.ConstraintNotFound, "Constraint '%s' does not exist.", name).At(al.find(name, 0))
	}
	return sqlerr.New(sqlerr.CheckNotFound, "Check constraint '%s' is not found in the table.", name).At(al.find(name, 0))
}

// wordAfter gives the word of the text that follows another.
func (al *altering) wordAfter(word string) string {
	at := al.find(word, 0)
	if at < 0 {
		return ""
	}
	fields := strings.Fields(al.text[at+len(word):])
	if len(fields) == 0 {
		return ""
	}
	return fields[0]
}

// enforce is ALTER CHECK ... [NOT] ENFORCED.
func (al *altering) enforce(n *ast.Constraint) error {
	i := al.checkCalled(n.Name)
	if i < 0 {
		return sqlerr.New(sqlerr.CheckNotFound, "Check constraint '%s' is not found in the table.", n.Name).At(al.find(n.Name, 0))
	}
	al.schema.Checks[i].NotEnforced = !n.Enforced
	al.out.Check = al.out.Check || n.Enforced
	return nil
}
