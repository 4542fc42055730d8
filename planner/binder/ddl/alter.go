package ddl

import (
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/query"
	"gsql/planner/binder/scope"
	"gsql/planner/binder/statement"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// AlterTable is a bound ALTER TABLE: the new shape of the table and the sources of its columns' values.
type AlterTable struct {
	scope.Target
	Schema        catalog.Schema
	Old           []expr.ColID // ids of the old columns in expressions
	New           []expr.ColID // ids of Schema's columns in the expressions of generated columns
	Columns       []AlteredColumn
	Check         bool   // existing rows must satisfy new constraints
	AutoIncrement uint64 // next value that the statement sets, 0 for none
	ToDB, ToName  string // RENAME TO; "" keeps the name
	Renamed       bool   // only the name changes
}

// AlteredColumn is the source of a column's values: the old column From, or else Expr, which refers to Old or,
// for a generated column, to New. With neither the rows are numbered.
type AlteredColumn struct {
	From      int
	Expr      expr.Expr
	Generated bool
}

// altering applies the parts of an ALTER TABLE, one after another, to a draft of the table. New
// columns are appended to the draft and keep their numbers until finish orders them. A dropped
// column has an empty name.
type altering struct {
	*definition
	target   *scope.Target
	old      *scope.Scope    // the old table
	order    []int           // numbers of the draft's columns in their final order
	from     []AlteredColumn // by number in the draft
	touched  map[string]bool // names, in lower case, of columns renamed or dropped
	changed  map[int]bool    // columns renamed or redefined
	redefine map[int]bool    // columns whose generation expression is new
	out      *AlterTable
}

// BindAlterTable binds ALTER TABLE.
func BindAlterTable(q *query.Binder, n *ast.AlterTableStmt) (*AlterTable, error) {
	t, err := tableToAlter(q.Statement, n.Table)
	if err != nil {
		return nil, err
	}
	al := alteration(q, t)
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

// tableToAlter returns a stored table. Error 1347: it is a view.
func tableToAlter(s *statement.Statement, n *ast.TableName) (*scope.Target, error) {
	pos := s.Find(n.Name.O, s.Find("TABLE", 0))
	obj, err := s.Res.Table(s.Ctx, n.Schema.O, n.Name.O)
	if err != nil {
		return nil, sqlerr.From(err).At(pos)
	}
	if obj.Table == nil {
		return nil, sqlerr.New(sqlerr.WrongObject, "'%s.%s' is not BASE TABLE", s.DBOf(n), n.Name.O).At(pos)
	}
	return &scope.Target{Table: obj.Table, DB: s.DBOf(n), Name: n.Name.O}, nil
}

// alteration returns a draft of the altered table.
func alteration(q *query.Binder, t *scope.Target) *altering {
	was := t.Table.Schema()
	out := &AlterTable{Target: *t, Schema: *was}
	draft := &out.Schema
	draft.Columns, draft.Checks = slices.Clone(was.Columns), slices.Clone(was.Checks)
	draft.Indexes, draft.ForeignKeys = slices.Clone(was.Indexes), slices.Clone(was.ForeignKeys)
	_, sc := scope.Scan(q.Statement, t.Table, t.DB, t.Name)
	al := &altering{
		definition: &definition{Binder: q, schema: draft, table: t.Name},
		target:     t, old: sc, touched: map[string]bool{}, changed: map[int]bool{}, redefine: map[int]bool{}, out: out,
	}
	for i := range was.Columns {
		al.order = append(al.order, i)
		al.from = append(al.from, AlteredColumn{From: i})
		out.Old = append(out.Old, sc.Columns[i].ID)
	}
	return al
}

// apply applies one part.
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
		al.out.ToDB, al.out.ToName = al.DBOf(n.NewTable), n.NewTable.Name.O
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
		auto, err := al.options(n.Options)
		if auto > 0 {
			al.out.AutoIncrement = auto
		}
		return err
	case ast.AlterTableCache, ast.AlterTableNoCache:
		al.schema.Cached = n.Tp == ast.AlterTableCache
		return nil
	case ast.AlterTableLock, ast.AlterTableAlgorithm, ast.AlterTableForce, ast.AlterTableEnableKeys, ast.AlterTableDisableKeys,
		ast.AlterTableWithValidation, ast.AlterTableWithoutValidation:
		return nil // algorithm and lock clauses have no effect
	}
	return sqlerr.Unsupported(al.Find("TABLE", 0), "this form of ALTER TABLE").WithHint("docs/sql.md lists the supported forms.")
}

// dropKey drops a key. Error 1091: it does not exist.
func (al *altering) dropKey(name string, ifExists bool) error {
	i := al.key(name)
	if i < 0 {
		return al.cantDrop(name, ifExists)
	}
	al.schema.Indexes = slices.Delete(al.schema.Indexes, i, i+1)
	return nil
}

// cantDrop returns error 1091, or adds a note if the statement says IF EXISTS.
func (al *altering) cantDrop(name string, ifExists bool) error {
	e := sqlerr.New(sqlerr.CantDropFieldOrKey, "Can't DROP '%s'; check that column/key exists", name).At(al.Find(name, 0))
	if ifExists {
		al.Session.Warn(uint16(e.Code), e.Msg)
		return nil
	}
	return e
}

func (al *altering) renameKey(from, to string) error {
	i := al.key(from)
	switch {
	case i < 0:
		return sqlerr.New(sqlerr.NoSuchIndex, "Key '%s' doesn't exist in table '%s'", from, al.table).At(al.Find(from, 0))
	case al.key(to) >= 0 && al.key(to) != i:
		return sqlerr.New(sqlerr.DupKeyName, "Duplicate key name '%s'", to).At(al.Find(to, 0))
	case al.schema.Indexes[i].Primary || strings.EqualFold(to, "PRIMARY"):
		return sqlerr.New(sqlerr.WrongIndexName, "Incorrect index name '%s'", to).At(al.Find(to, 0))
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
		al.Session.Warn(uint16(sqlerr.DupKeyName), "Duplicate key name '"+n.Name+"'")
		return nil
	}
	if err := al.constraint(n); err != nil {
		return err
	}
	al.out.Check = al.out.Check || len(al.schema.Checks) > checks && n.Enforced
	return nil
}

// dropConstraint applies DROP CHECK, or DROP CONSTRAINT, which drops any kind of constraint.
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
		return sqlerr.New(sqlerr.ConstraintNotFound, "Constraint '%s' does not exist.", name).At(al.Find(name, 0))
	}
	return sqlerr.New(sqlerr.CheckNotFound, "Check constraint '%s' is not found in the table.", name).At(al.Find(name, 0))
}

// wordAfter returns the word of the text that follows the given one.
func (al *altering) wordAfter(word string) string {
	at := al.Find(word, 0)
	if at < 0 {
		return ""
	}
	fields := strings.Fields(al.Text[at+len(word):])
	if len(fields) == 0 {
		return ""
	}
	return fields[0]
}

// enforce applies ALTER CHECK ... [NOT] ENFORCED.
func (al *altering) enforce(n *ast.Constraint) error {
	i := al.checkCalled(n.Name)
	if i < 0 {
		return sqlerr.New(sqlerr.CheckNotFound, "Check constraint '%s' is not found in the table.", n.Name).At(al.Find(n.Name, 0))
	}
	al.schema.Checks[i].NotEnforced = !n.Enforced
	al.out.Check = al.out.Check || n.Enforced
	return nil
}
