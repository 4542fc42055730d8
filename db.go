package gsql

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"gsql/exec"
	"gsql/gpu/operators"
	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/infoschema"
	"gsql/sql/sysvar"
	"gsql/sql/types"
	"gsql/storage"
)

// DB is an engine with its tables. It is safe for concurrent use.
type DB struct {
	cfg     Config
	store   *storage.Store
	mem     *mem.Account
	reg     *exec.Registry
	devices deviceProvider
	mu      sync.RWMutex
	arrow   map[string]catalog.Table // by lower-case name; see RegisterArrow
	arrowID uint64

	globals    atomic.Pointer[map[string]string] // what variables begin with, where not their defaults; never changed in place
	opened     time.Time
	sessions   atomic.Uint64 // made so far
	list       sessionList
	locks      namedLocks
	tableLocks namedLocks   // by database.table
	statements atomic.Int64 // run so far
	files      fileCache
	plans      plans
	few        bool // plans of few rows run with all workers too

	triggers map[string]string // lower-case "database.name" to "database.table"; guarded by mu
}

// Open makes an engine with an empty in-memory store. The error is 1231 for a setting
// that is wrong.
func Open(cfg Config) (*DB, error) {
	globals := map[string]string{}
	for name, value := range cfg.Variables {
		checked, err := sysvar.Check(name, value)
		if err != nil {
			return nil, err
		}
		globals[name] = checked
	}
	if cfg.Workers <= 0 {
		cfg.Workers = runtime.GOMAXPROCS(0)
	}
	if cfg.MemoryLimit <= 0 {
		cfg.MemoryLimit = machineMemory() / 10 * 8
	}
	if cfg.Database == "" {
		cfg.Database = DefaultDatabase
	}
	db := &DB{
		cfg:     cfg,
		store:   storage.NewStore(),
		mem:     mem.NewRoot("gsql", cfg.MemoryLimit),
		reg:     exec.DefaultRegistry(),
		devices: engines{},
		opened:  time.Now(),
		arrow:   map[string]catalog.Table{},

		triggers: map[string]string{},
	}
	db.globals.Store(&globals)
	operators.Register(db.reg, operators.Config{Cacheable: storage.IsVersion})
	if limit, ok := cfg.Variables["gsql_gpu_memory_limit"]; ok {
		if err := db.setDeviceLimit(context.Background(), limit); err != nil {
			return nil, err
		}
	}
	if cfg.Database != DefaultDatabase {
		if err := db.createDatabase(cfg.Database); err != nil {
			return nil, err
		}
	}
	return db, nil
}

// setDeviceLimit obeys gsql_gpu_memory_limit, for all sessions as devices are shared.
func (db *DB) setDeviceLimit(ctx context.Context, value string) error {
	bytes, err := mem.ParseSize(value)
	if err != nil {
		return dsnError("gsql_gpu_memory_limit", value)
	}
	return db.devices.SetLimit(ctx, bytes)
}

func (db *DB) createDatabase(name string) error {
	tx := db.store.Begin()
	defer tx.Rollback()
	if err := tx.CreateDatabase(name); err != nil {
		return err
	}
	return tx.Commit()
}

// machineMemory gives the bytes of memory this process may use: the machine's, or its
// control group's when that is less.
func machineMemory() int64 {
	total := int64(8) << 30
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		fields := strings.Fields(string(text))
		if len(fields) > 1 {
			if kb, err := mem.ParseSize(fields[1] + "kb"); err == nil {
				total = kb
			}
		}
	}
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if n, err := mem.ParseSize(strings.TrimSpace(string(text))); err == nil && n > 0 {
			total = min(total, n)
		}
	}
	return total
}

// Close ends the DB. Sessions must have ended. The tables are gone.
func (db *DB) Close() error { return nil }

// NewSession makes a connection. It is cheap.
func (db *DB) NewSession() *Session {
	s := &Session{
		db:       db,
		id:       db.sessions.Add(1),
		database: db.cfg.Database,
		vars:     maps.Clone(*db.globals.Load()),
		userVars: map[string]catalog.Datum{},
		prepared: map[string]prepared{},
		parsed:   &statements{},
	}
	s.activity.ended(s.database)
	db.list.add(s)
	return s
}

// RegisterArrow makes records readable as table name in every session, without
// copying them: they are retained until the name is registered again or dropped with
// a nil slice. All records need schema. The table cannot be written to. The error is
// 1235 for a column whose type gsql has no equal of.
func (db *DB) RegisterArrow(name string, schema *arrow.Schema, records []arrow.Record) error {
	key := strings.ToLower(name)
	db.mu.Lock()
	defer db.mu.Unlock()
	db.plans.expire(storage.Snapshot{})
	if records == nil {
		delete(db.arrow, key)
		return nil
	}
	db.arrowID++
	t, err := storage.FromRecords(name, db.arrowID, schema, records)
	if err != nil {
		return err
	}
	db.arrow[key] = t
	return nil
}

func (db *DB) arrowTable(name string) catalog.Table {
	db.mu.RLock()
	defer db.mu.RUnlock()
	return db.arrow[strings.ToLower(name)]
}

// path makes a file name of a statement absolute when Config.Dir is set.
func (db *DB) path(p string) string {
	if db.cfg.Dir == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(db.cfg.Dir, p)
}

// resolver finds tables for one statement: the transaction's, then registered Arrow
// tables, then files.
type resolver struct {
	s      *Session
	tx     *storage.Tx
	db     string        // of names without one
	source catalog.Table // what sourceName stands for, or nil
}

// resolver finds what statements of the session name; source is nil except in loads.
func (s *Session) resolver(tx *storage.Tx, source catalog.Table) resolver {
	return resolver{s, tx, s.database, source}
}

// Table implements catalog.Resolver.
func (r resolver) Table(ctx context.Context, db, name string) (catalog.Object, error) {
	if r.source != nil && (name == sourceName || name == infoschema.Source) {
		return catalog.Object{Table: r.source}, nil
	}
	if isFile(name) {
		t, err := r.s.openFile(ctx, name)
		return catalog.Object{Table: t}, err
	}
	if db == "" {
		if t := r.s.db.arrowTable(name); t != nil {
			return catalog.Object{Table: t}, nil
		}
		db = r.db
	}
	if infoschema.Is(db) {
		t, err := infoschema.Find(inventory{r.s, r.tx}, db, name)
		return catalog.Object{Table: t}, err
	}
	return r.tx.Table(ctx, db, name)
}

// isVirtual tells whether tables of db (of the current one when it is "") show the engine
// itself.
func (r resolver) isVirtual(db string) bool {
	if db == "" {
		db = r.db
	}
	return infoschema.Is(db)
}

// Collation implements catalog.Resolver.
func (r resolver) Collation(db string) types.Collation {
	if db == "" {
		db = r.db
	}
	return r.tx.Collation(db)
}

// In implements catalog.Resolver.
func (r resolver) In(db string) catalog.Resolver {
	r.db = db
	return r
}
