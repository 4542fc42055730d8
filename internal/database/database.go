// Package database holds what the sessions of one database share: the store, the
// devices, the caches, the locks and the settings that new sessions start with.
//
// It knows nothing of statements. internal/session adds what belongs to one
// connection, and internal/statement runs SQL.
package database

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"gsql/exec"
	"gsql/gpu/operators"
	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/storage"
	"gsql/storage/chainlog"
	"gsql/storage/disk"
	"gsql/storage/vfs"
)

// Options configure a DB. The zero value is usable.
type Options struct {
	Path        string            // folder in which the store is kept; "" is memory
	FS          vfs.FS            // the folder itself, instead of Path, for tests
	LogLimit    int64             // bytes of the folder's log from which a commit starts a checkpoint; 0 means 64 MB
	ReadOnly    bool              // the folder is only read
	Rules       Rules             // needed if there is a folder
	Database    string            // initial database of sessions, created when missing; "" is storage.DefaultDB
	Dir         string            // folder that relative file paths start from; "" is the process's
	Workers     int               // goroutines a query may use; 0 means one per core
	MemoryLimit int64             // bytes that tables and statements may hold together; 0 means 80 % of the machine's memory
	Globals     map[string]string // checked initial values of system variables; the DB keeps the map
	Disk        *disk.Disk        // files that statements may use; nil allows all of them. The DB closes it
}

// Rules returns what completes and checks the rows of a recovered table with generated columns or
// constraints. It may be called before the DB is open, but its result only afterwards.
type Rules func(db *DB, in, table string, schema *catalog.Schema) catalog.RowRules

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
	Repairs  []string       // what opening the store repaired
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
		Mem:      account,
		UserVars: account.Child("user variables"),
		FileMem:  account.Child("files opened as tables"),
		Registry: exec.DefaultRegistry(),
		Devices:  engines{},
		Disk:     o.Disk,
		Dir:      o.Dir,
	}
	db.Arrow.Mem = account.Child("registered Arrow tables")
	db.globals.Store(&o.Globals)
	if set, ok := o.Globals["gsql_device"]; ok {
		if err := db.Devices.Check(set); err != nil {
			return nil, err
		}
	}
	if err := db.openStore(o); err != nil {
		return nil, err
	}
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

// openStore opens the store in its folder, or makes one in memory.
func (db *DB) openStore(o Options) (err error) {
	folder := o.FS
	switch {
	case folder != nil:
	case o.Path == "":
		db.Store = storage.NewStore(db.Mem)
		return nil
	default:
		if folder, err = openFolder(o.Path, o.ReadOnly); err != nil {
			return sqlerr.Wrap(sqlerr.FileNotFound, err, "Can't open the database in '%s'", o.Path)
		}
	}
	db.Store, db.Repairs, err = storage.OpenStore(db.Mem, storage.Directory{
		FS: folder, Cache: o.MemoryLimit / cacheShare, Sync: syncModes[o.Globals["gsql_sync"]], ReadOnly: o.ReadOnly, LogLimit: o.LogLimit,
		Rules: func(in, table string, schema *catalog.Schema) catalog.RowRules { return o.Rules(db, in, table, schema) },
	})
	return err
}

// cacheShare is the part of the memory limit that columns of tables in a folder may take while no
// statement reads them.
const cacheShare = 2

func openFolder(path string, readonly bool) (vfs.FS, error) {
	if readonly {
		return vfs.Dir(path)
	}
	return vfs.MakeDir(path)
}

// Backup copies the committed state to a folder, which must be missing or empty, while transactions
// go on; see storage.Store.Backup. After an error the folder is as it was.
func (db *DB) Backup(ctx context.Context, path string) error {
	_, missing := os.Stat(path)
	folder, err := vfs.MakeDir(path)
	if err != nil {
		return sqlerr.Wrap(sqlerr.FileNotFound, err, "Can't write a backup to '%s'", path)
	}
	err = db.Store.Backup(ctx, folder)
	if err != nil && errors.Is(missing, fs.ErrNotExist) {
		_ = os.Remove(path) // the error to report is that of the backup
	}
	return err
}

// syncModes are the values of gsql_sync; a variable that is not set is full.
var syncModes = map[string]chainlog.Sync{"full": chainlog.Full, "normal": chainlog.Normal, "off": chainlog.Off}

// SetSync applies gsql_sync.
func (db *DB) SetSync(mode string) { db.Store.SetSync(syncModes[mode]) }

// create creates the database that sessions begin with, unless it exists.
func (db *DB) create(name string) error {
	tx := db.Store.Begin()
	defer tx.Rollback()
	if _, err := tx.Database(name); err == nil {
		return nil
	}
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
	return sqlerr.New(sqlerr.ServerShutdown, "The database is closed").WithHint("Open opens it again; tables in memory are gone.")
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
	err := db.Store.Close()
	db.Files.clear()
	db.Arrow.clear()
	return errors.Join(err, db.Disk.Close())
}
