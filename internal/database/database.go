// Package database holds what the sessions of one database share: the store, the
// devices, the caches, the locks and the settings that new sessions start with.
//
// It knows nothing of statements. internal/session adds what belongs to one
// connection, and internal/statement runs SQL.
package database

import (
	"context"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"gsql/exec"
	"gsql/gpu/operators"
	"gsql/internal/mem"
	"gsql/sql/sqlerr"
	"gsql/storage"
	"gsql/storage/disk"
)

// Options configure a DB. The zero value is usable.
type Options struct {
	Database    string            // initial database of sessions, created when missing; "" is storage.DefaultDB
	Dir         string            // folder that relative file paths start from; "" is the process's
	Workers     int               // goroutines a query may use; 0 means one per core
	MemoryLimit int64             // bytes that tables and statements may hold together; 0 means 80 % of the machine's memory
	Globals     map[string]string // checked initial values of system variables; the DB keeps the map
	Disk        *disk.Disk        // files that statements may use; nil allows all of them. The DB closes it
}

// DB is the shared state of all sessions of one database. It is safe for concurrent use.
type DB struct {
	Database string         // initial database of sessions
	Workers  int            // goroutines a query may use unless its session overrides it
	Opened   time.Time      // time of Open
	Store    *storage.Store // tables and views
	Mem      *mem.Account   // root account of tables and statements
	UserVars *mem.Account   // below Mem: texts of user variables of all sessions
	FileMem  *mem.Account   // below Mem: files opened as tables
	Registry *exec.Registry // operators by kind and device
	Devices  Devices        // accelerators
	Disk     *disk.Disk     // files that statements may use
	Dir      string         // folder that relative file paths start from, or ""
	Few      bool           // plans of few rows also use all workers; tests set it before the first session

	Files      FileCache
	Arrow      ArrowTables
	Triggers   Triggers
	Processes  Processes
	Locks      NamedLocks   // of GET_LOCK
	TableLocks NamedLocks   // of LOCK TABLES, by database.table
	Statements atomic.Int64 // statements run so far
	Placements Placements   // where operators ran

	globalsMu sync.Mutex
	globals   atomic.Pointer[map[string]string] // values that differ from defaults; replaced as a whole, never changed in place

	starting  sync.Once // see StartGPU
	closed    atomic.Bool
	executing sync.RWMutex // read-locked while a statement executes, but not while its rows are read
}

// Open returns a DB with an empty store. The error is that of an invalid device memory
// limit or database name.
func Open(o Options) (*DB, error) {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.MemoryLimit <= 0 {
		o.MemoryLimit = machineMemory() / 10 * 8
	}
	if o.Database == "" {
		o.Database = storage.DefaultDB
	}
	account := mem.NewRoot("gsql", o.MemoryLimit)
	db := &DB{
		Database: o.Database,
		Workers:  o.Workers,
		Opened:   time.Now(),
		Store:    storage.NewStore(account),
		Mem:      account,
		UserVars: account.Child("user variables"),
		FileMem:  account.Child("files opened as tables"),
		Registry: exec.DefaultRegistry(),
		Devices:  engines{},
		Disk:     o.Disk,
		Dir:      o.Dir,
	}
	db.globals.Store(&o.Globals)
	account.OnFull(db.dropFiles)
	operators.Register(db.Registry, operators.Config{Cacheable: lasts})
	if limit, ok := o.Globals[deviceLimit]; ok {
		if err := db.SetDeviceLimit(context.Background(), limit); err != nil {
			return nil, err
		}
	}
	if o.Database != storage.DefaultDB {
		if err := db.create(o.Database); err != nil {
			return nil, err
		}
	}
	return db, nil
}

func (db *DB) create(name string) error {
	tx := db.Store.Begin()
	defer tx.Rollback()
	if err := tx.DDL().CreateDatabase(name); err != nil {
		return err
	}
	return tx.Commit()
}

// dropFiles frees the memory of cached files that no statement reads.
func (db *DB) dropFiles() {
	if db.Files.tryClear() {
		db.FileMem.Collect()
	}
}

// Path makes a file name of a statement absolute if Dir is set.
func (db *DB) Path(p string) string {
	if db.Dir == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(db.Dir, p)
}

// ErrClosed is the error of statements once their DB is closed: 1053.
func ErrClosed() error {
	return sqlerr.New(sqlerr.ServerShutdown, "The database is closed").WithHint("Its tables are gone. Open returns a new one.")
}

// Closed reports whether Close has been called.
func (db *DB) Closed() bool { return db.closed.Load() }

// Execute calls f and returns its error; Close waits for f to return. The error is 1053 once the DB
// is closed.
func (db *DB) Execute(f func() error) error {
	db.executing.RLock()
	defer db.executing.RUnlock()
	if db.closed.Load() {
		return ErrClosed()
	}
	return f()
}

// Close cancels the statements that run, waits for them and drops the tables. Later
// statements fail with error 1053. Closing again does nothing.
func (db *DB) Close() error {
	if db.closed.Swap(true) {
		return nil
	}
	for _, p := range db.Processes.All() {
		p.Stop(ErrClosed())
	}
	db.executing.Lock()
	defer db.executing.Unlock()
	db.Store.Close()
	db.Files.clear()
	db.Arrow.clear()
	return db.Disk.Close()
}
