package database

import (
	"strings"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/storage/arrowtable"
)

// ArrowTables holds tables over Arrow records owned by the program. The zero value is empty. Safe
// for concurrent use.
type ArrowTables struct {
	Mem *mem.Account // charged for samples of the tables; nil counts nothing

	mu     sync.RWMutex
	tables map[string]catalog.Table // by lower-case name
	closed bool
}

// Register makes records readable as table name, or removes the table if records is nil. The
// records are retained. The error is 1235 for a column type that gsql has no equivalent of, and
// 1053 once the DB is closed.
func (a *ArrowTables) Register(name string, schema *arrow.Schema, records []arrow.Record) error {
	if records == nil {
		return a.Put(name, nil)
	}
	var t catalog.Table
	err := op.Guard(func() (err error) {
		t, err = arrowtable.New(name, a.Mem, schema, records)
		return err
	})
	if err != nil {
		return err
	}
	return a.Put(name, t)
}

// Put makes a table readable by name, or removes the table of that name if t is nil. The error is
// 1053 once the DB is closed.
func (a *ArrowTables) Put(name string, t catalog.Table) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := strings.ToLower(name)
	switch {
	case a.closed:
		return ErrClosed()
	case t == nil:
		delete(a.tables, key)
	case a.tables == nil:
		a.tables = map[string]catalog.Table{key: t}
	default:
		a.tables[key] = t
	}
	return nil
}

// Find returns the table of a name, ignoring case, or nil.
func (a *ArrowTables) Find(name string) catalog.Table {
	a.mu.RLock()
	defer a.mu.RUnlock()
	if len(a.tables) == 0 {
		return nil
	}
	return a.tables[strings.ToLower(name)]
}

func (a *ArrowTables) clear() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tables, a.closed = nil, true
}
