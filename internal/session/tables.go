package session

import (
	"context"
	"errors"

	"gsql/planner/binder"
	"gsql/sql/catalog"
	"gsql/sql/infoschema"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/storage"
	"gsql/storage/files"
)

// SourceName is the name by which a statement reads Tables.Source. No SQL text can contain it.
const SourceName = infoschema.Source

// Tables finds the tables of one statement: those of the transaction, then registered Arrow
// tables, then files. It implements binder.Resolver.
type Tables struct {
	s      *Session
	tx     *storage.Tx
	db     string        // of names without one
	source catalog.Table // of the name SourceName, or nil
}

var _ binder.Targets = Tables{}

// Tables returns what statements find in tx. source is the table of SourceName, or nil.
func (s *Session) Tables(tx *storage.Tx, source catalog.Table) Tables {
	return Tables{s, tx, s.Database, source}
}

// Table implements catalog.Resolver.
func (t Tables) Table(ctx context.Context, db, name string) (catalog.Object, error) {
	return t.object(ctx, db, name, t.tx.Table)
}

// Target implements binder.Targets.
func (t Tables) Target(ctx context.Context, db, name string) (catalog.Object, error) {
	return t.object(ctx, db, name, t.tx.Target)
}

// object resolves a name; stored looks it up in the store.
func (t Tables) object(ctx context.Context, db, name string, stored func(context.Context, string, string) (catalog.Object, error)) (catalog.Object, error) {
	if t.source != nil && name == SourceName {
		return catalog.Object{Table: t.source}, nil
	}
	if files.IsPath(name) {
		table, err := openFile(ctx, t.s, name)
		return catalog.Object{Table: table}, err
	}
	of := db
	if db == "" {
		if table := t.s.DB.Arrow.Find(name); table != nil {
			return catalog.Object{Table: table}, nil
		}
		of = t.db
	}
	if infoschema.Is(of) {
		table, err := infoschema.Find(t.s.Inventory(t.tx), of, name)
		return catalog.Object{Table: table}, err
	}
	obj, err := stored(ctx, of, name)
	return obj, t.adviseFile(err, db, name)
}

// adviseFile adds a hint to the error of a missing table: what to write for the file that may have
// been meant, as in FROM airports.csv.
func (t Tables) adviseFile(err error, db, name string) error {
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Code != sqlerr.BadDB && e.Code != sqlerr.NoSuchTable {
		return err
	}
	if db != "" {
		name = db + "." + name
	}
	if hint := files.Advice(t.s.DB.Disk, name, t.s.DB.Dir); hint != "" {
		return e.WithHint("%s", hint)
	}
	return err
}

// IsVirtual reports whether the tables of db (the current one for "") show the engine's own state.
func (t Tables) IsVirtual(db string) bool {
	if db == "" {
		db = t.db
	}
	return infoschema.Is(db)
}

// Collation implements catalog.Resolver.
func (t Tables) Collation(db string) types.Collation {
	if db == "" {
		db = t.db
	}
	return t.tx.Collation(db)
}

// Within returns the same tables with another current database.
func (t Tables) Within(db string) Tables {
	t.db = db
	return t
}

// In implements catalog.Resolver.
func (t Tables) In(db string) catalog.Resolver { return t.Within(db) }

// openFile opens a file, or a pattern of files, as a table.
func openFile(ctx context.Context, s *Session, name string) (catalog.Table, error) {
	opt, done := s.FileOptions()
	defer done()
	return s.DB.Files.Open(ctx, name, opt)
}

// FileOptions returns the options with which statements open files. done releases the memory that
// opening them took.
func (s *Session) FileOptions() (opt files.Options, done func()) {
	account := s.DB.Mem.Limited("opening files", s.Settings().MemoryLimit)
	return files.Options{Dir: s.DB.Dir, Disk: s.DB.Disk, Mem: account, Tables: s.DB.FileMem}, account.ReleaseAll
}
