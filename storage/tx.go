package storage

import (
	"context"
	"strings"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/storage/keyindex"
)

// Tx is a transaction: it reads a snapshot and its own writes (snapshot isolation).
// It is for one goroutine at a time, except that the tables it returns may be read
// from any and that an Appender's writers run side by side.
type Tx struct {
	store   *Store
	base    *state
	names   *namespace // with the transaction's own changes
	changes []change
	writes  []*write
	db      string
	temp    string // how the names of the session's hidden databases begin, or ""
	autoID  int64
	undo    []func() // takes back keys claimed since the first savepoint
	marks   int      // savepoints in use
	done    bool
	locks   []*tableLocks
	reads   *readNames // of a serializable transaction; else nil

	keepZeros bool // see KeepZeros

	// Env is the session as the rules of tables see it; nil serves tables without any.
	Env catalog.Env
}

// write is what a transaction has done to one table.
type write struct {
	base    *version // committed contents when the transaction first wrote; empty for a new table
	view    *version // what the transaction sees
	created bool     // by this transaction
	dropped bool
	cleared bool              // by TRUNCATE
	altered bool              // the definition was changed
	counter *uint64           // what the AUTO_INCREMENT counter becomes, nil to leave it
	deleted []int64           // committed rows deleted, ascending within each statement
	local   []*keyindex.Index // keys of own rows, by position in view.keys
	checked uint64            // committed version against which the keys were checked last
	matched bool              // a Matcher decided what is inserted: keys that others commit since are conflicts
}

var errDone = sqlerr.Internal("the transaction has ended")

// Use sets the database that names without one mean, "" for none. It need not exist:
// names are then not found, with 1049 or 1046.
func (tx *Tx) Use(db string) {
	tx.db = db
	if d, ok := tx.names.dbs[strings.ToLower(db)]; ok {
		tx.db = d.name
	}
}

// Table finds a table or view as the transaction sees it: see catalog.Resolver.
// The table is a snapshot: later writes of the transaction do not change it.
func (tx *Tx) Table(ctx context.Context, db, name string) (catalog.Object, error) {
	if db == "" {
		db = tx.db
	}
	tx.reads.note(tx.shadowing(db, name), name)
	return tx.Target(ctx, db, name)
}

// Target is Table for a table that the statement only adds rows to: a serializable
// transaction need not find it unchanged.
func (tx *Tx) Target(_ context.Context, db, name string) (catalog.Object, error) {
	if db == "" {
		db = tx.db
	}
	o, err := tx.names.lookup(tx.shadowing(db, name), name)
	if err != nil {
		return catalog.Object{}, err
	}
	if o.view != nil {
		return catalog.Object{View: o.view}, nil
	}
	v := tx.version(o.table)
	if v == nil {
		return catalog.Object{}, sqlerr.Internal("table '%s' has no contents", name)
	}
	return catalog.Object{Table: v}, nil
}

// Database returns a database's name as it was made: error 1049 when there is none.
func (tx *Tx) Database(name string) (string, error) {
	d, err := tx.names.database(name)
	if err != nil {
		return "", err
	}
	return d.name, nil
}

// Collation returns a database's collation, see SetCollation; that of one that is not there
// is the default one.
func (tx *Tx) Collation(db string) types.Collation {
	if d, err := tx.names.database(tx.dbName(db)); err == nil {
		return d.coll
	}
	return types.Bin
}

// Databases lists the databases in order of their names.
func (tx *Tx) Databases() []string {
	tx.reads.noteLists()
	return tx.names.databases()
}

// Tables lists a database's tables and views in order of their names; db "" is the
// current one. Error 1049.
func (tx *Tx) Tables(db string) (tables, views []string, err error) {
	if db == "" {
		db = tx.db
	}
	tx.reads.noteLists()
	d, err := tx.names.database(db)
	if err != nil {
		return nil, nil, err
	}
	for o := range d.all() {
		if o.view != nil {
			views = append(views, o.name)
		} else {
			tables = append(tables, o.name)
		}
	}
	sortNames(tables)
	sortNames(views)
	return tables, views, nil
}

// LastInsertID returns the first AUTO_INCREMENT value that the last Insert or load made, 0 for
// none.
func (tx *Tx) LastInsertID() int64 { return tx.autoID }

// Snapshot identifies what is committed at one time: equal ones show the same tables with
// the same rows, to transactions that have changed nothing. The zero value is none.
type Snapshot struct{ of *state }

// Snapshot returns what the transaction began on.
func (tx *Tx) Snapshot() Snapshot { return Snapshot{tx.base} }

// Snapshot returns what is committed now.
func (s *Store) Snapshot() Snapshot { return Snapshot{s.state.Load()} }

// Writes reports whether the transaction has anything to commit.
func (tx *Tx) Writes() bool { return len(tx.writes)+len(tx.changes) > 0 }

// version returns a table's contents with the transaction's own writes.
func (tx *Tx) version(t *table) *version {
	for _, w := range tx.writes {
		if w.view.table == t {
			return w.view
		}
	}
	return tx.base.version(t)
}

// target returns the write record of a table that came from the resolver.
func (tx *Tx) target(tbl catalog.Table) (*write, error) {
	if tx.done {
		return nil, errDone
	}
	v, ok := tbl.(*version)
	if !ok {
		return nil, sqlerr.New(sqlerr.NonUpdatableTable, "The target table %s of the statement is not updatable", tbl.Name()).
			WithHint("Files are read only; load the file into a table first.")
	}
	for _, w := range tx.writes {
		if w.view.table != v.table {
			continue
		}
		if w.dropped {
			return nil, noSuchTable(v.table)
		}
		return w, nil
	}
	base := tx.base.version(v.table)
	if base == nil {
		return nil, noSuchTable(v.table)
	}
	w := &write{base: base, view: base}
	tx.writes = append(tx.writes, w)
	return w, nil
}

func noSuchTable(t *table) error {
	return sqlerr.New(sqlerr.NoSuchTable, "Table '%s.%s' doesn't exist", shown(t.db), t.name)
}

// Rollback forgets the transaction's writes. After Commit it does nothing.
func (tx *Tx) Rollback() {
	if len(tx.writes) > 0 {
		tx.store.relief.undone.Store(true)
	}
	tx.end()
}

func (tx *Tx) end() {
	tx.done = true
	tx.writes, tx.changes, tx.locks, tx.reads = nil, nil, nil, nil
}
