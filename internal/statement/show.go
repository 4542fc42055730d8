package statement

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/internal/result"
	"gsql/sql/catalog"
	"gsql/sql/infoschema"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/storage"
	"gsql/storage/files"
)

// show runs SHOW in MySQL's result shapes. Lists are queries over information_schema.
func show(r *run, n *ast.ShowStmt) (*Result, error) {
	tx, done := r.s.View()
	defer done()
	switch n.Tp {
	case ast.ShowCreateTable, ast.ShowCreateView:
		return showCreate(r, tx, n)
	case ast.ShowCreateDatabase:
		return showCreateDatabase(r, tx, n)
	case ast.ShowGrants:
		return showGrants(r, n)
	case ast.ShowWarnings, ast.ShowErrors:
		return showWarnings(r, n)
	case ast.ShowReplicaStatus:
		return textResult(result.TextColumns("Replica_IO_State", "Source_Host", "Source_User", "Source_Port"), nil), nil
	case ast.ShowCreateProcedure:
		return absent(r, &parse.Absent{What: "PROCEDURE", DB: n.Procedure.Schema.O, Name: n.Procedure.Name.O})
	case ast.ShowProfile:
		return textResult(result.TextColumns("Status", "Duration"), nil), nil
	}
	return showQuery(r, tx, n)
}

// showQuery runs the query that a SHOW statement stands for.
func showQuery(r *run, tx *storage.Tx, n *ast.ShowStmt) (*Result, error) {
	db, err := shownDatabase(r, tx, n)
	if err != nil {
		return nil, err
	}
	shown, ok := infoschema.Show(n, db)
	if !ok {
		return nil, sqlerr.Unsupported(0, "%s", firstWords(r.stmt.Text)).WithHint("docs/sql.md lists the supported forms of SHOW.")
	}
	listing := *r
	listing.source = shown.Source
	if n.Table != nil {
		if listing.source, err = shownSource(r, tx, n, db); err != nil {
			return nil, r.locate(err, n.Table.Name.O)
		}
	}
	return query(&listing, shown.Matching(n))
}

// shownDatabase returns the database that SHOW refers to. It must exist if the statement requires
// it.
func shownDatabase(r *run, tx *storage.Tx, n *ast.ShowStmt) (string, error) {
	db := n.DBName
	if db == "" && n.Table != nil {
		db = n.Table.Schema.O
	}
	db = r.inDatabase(db)
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

// shownSource returns the table that lists the columns or the keys of one table, view or file.
func shownSource(r *run, tx *storage.Tx, n *ast.ShowStmt, db string) (catalog.Table, error) {
	name := n.Table.Name.O
	qualified := n.DBName
	if qualified == "" {
		qualified = n.Table.Schema.O
	}
	obj, err := r.s.Tables(tx, nil).Table(r.ctx, qualified, name)
	if err != nil {
		return nil, err
	}
	if obj.Table != nil && !files.IsPath(name) {
		name = obj.Table.Name()
	}
	inv := r.s.Inventory(tx)
	if n.Tp == ast.ShowIndex {
		return infoschema.KeysOf(inv, db, name, obj), nil
	}
	if obj.View != nil {
		if _, err := r.s.ViewSchema(r.ctx, tx, obj.View); err != nil {
			return nil, err
		}
	}
	return infoschema.ColumnsOf(inv, db, name, obj), nil
}
