package gsql

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder"
	"gsql/sql/catalog"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/storage"
)

// ddl runs a statement that changes definitions. As in MySQL it commits an open
// transaction first and takes effect at once.
func (r *stmtRun) ddl(n ast.DDLNode) (*Rows, error) {
	if err := r.s.mayWrite(); err != nil {
		return nil, err
	}
	if _, err := r.commit(); err != nil {
		return nil, err
	}
	tx := r.s.newTx()
	rows, err := r.define(tx, n)
	if err != nil {
		tx.Rollback()
		return nil, err
	}
	return rows, tx.Commit()
}

func (r *stmtRun) define(tx *storage.Tx, n ast.DDLNode) (*Rows, error) {
	switch n := n.(type) {
	case *ast.CreateTableStmt:
		return r.createTable(tx, n)
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
	if def.Temporary {
		return nil, sqlerr.Unsupported(0, "TEMPORARY tables")
	}
	if err := r.checkDefaults(&def.Schema); err != nil {
		return nil, err
	}
	if err := tx.CreateTable(def.DB, def.Name, &def.Schema); err != nil {
		return r.unless(def.IfNotExists, sqlerr.TableExists, err)
	}
	if def.Query == nil {
		return &Rows{}, nil
	}
	return r.insert(tx, fill(n, def.Query.Names))
}

// checkDefaults refuses default values that their columns could not store.
func (r *stmtRun) checkDefaults(schema *catalog.Schema) error {
	for _, c := range schema.Columns {
		if c.Default == nil || c.Type.IsTemporal() && *c.Default == "CURRENT_TIMESTAMP" {
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
	in := &ast.InsertStmt{Table: &ast.TableRefsClause{TableRefs: &ast.Join{Left: source}}, Select: n.Select}
	for _, name := range names {
		in.Columns = append(in.Columns, &ast.ColumnName{Name: ast.NewCIStr(name)})
	}
	return in
}

func (r *stmtRun) dropTables(tx *storage.Tx, n *ast.DropTableStmt) (*Rows, error) {
	for _, t := range n.Tables {
		drop := tx.DropTable
		if n.IsView {
			drop = tx.DropView
		}
		if _, err := r.unless(n.IfExists, sqlerr.BadTable, drop(t.Schema.O, t.Name.O)); err != nil {
			return nil, err
		}
		if !n.IsView {
			r.dropTriggers(t.Schema.O, t.Name.O)
		}
	}
	return &Rows{}, nil
}

// createView stores the text of the SELECT once it has been bound without error.
func (r *stmtRun) createView(tx *storage.Tx, n *ast.CreateViewStmt) (*Rows, error) {
	if r.stmt.Params > 0 {
		return nil, sqlerr.New(sqlerr.ViewSelectVariable, "View's SELECT contains a variable or parameter")
	}
	view := catalog.View{DB: n.ViewName.Schema.O, Name: n.ViewName.Name.O, SQL: n.Select.Text(), Within: r.s.database, Mode: r.s.mode}
	for _, c := range n.Cols {
		view.Columns = append(view.Columns, c.O)
	}
	if _, err := r.viewSchema(tx, &view); err != nil {
		return nil, err
	}
	return &Rows{}, tx.CreateView(view, n.OrReplace)
}

// viewSchema binds a view's SELECT and gives its columns.
func (r *stmtRun) viewSchema(tx *storage.Tx, v *catalog.View) (*catalog.Schema, error) {
	inner, err := r.inner(v.SQL)
	if err != nil {
		return nil, err
	}
	res := r.s.resolver(tx, nil).In(v.Within)
	bound, err := binder.New(res, bindSession{r.s, nil}).Query(r.ctx, &inner.stmt, inner.stmt.Node)
	if err != nil {
		return nil, err
	}
	if v.Columns != nil && len(v.Columns) != len(bound.Names) {
		return nil, sqlerr.New(sqlerr.CTEColumnCount, "In definition of view, derived table or common table expression, SELECT list and column names list have different column counts")
	}
	schema := &catalog.Schema{}
	seen := map[string]bool{}
	for i, name := range bound.Names {
		if v.Columns != nil {
			name = v.Columns[i]
		}
		if seen[name] {
			return nil, sqlerr.New(sqlerr.DupFieldName, "Duplicate column name '%s'", name)
		}
		seen[name] = true
		schema.Columns = append(schema.Columns, catalog.Column{Name: name, Type: bound.Columns[i].T, NotNull: bound.Columns[i].NotNull})
	}
	return schema, nil
}

func (r *stmtRun) createIndex(tx *storage.Tx, n *ast.CreateIndexStmt) (*Rows, error) {
	t, err := r.tableToChange(tx, n.Table)
	if err != nil {
		return nil, err
	}
	ix := catalog.Index{Name: n.IndexName, Unique: n.KeyType == ast.IndexKeyTypeUnique}
	for _, part := range n.IndexPartSpecifications {
		if part.Column == nil {
			return nil, sqlerr.Unsupported(0, "indexes on expressions")
		}
		c := t.Schema().Ordinal(part.Column.Name.O)
		if c < 0 {
			return nil, sqlerr.New(sqlerr.KeyColumnDoesNotExist, "Key column '%s' doesn't exist in table", part.Column.Name.O)
		}
		ix.Columns = append(ix.Columns, c)
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
	return textResult(textColumns("Table", "Op", "Msg_type", "Msg_text"), out), nil
}
