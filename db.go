package gsql

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"

	"gsql/internal/database"
	"gsql/internal/plancache"
	"gsql/internal/statement"
	"gsql/sql/sysvar"
)

// DB is an engine with its tables. It is safe for concurrent use.
type DB struct {
	shared *database.DB
	plans  plancache.Plans
}

// Open returns an engine. Without cfg.Path its tables are in memory and end with it. With a path it
// opens the database in that folder, or creates one in a folder that is missing or empty: what a
// commit has acknowledged is still there after the process or the machine has died, as far as the
// variable gsql_sync says. One process at a time can change a folder; others can open it with
// cfg.ReadOnly. After a crash or damage Warnings says what was repaired.
//
// The error is 1231 for an invalid setting, 1102 for a database name that looks like a folder's, and
// 1017 for a folder that cannot be opened: another process changes it, it has other files than a
// database's, or it is damaged. Statements may read and write all files that the process may,
// unless cfg.FileAccess restricts them.
func Open(cfg Config) (*DB, error) {
	if err := checkDatabaseName(cfg.Database); err != nil {
		return nil, err
	}
	globals := map[string]string{}
	for name, value := range cfg.Variables {
		checked, err := sysvar.Check(name, value)
		if err != nil {
			return nil, err
		}
		globals[name] = checked
	}
	disk, err := cfg.FileAccess.open()
	if err != nil {
		return nil, err
	}
	shared, err := database.Open(database.Options{
		Path: cfg.Path, ReadOnly: cfg.ReadOnly, Rules: statement.RecoveredRules,
		Database: cfg.Database, Dir: cfg.Dir, Workers: cfg.Workers, MemoryLimit: cfg.MemoryLimit, Globals: globals, Disk: disk,
	})
	if err != nil {
		return nil, err
	}
	return &DB{shared: shared}, nil
}

// RegisterArrow makes records readable as table name in every session, without copying them; a nil
// slice drops the table. It retains the records and never releases them, because results and other
// tables may share their texts: memory from the Go heap is collected once nothing refers to it.
// All records must have the given schema. The table is read-only. The records do not count towards
// memory limits, because they are the caller's; what gsql makes of them does: samples for estimates,
// and what statements convert, copy and compute. The error is 1235 for a column whose type has no
// gsql equivalent, 1210 for a nil schema or record and for a record of another schema, 1366 for text
// that is not UTF-8, and 1053 if the DB is closed. After an error no record is retained.
func (db *DB) RegisterArrow(name string, schema *arrow.Schema, records []arrow.Record) error {
	if err := db.usable("RegisterArrow"); err != nil {
		return err
	}
	if records != nil && schema == nil {
		return misuse("RegisterArrow", "the schema is nil")
	}
	if i := slices.Index(records, nil); i >= 0 {
		return misuse("RegisterArrow", fmt.Sprintf("record %d is nil", i))
	}
	err := db.shared.Arrow.Register(name, schema, records)
	db.plans.ExpireAll()
	return err
}

// Warnings returns what Open repaired after a crash, one sentence each.
func (db *DB) Warnings() []string {
	if !db.made() {
		return nil
	}
	return db.shared.Repairs
}

// Refresh makes a DB that was opened with Config.ReadOnly show what another process has committed by now,
// as FLUSH TABLES does; for other DBs it does nothing. The error is 1017 if the folder cannot be read.
func (db *DB) Refresh() error {
	if err := db.usable("Refresh"); err != nil {
		return err
	}
	return db.shared.Execute(db.shared.Store.Refresh)
}

// Backup copies the committed state to a folder, which must be missing or empty and can then be opened
// as a database. Statements go on meanwhile. Errors: 1105 for tables in memory, 1017 and 1026 if the
// folder cannot be written, 1317 if ctx ends; the folder is then incomplete.
func (db *DB) Backup(ctx context.Context, folder string) error {
	if err := db.usable("Backup"); err != nil {
		return err
	}
	if ctx == nil {
		return misuse("Backup", "the context is nil")
	}
	return db.shared.Execute(func() error { return db.shared.Backup(ctx, folder) })
}

// Close ends the DB: it cancels the statements that run, waits for them, and drops the tables from
// memory. A database in a folder gets a last checkpoint, so that opening it again is fast; if that
// fails with error 1026, nothing is lost. Open
// Rows fail at their next batch; close them too. All later statements fail with error 1053. Closing
// again does nothing.
func (db *DB) Close() error {
	if !db.made() {
		return misuse("Close", "the DB was not made by Open")
	}
	err := db.shared.Close()
	db.plans.Clear()
	return err
}

// made reports whether Open made db; it is false for a nil DB.
func (db *DB) made() bool { return db != nil && db.shared != nil }

// usable returns why the DB cannot be used, or nil.
func (db *DB) usable(what string) error {
	switch {
	case !db.made():
		return misuse(what, "the DB was not made by Open")
	case db.shared.Closed():
		return database.ErrClosed()
	}
	return nil
}
