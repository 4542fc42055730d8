// Package session holds the state of one connection: its variables and settings, its
// transaction with savepoints, its warnings, and the tables that its statements find.
//
// A Session presents itself to expressions (catalog.Env, eval.Locks) and to the binder
// (binder.Session, except for parameters). It runs no statements; internal/statement does.
package session

import (
	"context"
	"sync/atomic"
	"time"

	"gsql/internal/database"
	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/function/misc"
	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
	"gsql/storage"
)

var (
	_ catalog.Env = (*Session)(nil)
	_ misc.Locks  = (*Session)(nil)
)

// Session is the state of one connection. It is not safe for concurrent use, except for
// Process and for the methods that say so.
type Session struct {
	locks    // of GET_LOCK
	outside  // see Memory
	DB       *database.DB
	Process  *database.Process // what other sessions see
	Database string            // current database, "" for none
	Warnings Warnings
	Mode     sqlmode.Mode // of the statement that runs

	Tx         *storage.Tx // open transaction, or nil; Start and End change it
	Access     Access      // of Tx
	Savepoints Savepoints  // of Tx
	Next       NextAccess  // what SET TRANSACTION said of the next transaction
	held       held        // while database/sql has a transaction

	LastID    int64 // LAST_INSERT_ID()
	RowCount  int64 // ROW_COUNT()
	FoundRows int64 // FOUND_ROWS()

	vars     map[string]string // system variables set here, checked
	settings *Settings         // parsed vars, or nil if they must be parsed again
	userVars map[string]catalog.Datum
	userMem  *mem.Account // charged for texts in userVars; nil before the first one

	now     int64           // the statement's time, microseconds since 1970-01-01 UTC
	running context.Context // of the statement, or nil
	givenID atomic.Int64    // the argument of LAST_INSERT_ID(x) in the statement, or 0
	closed  bool
}

// New returns a session of db. Statements of a closed DB fail with error 1053.
func New(db *database.DB) *Session {
	p := db.Processes.Start(db.Database)
	s := &Session{
		locks:    locks{&db.Locks, p.ID},
		outside:  outside{db.Mem.Child("expressions")},
		DB:       db,
		Process:  p,
		Database: db.Database,
		vars:     db.Globals(),
		userVars: map[string]catalog.Datum{},
	}
	if s.vars == nil {
		s.vars = map[string]string{}
	}
	if db.Closed() {
		s.Process.Stop(database.ErrClosed())
	}
	return s
}

// ID returns the number of the connection, from 1.
func (s *Session) ID() uint64 { return s.Process.ID }

// errClosed is the error of statements of a closed session: 1152.
func errClosed() error {
	return sqlerr.New(sqlerr.AbortingConnection, "The session is closed").WithHint("DB.NewSession returns a new one.")
}

// Stop makes all later statements fail with error 1152. It reports whether the session was running
// until now.
func (s *Session) Stop() bool {
	if s.closed {
		return false
	}
	s.closed = true
	s.Process.Stop(errClosed())
	return true
}

// Release rolls back an open transaction, drops the temporary tables and releases locks and memory.
// It is called after Stop.
func (s *Session) Release() error {
	if tx := s.End(); tx != nil {
		tx.Rollback()
	}
	s.DB.ReleaseLocks(s.ID())
	s.DB.Processes.Remove(s.ID())
	if s.userMem != nil {
		s.userMem.ReleaseAll()
		s.userVars, s.userMem = map[string]catalog.Datum{}, nil
	}
	s.Memory().End()
	defer s.DB.Store.Reclaim()
	return s.DB.Store.DropSession(s.ID())
}

// StartStatement sets the time and the sql_mode of a statement and resets the state that its
// expressions may leave.
func (s *Session) StartStatement(at time.Time) {
	s.now, s.Mode = at.UnixMicro(), s.Settings().Mode
	s.givenID.Store(0)
	s.Memory().Limit(s.Settings().MemoryLimit)
}

// Ended records that the running statement has ended. If no more can follow, as after KILL, the
// session's locks are released.
func (s *Session) Ended() {
	s.SetRunning(context.Background())
	s.Process.Ended(s.Database)
	if s.Process.Stopped() != nil {
		s.DB.ReleaseLocks(s.ID())
	}
}

// SetRunning sets the context of the running statement; between statements it is one that never
// ends.
func (s *Session) SetRunning(ctx context.Context) { s.running = ctx }

// GivenID returns the argument of LAST_INSERT_ID(x) in the statement, or 0.
func (s *Session) GivenID() int64 { return s.givenID.Load() }
