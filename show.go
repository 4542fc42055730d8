package gsql

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
	"gsql/sql/infoschema"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/storage"
)

// show runs SHOW in MySQL's result shapes. What lists things is a query over
// information_schema.
func (r *stmtRun) show(n *ast.ShowStmt) (*Rows, error) {
	tx, done := r.view()
	defer done()
	switch n.Tp {
	case ast.ShowCreateTable, ast.ShowCreateView:
		return r.showCreate(tx, n)
	case ast.ShowCreateDatabase:
		return r.showCreateDatabase(tx, n)
	case ast.ShowGrants:
		return r.showGrants(n)
	case ast.ShowWarnings, ast.ShowErrors:
		return r.showWarnings(n)
	case ast.ShowReplicaStatus:
		return textResult(textColumns("Replica_IO_State", "Source_Host", "Source_User", "Source_Port"), nil), nil
	case ast.ShowCreateProcedure:
		return r.absent(&parse.Absent{What: "PROCEDURE", DB: n.Procedure.Schema.O, Name: n.Procedure.Name.O})
	case ast.ShowProfile:
		return textResult(textColumns("Status", "Duration"), nil), nil
	}
	return r.showQuery(tx, n)
}

// showQuery runs the query that a SHOW statement stands for.
func (r *stmtRun) showQuery(tx *storage.Tx, n *ast.ShowStmt) (*Rows, error) {
	db, err := r.shownDatabase(tx, n)
	if err != nil {
		return nil, err
	}
	shown, ok := infoschema.Show(n, db)
	if !ok {
		return nil, sqlerr.Unsupported(0, "%s", firstWords(r.stmt.Text)).WithHint("docs/sql.md lists what SHOW knows.")
	}
	source := shown.Source
	if n.Table != nil {
		if source, err = r.shownSource(tx, n, db); err != nil {
			return nil, r.locate(err, n.Table.Name.O)
		}
	}
	text := "SELECT * FROM (" + shown.Query + ") AS shown"
	clause, at := r.showClause(n, shown.Like)
	inner, err := r.inner(text + clause)
	if err != nil {
		return nil, err
	}
	inner.source = source
	rows, err := inner.query(inner.stmt.Node)
	if err != nil {
		return nil, moved(err, at-len(text))
	}
	return rows, nil
}

// shownDatabase gives the database that SHOW is about, and checks that it exists where
// the statement cannot do without one.
func (r *stmtRun) shownDatabase(tx *storage.Tx, n *ast.ShowStmt) (string, error) {
	db := n.DBName
	if db == "" && n.Table != nil {
		db = n.Table.Schema.O
	}
	if db == "" {
		db = r.s.database
	}
	switch n.Tp {
	case ast.ShowTables, ast.ShowTableStatus, ast.ShowOpenTables, ast.ShowTriggers, ast.ShowEvents:
	default:
		return db, nil
	}
	if infoschema.Is(db) || n.Tp == ast.ShowOpenTables && n.DBName == "" {
		return strings.ToLower(db), nil
	}
	name, err := tx.Database(db)
	if err != nil {
		return "", r.locate(err, db)
	}
	return name, nil
}

// shownSource gives the table that lists the columns or the keys of one table, view or
// file.
func (r *stmtRun) shownSource(tx *storage.Tx, n *ast.ShowStmt, db string) (catalog.Table, error) {
	name := n.Table.Name.O
	qualified := n.DBName
	if qualified == "" {
		qualified = n.Table.Schema.O
	}
	obj, err := r.s.resolver(tx, nil).Table(r.ctx, qualified, name)
	if err != nil {
		return nil, err
	}
	if obj.Table != nil && !isFile(name) {
		name = obj.Table.Name()
	}
	inv := inventory{r.s, tx}
	if n.Tp == ast.ShowIndex {
		return infoschema.KeysOf(inv, db, name, obj), nil
	}
	if obj.View != nil {
		if _, err := r.viewSchema(tx, obj.View); err != nil {
			return nil, err
		}
	}
	return infoschema.ColumnsOf(inv, db, name, obj), nil
}

// showClause gives the WHERE clause that a statement's LIKE or WHERE becomes, and where
// in the statement what it is made of begins. Names are compared in any case.
func (r *stmtRun) showClause(n *ast.ShowStmt, column string) (clause string, at int) {
	switch {
	case n.Where != nil:
		_, at = parse.Clause(r.stmt.Text, "WHERE", r.s.mode)
		return " WHERE " + r.stmt.Text[at:], at - len(" WHERE ")
	case n.Pattern != nil:
		_, at = parse.Clause(r.stmt.Text, "LIKE", r.s.mode)
		before := " WHERE LOWER(" + quote(column) + ") LIKE LOWER("
		return before + r.stmt.Text[at:] + "\n)", at - len(before) // the text may end in a comment
	case n.Column != nil:
		return " WHERE LOWER(Field) = LOWER(" + (catalog.Str(n.Column.Name.O).SQL()) + ")", 0
	}
	return "", 0
}

// moved shifts an error's position, which is lost where it would lie before the start.
func moved(err error, by int) error {
	e := *sqlerr.From(err)
	e.Pos = max(e.Pos+by, -1)
	return &e
}
