package gsql

import (
	"maps"
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
		if db.triggers[key] == "" {
			return r.unless(n.IfExists, sqlerr.TriggerDoesNotExist, sqlerr.New(sqlerr.TriggerDoesNotExist, "Trigger does not exist"))
		}
		delete(db.triggers, key)
		return &Rows{}, nil
	}
	if !n.Empty {
		return nil, sqlerr.Unsupported(0, "CREATE TRIGGER").WithHint("gsql fires no triggers; only an empty body, BEGIN END, is taken.")
	}
	tableDB := n.TableDB
	if tableDB == "" {
		tableDB = dbName
	}
	tx, done := r.view()
	defer done()
	if _, err := r.tableToChange(tx, &ast.TableName{Schema: ast.NewCIStr(tableDB), Name: ast.NewCIStr(n.Table)}); err != nil {
		return nil, err
	}
	if !strings.EqualFold(tableDB, dbName) {
		return nil, sqlerr.New(sqlerr.TrgInWrongSchema, "Trigger in wrong schema")
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.triggers[key] != "" {
		return r.unless(n.IfNotExists, sqlerr.TriggerExists, sqlerr.New(sqlerr.TriggerExists, "Trigger already exists"))
	}
	db.triggers[key] = strings.ToLower(dbName + "." + n.Table)
	return &Rows{}, nil
}

// dropTriggers forgets the triggers of a table that is gone; of all tables of the
// database when table is "".
func (r *stmtRun) dropTriggers(dbName, table string) {
	if dbName == "" {
		dbName = r.s.database
	}
	of := strings.ToLower(dbName + "." + table)
	db := r.s.db
	db.mu.Lock()
	defer db.mu.Unlock()
	maps.DeleteFunc(db.triggers, func(_, t string) bool { return t == of || table == "" && strings.HasPrefix(t, of) })
}
