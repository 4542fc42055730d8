package gsql

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/storage"
)

// ddl runs a statement that changes definitions. As in MySQL it commits an open
// transaction first and takes effect at once.
func (r *stmtRun) ddl(n ast.DDLNode) (*Rows, error) {
	if temporary(n) {
		return r.write(func(tx *storage.Tx) (*Rows, error) { return r.define(tx, n) })
	}
	if err := r.s.mayWrite(); err != nil {
		return nil, err
	}
	if _, err := r.commit(); err != nil {
		return nil, err
	}
	for tries := 1; ; tries++ {
		tx := r.s.newTx()
		rows, err := r.define(tx, n)
		if err != nil {
			tx.Rollback()
			return nil, err
		}
		err = tx.Commit()
		if err == nil || !overtaken(err) || tries == definitionTries || r.ctx.Err() != nil {
			return rows, err
		}
		r.s.clearWarnings()
	}
}

// overtaken tells whether err, of a commit, is there because others wrote to the table or made
// or dropped one of the name meanwhile. Run anew, the statement knows of it: IF EXISTS and
// IF NOT EXISTS count then.
func overtaken(err error) bool {
	switch sqlerr.From(err).Code {
	case sqlerr.WriteConflict, sqlerr.TableExists, sqlerr.BadTable:
		return true
	}
	return false
}

// definitionTries is how often a change of definitions is made anew when others have
// written to its table meanwhile, before it ends with error 1213.
const definitionTries = 16

// temporary tells whether a statement makes or drops temporary tables only, which does not
// end a transaction.
func temporary(n ast.DDLNode) bool {
	switch n := n.(type) {
	case *ast.CreateTableStmt:
		return n.TemporaryKeyword != ast.TemporaryNone
	case *ast.DropTableStmt:
		return n.TemporaryKeyword != ast.TemporaryNone
	}
	return false
}

func (r *stmtRun) define(tx *storage.Tx, n ast.DDLNode) (*Rows, error) {
	switch n := n.(type) {
	case *ast.CreateTableStmt:
		return r.createTable(tx, n)
	case *ast.AlterTableStmt:
		return r.alterTable(tx, n)
	case *ast.RenameTableStmt:
		return r.renameTables(tx, n)
	case *ast.DropTableStmt:
		return r.dropTables(tx, n)
	case *ast.TruncateTableStmt:
		t, err := r.tableToChange(tx, n.Table)
		if err != nil {
			return nil, err
		}
		return &Rows{}, tx.Truncate(t)
	case *ast.CreateViewStmt:
		return r.createView(tx, n)
	case *parse.AlterView:
		return r.alterView(tx, n)
	case *ast.CreateIndexStmt:
		return r.createIndex(tx, n)
	case *ast.DropIndexStmt:
		t, err := r.tableToChange(tx, n.Table)
		if err != nil {
			return nil, err
		}
		return r.unless(n.IfExists, sqlerr.CantDropFieldOrKey, tx.DropIndex(t, n.IndexName))
	case *ast.CreateDatabaseStmt:
		return r.createDatabase(tx, n)
	case *ast.AlterDatabaseStmt:
		return r.alterDatabase(tx, n)
	case *ast.DropDatabaseStmt:
		return r.dropDatabase(tx, n)
	}
	return nil, sqlerr.Unsupported(0, "%s", firstWords(r.stmt.Text)).
		WithHint("See docs/sql.md for the statements gsql runs.")
}

// unless turns an error of the given code into a note when the statement says IF
// [NOT] EXISTS.
func (r *stmtRun) unless(said bool, code sqlerr.Code, err error) (*Rows, error) {
	if e := sqlerr.From(err); err != nil && said && e.Code == code {
		r.s.addWarning(Warning{"Note", uint16(e.Code), e.Msg})
		return &Rows{}, nil
	}
	return &Rows{}, err
}

// tableToChange finds a table of the store; views and files are refused.
func (r *stmtRun) tableToChange(tx *storage.Tx, t *ast.TableName) (catalog.Table, error) {
	obj, err := r.s.resolver(tx, nil).Table(r.ctx, t.Schema.O, t.Name.O)
	if err != nil {
		return nil, err
	}
	if obj.View != nil {
		return nil, sqlerr.New(sqlerr.WrongObject, "'%s.%s' is not BASE TABLE", r.s.database, t.Name.O)
	}
	return obj.Table, nil
}

