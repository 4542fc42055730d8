package statement

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/storage"
)

// alterView is CREATE OR REPLACE VIEW of a view that must exist.
func alterView(r *run, tx *storage.Tx, n *parse.AlterView) (*Result, error) {
	obj, err := r.object(tx, n.ViewName)
	if err != nil {
		return nil, r.locate(err, n.ViewName.Name.O)
	}
	if obj.View == nil {
		return nil, sqlerr.New(sqlerr.WrongObject, "'%s.%s' is not VIEW", r.s.Database, n.ViewName.Name.O)
	}
	return createView(r, tx, n.CreateViewStmt)
}

// createView stores the text of the SELECT once it has been bound without error.
func createView(r *run, tx *storage.Tx, n *ast.CreateViewStmt) (*Result, error) {
	if r.stmt.Params > 0 {
		return nil, sqlerr.New(sqlerr.ViewSelectVariable, "View's SELECT contains a variable or parameter")
	}
	view := catalog.View{DB: n.ViewName.Schema.O, Name: n.ViewName.Name.O, SQL: n.Select.Text(), Within: r.s.Database, Mode: r.s.Mode}
	for _, c := range n.Cols {
		view.Columns = append(view.Columns, c.O)
	}
	if _, err := r.s.ViewSchema(r.ctx, tx, &view); err != nil {
		return nil, err
	}
	if err := tx.DDL().CreateView(view, n.OrReplace); err != nil {
		return nil, err
	}
	if len(locking(n.Select)) > 0 {
		r.s.Warn(uint16(sqlerr.NotSupportedYet), "FOR UPDATE and FOR SHARE lock no rows in a view: they belong to the SELECT that reads it")
	}
	return &Result{}, nil
}

// changeTrigger runs CREATE TRIGGER and DROP TRIGGER. gsql fires no triggers. It therefore only
// accepts triggers with empty bodies, which change no answer, and keeps their names.
func changeTrigger(r *run, n *parse.Trigger) (*Result, error) {
	db := r.inDatabase(n.DB)
	triggers := &r.s.DB.Triggers
	if n.Drop {
		return r.unless(n.IfExists, sqlerr.TriggerDoesNotExist, triggers.Drop(db, n.Name))
	}
	if !n.Empty {
		return nil, sqlerr.Unsupported(0, "CREATE TRIGGER").WithHint("gsql fires no triggers; only an empty body, BEGIN END, is accepted.")
	}
	tableDB := n.TableDB
	if tableDB == "" {
		tableDB = db
	}
	tx, done := r.s.View()
	defer done()
	if _, err := r.tableToChange(tx, &ast.TableName{Schema: ast.NewCIStr(tableDB), Name: ast.NewCIStr(n.Table)}); err != nil {
		return nil, err
	}
	if !strings.EqualFold(tableDB, db) {
		return nil, sqlerr.New(sqlerr.TrgInWrongSchema, "Trigger in wrong schema")
	}
	return r.unless(n.IfNotExists, sqlerr.TriggerExists, triggers.Create(db, n.Name, n.Table))
}
