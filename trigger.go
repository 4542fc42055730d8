package gsql

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

// trigger runs CREATE TRIGGER and DROP TRIGGER. gsql fires no triggers, so it takes only
// those whose body is empty, which change no answer, and keeps their names.
func (r *stmtRun) trigger(n *parse.Trigger) (*Rows, error) {
	dbName := n.DB
	if dbName == "" {
		dbName = r.s.database
	}
	key := strings.ToLower(dbName + "." + n.Name)
	db := r.s.db
	if n.Drop {
		db.mu.Lock()
		defer db.mu.Unlock()
		if !db.triggers[key] {
			return r.unless(n.IfExists, sqlerr.TriggerDoesNotExist, sqlerr.New(sqlerr.TriggerDoesNotExist, "Trigger does not exist"))
		}
		delete(db.triggers, key)
		return &Rows{}, nil
	}
	if !n.Empty {
		return nil, sqlerr.Unsupported(0, "CREATE TRIGGER").WithHint("gsql fires no triggers; only an empty body, BEGIN END, is taken.")
	}
	tx, done := r.view()
	defer done()
	if _, err := r.tableToChange(tx, &ast.TableName{Schema: ast.NewCIStr(dbName), Name: ast.NewCIStr(n.Table)}); err != nil {
		return nil, err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.triggers[key] {
		return r.unless(n.IfNotExists, sqlerr.TriggerExists, sqlerr.New(sqlerr.TriggerExists, "Trigger already exists"))
	}
	db.triggers[key] = true
	return &Rows{}, nil
}
