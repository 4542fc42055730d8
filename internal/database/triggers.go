package database

import (
	"maps"
	"strings"
	"sync"

	"gsql/sql/sqlerr"
)

// Triggers holds the names of triggers. Their bodies are empty, so nothing fires them.
// The zero value has none. Safe for concurrent use.
type Triggers struct {
	mu     sync.Mutex
	tables map[string]string // lower-case "database.trigger" to "database.table"
}

// Create adds a trigger of a table in the same database. The error is 1359 if a trigger of that
// name exists.
func (t *Triggers) Create(db, name, table string) error {
	key := strings.ToLower(db + "." + name)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tables[key] != "" {
		return sqlerr.New(sqlerr.TriggerExists, "Trigger already exists")
	}
	if t.tables == nil {
		t.tables = map[string]string{}
	}
	t.tables[key] = strings.ToLower(db + "." + table)
	return nil
}

// Drop removes a trigger. The error is 1360 if there is none of that name.
func (t *Triggers) Drop(db, name string) error {
	key := strings.ToLower(db + "." + name)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tables[key] == "" {
		return sqlerr.New(sqlerr.TriggerDoesNotExist, "Trigger does not exist")
	}
	delete(t.tables, key)
	return nil
}

// Forget removes the triggers of a dropped table, or those of the whole database if table is "".
func (t *Triggers) Forget(db, table string) {
	of := strings.ToLower(db + "." + table)
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.tables, func(_, on string) bool { return on == of || table == "" && strings.HasPrefix(on, of) })
}