func (r *stmtRun) createTable(tx *storage.Tx, n *ast.CreateTableStmt) (*Rows, error) {
	if isFile(n.Table.Name.O) {
		return nil, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to CREATE TABLE: '%s' names a file", n.Table.Name.O).
			WithHint("Write files with SELECT ... INTO OUTFILE.")
	}
	def, err := r.binder(tx).CreateTable(r.ctx, &r.stmt, n)
	if err != nil {
		return nil, err
	}
	if err := r.checkDefaults(&def.Schema); err != nil {
		return nil, err
	}
	if err := r.addRules(tx, def.Name, &def.Schema); err != nil {
		return nil, err
	}
	create := tx.CreateTable
	if def.Temporary {
		create = tx.CreateTemporary
	}
	if err := create(def.DB, def.Name, &def.Schema); err != nil {
		return r.unless(def.IfNotExists, sqlerr.TableExists, err)
	}
	if def.AutoIncrement > 0 {
		if err := tx.StartAutoIncrement(def.DB, def.Name, def.AutoIncrement); err != nil {
			return nil, err
		}
	}
	if def.Query == nil {
		return &Rows{}, nil
	}
	return r.insert(tx, fill(n, def.Query.Names))
}

// checkDefaults refuses default values that their columns could not store.
func (r *stmtRun) checkDefaults(schema *catalog.Schema) error {
	for _, c := range schema.Columns {
		if c.Default == nil || c.DefaultExpr || c.Type.IsTemporal() && *c.Default == "CURRENT_TIMESTAMP" {
			continue
		}
		value := expr.Assign(&expr.Const{Value: catalog.Str(*c.Default)}, c.Type, c.Name, -1)
		if _, err := eval.Const(value, eval.Ctx{Env: r.s}); err != nil {
			return r.locate(sqlerr.New(sqlerr.InvalidDefault, "Invalid default value for '%s'", c.Name), c.Name)
		}
	}
	return nil
}

// fill makes the INSERT that brings the rows of CREATE TABLE ... SELECT: the query's
// columns go to the table's columns of the same names.
func fill(n *ast.CreateTableStmt, names []string) *ast.InsertStmt {
	source := &ast.TableSource{Source: n.Table}
	in := &ast.InsertStmt{
		Table: &ast.TableRefsClause{TableRefs: &ast.Join{Left: source}}, Select: n.Select,
		IgnoreErr: n.OnDuplicate == ast.OnDuplicateKeyHandlingIgnore, IsReplace: n.OnDuplicate == ast.OnDuplicateKeyHandlingReplace,
	}
	for _, name := range names {
		in.Columns = append(in.Columns, &ast.ColumnName{Name: ast.NewCIStr(name)})
	}
	return in
}

// dropTables drops tables or views, all or none: error 1051 names all that there are not.
func (r *stmtRun) dropTables(tx *storage.Tx, n *ast.DropTableStmt) (*Rows, error) {
	drop := tx.DropTable
	switch {
	case n.IsView:
		drop = tx.DropView
	case n.TemporaryKeyword != ast.TemporaryNone:
		drop = tx.DropTemporary
	}
	var missing *sqlerr.Error
	for _, t := range n.Tables {
		err := drop(t.Schema.O, t.Name.O)
		if err == nil {
			if !n.IsView {
				r.dropTriggers(t.Schema.O, t.Name.O)
			}
			continue
		}
		switch e := sqlerr.From(err); {
		case e.Code != sqlerr.BadTable:
			return nil, err
		case n.IfExists:
			r.s.addWarning(Warning{"Note", uint16(e.Code), e.Msg})
		case missing == nil:
			missing = e
		default:
			missing.Msg = strings.TrimSuffix(missing.Msg, "'") + "," + strings.TrimPrefix(e.Msg, "Unknown table '")
		}
	}
	if missing != nil {
		return nil, missing
	}
	return &Rows{}, nil
}

func (r *stmtRun) createIndex(tx *storage.Tx, n *ast.CreateIndexStmt) (*Rows, error) {
	t, err := r.tableToChange(tx, n.Table)
	if err != nil {
		return nil, err
	}
	ix, err := r.binder(tx).Index(r.ctx, &r.stmt, t.Schema(), n)
	if err != nil {
		return nil, err
	}
	return r.unless(n.IfNotExists, sqlerr.DupKeyName, tx.CreateIndex(r.ctx, t, ix))
}

// analyze runs ANALYZE TABLE: statistics are collected again from all rows.
func (r *stmtRun) analyze(n *ast.AnalyzeTableStmt) (*Rows, error) {
	tx, done := r.view()
	defer done()
	var out [][]*string
	for _, name := range n.TableNames {
		t, err := r.tableToChange(tx, name)
		if err != nil {
			return nil, err
		}
		if err := storage.Analyze(r.ctx, t); err != nil {
			return nil, err
		}
		out = append(out, text(r.s.database+"."+name.Name.O, "analyze", "status", "OK"))
	}
	r.s.db.plans.expire(storage.Snapshot{}) // statistics belong to no snapshot
	return textResult(textColumns("Table", "Op", "Msg_type", "Msg_text"), out), nil
}
