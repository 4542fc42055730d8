package statement

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/storage"
	"gsql/storage/files"
)

// ddl runs a statement that changes definitions. As in MySQL, it commits an open
// transaction first and takes effect at once.
func ddl(r *run, n ast.DDLNode) (*Result, error) {
	do := func(tx *storage.Tx) (*Result, error) { return define(r, tx, n) }
	if temporary(n) {
		return change{do: do}.run(r)
	}
	return definition(r, do)
}

// definition runs what changes definitions in a transaction of its own. It is retried if others
// overtake it.
func definition(r *run, do func(tx *storage.Tx) (*Result, error)) (*Result, error) {
	acc, err := r.s.MayWrite()
	if err != nil {
		return nil, err
	}
	if err := r.s.Commit(r.ctx, &r.c.writing); err != nil {
		return nil, err
	}
	for tries := 1; ; tries++ {
		tx := r.s.NewTx(acc)
		rows, err := do(tx)
		if err != nil {
			tx.Rollback()
			return nil, err
		}
		err = tx.CommitWithin(r.ctx, &r.c.writing)
		if err == nil || !overtaken(err) || tries == definitionTries || r.ctx.Err() != nil {
			return rows, err
		}
		r.s.Warnings.Clear()
	}
}

// overtaken reports whether a commit failed because others meanwhile wrote to the table, or created
// or dropped one of that name. When rerun, the statement sees their changes, and IF EXISTS and IF
// NOT EXISTS apply.
func overtaken(err error) bool {
	switch sqlerr.From(err).Code {
	case sqlerr.WriteConflict, sqlerr.TableExists, sqlerr.BadTable:
		return true
	}
	return false
}

// definitionTries limits how often a change of definitions is retried after others have written to
// its table meanwhile, before it ends with error 1213.
const definitionTries = 16

// temporary reports whether a statement creates or drops only temporary tables, which does not end
// a transaction.
func temporary(n ast.DDLNode) bool {
	switch n := n.(type) {
	case *ast.CreateTableStmt:
		return n.TemporaryKeyword != ast.TemporaryNone
	case *ast.DropTableStmt:
		return n.TemporaryKeyword != ast.TemporaryNone
	}
	return false
}

// define runs a statement that changes definitions in tx.
func define(r *run, tx *storage.Tx, n ast.DDLNode) (*Result, error) {
	switch n := n.(type) {
	case *ast.CreateTableStmt:
		return createTable(r, tx, n)
	case *ast.AlterTableStmt:
		return alterTable(r, tx, n)
	case *ast.RenameTableStmt:
		return renameTables(r, tx, n)
	case *ast.DropTableStmt:
		return dropTables(r, tx, n)
	case *ast.TruncateTableStmt:
		t, err := r.tableToChange(tx, n.Table)
		if err != nil {
			return nil, err
		}
		return &Result{}, tx.Truncate(t)
	case *ast.CreateViewStmt:
		return createView(r, tx, n)
	case *parse.AlterView:
		return alterView(r, tx, n)
	case *ast.CreateIndexStmt:
		return createIndex(r, tx, n)
	case *ast.DropIndexStmt:
		t, err := r.tableToChange(tx, n.Table)
		if err != nil {
			return nil, err
		}
		return r.unless(n.IfExists, sqlerr.CantDropFieldOrKey, tx.DDL().DropIndex(t, n.IndexName))
	case *ast.CreateDatabaseStmt:
		return createDatabase(r, tx, n)
	case *ast.AlterDatabaseStmt:
		return alterDatabase(r, tx, n)
	case *ast.DropDatabaseStmt:
		return dropDatabase(r, tx, n)
	}
	return nil, unsupported(r)
}

// createTable runs CREATE TABLE, with the rows of its SELECT.
func createTable(r *run, tx *storage.Tx, n *ast.CreateTableStmt) (*Result, error) {
	if files.IsPath(n.Table.Name.O) {
		return nil, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to CREATE TABLE: '%s' names a file", n.Table.Name.O).
			WithHint("Write files with SELECT ... INTO OUTFILE.")
	}
	def, err := r.binder(tx).CreateTable(r.ctx, &r.stmt, n)
	if err != nil {
		return nil, err
	}
	if err := checkDefaults(r, &def.Schema); err != nil {
		return nil, err
	}
	if err := addRules(r, tx, def.Name, &def.Schema); err != nil {
		return nil, err
	}
	create := tx.DDL().CreateTable
	if def.Temporary {
		create = tx.DDL().CreateTemporary
	}
	if err := create(def.DB, def.Name, &def.Schema); err != nil {
		return r.unless(def.IfNotExists, sqlerr.TableExists, err)
	}
	if def.AutoIncrement > 0 {
		if err := tx.DDL().StartAutoIncrement(def.DB, def.Name, def.AutoIncrement); err != nil {
			return nil, err
		}
	}
	if def.Query == nil {
		return &Result{}, nil
	}
	return insertRows(r, tx, fill(n, def.Query.Names))
}

// checkDefaults refuses default values that their columns cannot store.
func checkDefaults(r *run, schema *catalog.Schema) error {
	for _, c := range schema.Columns {
		if c.Default == nil || c.DefaultExpr || c.Type.IsTemporal() && *c.Default == "CURRENT_TIMESTAMP" {
			continue
		}
		value := expr.Assign(&expr.Const{Value: catalog.Str(*c.Default)}, c.Type, c.Name, -1)
		if _, err := eval.Const(value, kernel.Ctx{Env: r.s}); err != nil {
			return r.locate(sqlerr.New(sqlerr.InvalidDefault, "Invalid default value for '%s'", c.Name), c.Name)
		}
	}
	return nil
}

// fill returns the INSERT for the rows of CREATE TABLE ... SELECT: the query's columns go to the
// table's columns of the same names.
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

// dropTables drops tables or views, either all or none. Error 1051 names all that are missing.
func dropTables(r *run, tx *storage.Tx, n *ast.DropTableStmt) (*Result, error) {
	drop := tx.DDL().DropTable
	switch {
	case n.IsView:
		drop = tx.DDL().DropView
	case n.TemporaryKeyword != ast.TemporaryNone:
		drop = tx.DDL().DropTemporary
	}
	var missing *sqlerr.Error
	for _, t := range n.Tables {
		err := drop(t.Schema.O, t.Name.O)
		if err == nil {
			if !n.IsView {
				r.s.DB.Triggers.Forget(r.inDatabase(t.Schema.O), t.Name.O)
			}
			continue
		}
		switch e := sqlerr.From(err); {
		case e.Code != sqlerr.BadTable:
			return nil, err
		case n.IfExists:
			r.s.Note(e.Code, e.Msg)
		case missing == nil:
			missing = e
		default:
			missing.Msg = strings.TrimSuffix(missing.Msg, "'") + "," + strings.TrimPrefix(e.Msg, "Unknown table '")
		}
	}
	if missing != nil {
		return nil, missing
	}
	return &Result{}, nil
}

// createIndex runs CREATE INDEX.
func createIndex(r *run, tx *storage.Tx, n *ast.CreateIndexStmt) (*Result, error) {
	t, err := r.tableToChange(tx, n.Table)
	if err != nil {
		return nil, err
	}
	ix, err := r.binder(tx).Index(r.ctx, &r.stmt, t.Schema(), n)
	if err != nil {
		return nil, err
	}
	return r.unless(n.IfNotExists, sqlerr.DupKeyName, tx.DDL().CreateIndex(r.ctx, t, ix))
}
