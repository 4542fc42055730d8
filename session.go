package gsql

import (
	"context"

	"gsql/internal/plancache"
	"gsql/internal/session"
	"gsql/internal/statement"
	"gsql/sql/sqlmode"
)

// Warning is an entry of SHOW WARNINGS: its Level ("Note", "Warning" or "Error"), MySQL's
// number Code and the text Msg.
type Warning = session.Warning

// Session is one connection: variables, current database, transaction, prepared statements and
// warnings. It runs one statement at a time and is not safe for concurrent use. The rows of a
// statement must be closed before the next one starts. Sessions come from DB.NewSession: methods of
// a nil or zero Session fail with error 1210, or do nothing and return zero values if they return
// no error.
type Session struct {
	db   *DB
	conn *statement.Connection
}

// NewSession makes a connection. It is cheap. Statements of a session of a DB that is closed,
// or was not made by Open, fail.
func (db *DB) NewSession() *Session { return db.newSession(&plancache.Texts{}) }

// newSession makes a connection that keeps the syntax trees of texts in texts.
func (db *DB) newSession(texts *plancache.Texts) *Session {
	if !db.made() {
		return &Session{}
	}
	return &Session{db, statement.Connect(db.shared, &db.plans, texts)}
}

// made reports whether DB.NewSession made s; it is false for a nil session.
func (s *Session) made() bool { return s != nil && s.conn != nil }

// usable returns why the session cannot be used, or nil.
func (s *Session) usable(what string) error {
	if !s.made() {
		return misuse(what, "the Session was not made by DB.NewSession")
	}
	return s.state().Process.Stopped()
}

func (s *Session) state() *session.Session { return s.conn.Session() }

// DB returns the engine that the session belongs to.
func (s *Session) DB() *DB {
	if s == nil {
		return nil
	}
	return s.db
}

// Database returns the current database, "" for none.
func (s *Session) Database() string {
	if !s.made() {
		return ""
	}
	return s.state().Database
}

// Query runs the first statement of text and returns its result; Rows.NextResult runs the following
// ones. args are the values of ? placeholders and are only allowed with a single statement. Errors
// are of type *Error; their positions count from the start of text. A nil context, and more or
// fewer args than placeholders, are error 1210.
func (s *Session) Query(ctx context.Context, text string, args ...any) (*Rows, error) {
	if err := s.usable("Query"); err != nil {
		return nil, err
	}
	if err := checkContext(ctx, "Query"); err != nil {
		return nil, err
	}
	res, err := s.conn.Query(ctx, text, args)
	return newRows(res, err)
}

// Exec runs all statements of text, reads their results to the end and returns the
// affected rows of the last one.
func (s *Session) Exec(ctx context.Context, text string, args ...any) (affected, lastInsertID int64, err error) {
	rows, err := s.Query(ctx, text, args...)
	for err == nil && rows != nil {
		for {
			b, nerr := rows.NextBatch()
			if nerr != nil {
				return 0, 0, nerr
			}
			if b == nil {
				break
			}
		}
		affected, lastInsertID = rows.Affected, rows.LastInsertID
		rows, err = rows.NextResult(ctx)
	}
	return affected, lastInsertID, err
}

// Warnings returns the warnings and errors of the last statement, at most 1,024 of them.
func (s *Session) Warnings() []Warning {
	if !s.made() {
		return nil
	}
	return s.state().Warnings.List()
}

// Fallbacks returns the operators of the last statement that ran on the CPU because their
// device failed, such as "HashJoin on cuda:0". The reasons are among the Warnings.
func (s *Session) Fallbacks() []string {
	if !s.made() {
		return nil
	}
	return s.state().Warnings.Fallbacks()
}

// Progress is how far a statement is.
type Progress = statement.Progress

// WatchProgress makes the statements that follow estimate their progress, which costs a little time.
func (s *Session) WatchProgress() {
	if s.made() {
		s.conn.WatchProgress()
	}
}

// Progress returns how far the running statement is, for progress displays. Safe to call from another goroutine.
func (s *Session) Progress() Progress {
	if !s.made() {
		return Progress{}
	}
	return s.conn.Progress()
}

// InTransaction reports whether a transaction is open: one that BEGIN started or, with autocommit
// off, the first statement that read or wrote tables.
func (s *Session) InTransaction() bool { return s.made() && s.state().Tx != nil }

// SQLMode returns the session's sql_mode, which determines how texts are split into statements.
func (s *Session) SQLMode() sqlmode.Mode {
	if !s.made() {
		return 0
	}
	return s.state().Settings().Mode
}

// MemoryLimit returns the bytes that a query of the session may hold, or 0 if only the engine's
// limit applies.
func (s *Session) MemoryLimit() int64 {
	if !s.made() {
		return 0
	}
	return s.state().Settings().MemoryLimit
}

// Close rolls back an open transaction, drops the temporary tables and closes the open result. All
// later statements fail with error 1152. Closing again does nothing.
func (s *Session) Close() error {
	if !s.made() {
		return misuse("Close", "the Session was not made by DB.NewSession")
	}
	return s.conn.Close()
}
