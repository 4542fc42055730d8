package gsql

import (
	"context"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"
	"weak"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/infoschema"
	"gsql/sql/sqlerr"
)

// sessionList holds a DB's sessions by their ids, without keeping those that nobody else
// does: sessions need not be closed.
type sessionList struct {
	mu   sync.Mutex
	byID map[uint64]weak.Pointer[Session]
}

func (l *sessionList) add(s *Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byID == nil {
		l.byID = map[uint64]weak.Pointer[Session]{}
	}
	l.byID[s.id] = weak.Make(s)
	runtime.AddCleanup(s, l.remove, s.id)
}

func (l *sessionList) remove(id uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.byID, id)
}

func (l *sessionList) find(id uint64) *Session {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byID[id].Value()
}

// all gives the sessions in the order in which they were made.
func (l *sessionList) all() []*Session {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []*Session
	for _, p := range l.byID {
		if s := p.Value(); s != nil {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b *Session) int { return int(int64(a.id) - int64(b.id)) })
	return out
}

// activity is what a session shows other sessions of itself.
type activity struct {
	mu       sync.Mutex
	text     string             // of the statement that runs
	cancel   context.CancelFunc // nil between statements
	since    time.Time
	database string
	killed   bool // by KILL: there will be no more statements
}

// began notes that a statement runs: error 3169 when the session may run none.
func (a *activity) began(text, database string, cancel context.CancelFunc) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.killed {
		return sqlerr.New(sqlerr.SessionWasKilled, "Session was killed")
	}
	a.text, a.cancel, a.database, a.since = text, cancel, database, time.Now()
	return nil
}

func (a *activity) ended(database string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.text, a.cancel, a.database, a.since = "", nil, database, time.Now()
}

// kill cancels the statement that runs, if any, and all to come when forever is set.
func (a *activity) kill(forever bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.killed = a.killed || forever
	if a.cancel != nil {
		a.cancel()
	}
}

func (a *activity) isKilled() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.killed
}

// process describes the session as PROCESSLIST does.
func (s *Session) process() infoschema.Process {
	a := &s.activity
	a.mu.Lock()
	defer a.mu.Unlock()
	p := infoschema.Process{
		ID: s.id, User: "gsql", Host: "localhost", DB: a.database, Command: "Sleep", Seconds: int64(time.Since(a.since).Seconds()), Info: a.text,
	}
	if a.cancel != nil {
		p.Command, p.State = "Query", "executing"
	}
	return p
}

// kill runs KILL [CONNECTION | QUERY] id. A killed session ends its statement with error
// 1317; with KILL CONNECTION all further ones are error 3169.
func (r *stmtRun) kill(n *ast.KillStmt) (*Rows, error) {
	if n.TiDBExtension || n.Expr != nil {
		return nil, sqlerr.Unsupported(0, "KILL with anything but the number of a session")
	}
	s := r.s.db.list.find(n.ConnectionID)
	if s == nil {
		return nil, sqlerr.New(sqlerr.NoSuchThread, "Unknown thread id: %d", n.ConnectionID)
	}
	s.activity.kill(!n.Query)
	if s == r.s {
		return nil, sqlerr.New(sqlerr.QueryInterrupted, "Query execution was interrupted")
	}
	return &Rows{}, nil
}

// Processes implements infoschema.Inventory.
func (v inventory) Processes() []infoschema.Process {
	var out []infoschema.Process
	for _, s := range v.s.db.list.all() {
		out = append(out, s.process())
	}
	return out
}

// Status implements infoschema.Inventory.
func (v inventory) Status() []infoschema.Setting {
	db := v.s.db
	connected, running := 0, 0
	for _, p := range v.Processes() {
		connected++
		if p.Command == "Query" {
			running++
		}
	}
	number := func(name string, n int64) infoschema.Setting {
		return infoschema.Setting{Name: name, Value: strconv.FormatInt(n, 10)}
	}
	up := int64(time.Since(db.opened).Seconds())
	return []infoschema.Setting{
		number("Connections", int64(db.sessions.Load())),
		number("Gsql_memory_peak", db.mem.Peak()),
		number("Gsql_memory_used", db.mem.Used()),
		number("Gsql_table_bytes", db.store.Bytes()),
		number("Queries", db.statements.Load()),
		number("Questions", db.statements.Load()),
		{Name: "Ssl_cipher"}, {Name: "Ssl_version"},
		number("Threads_connected", int64(connected)),
		number("Threads_running", int64(running)),
		number("Uptime", up),
		number("Uptime_since_flush_status", up),
	}
}
