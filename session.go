package gsql

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gsql/exec/op"
	"gsql/sql/catalog"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
	"gsql/storage"
)

// statement is one parsed statement of a text.
type statement = parse.Statement

// Warning is an entry of SHOW WARNINGS.
type Warning struct {
	Level string // "Note", "Warning" or "Error"
	Code  uint16 // MySQL's number
	Msg   string
}

// maxWarnings bounds the list a statement leaves, as MySQL's max_error_count does.
const maxWarnings = 1024

// Session is one connection: variables, current database, transaction, prepared
// statements and warnings. It runs one statement at a time and is not safe for
// concurrent use; the rows of its last statement must be closed before the next.
type Session struct {
	db       *DB
	id       uint64 // of the connection, from 1
	database string
	vars     map[string]string // system variables set here, normalised
	known    *settings         // what vars say, or nil when it has to be read
	userVars map[string]catalog.Datum
	prepared map[string]prepared
	parsed   *statements  // met more than once; it outlives the session where the pool resets that
	sent     statementKey // the text of the last statements
	tx       *storage.Tx  // open explicit transaction, or nil
	readOnly bool         // of tx
	// nextReadOnly is what SET TRANSACTION said of the next transaction, or nil.
	nextReadOnly *bool
	savepoints   []savepoint // of tx, in order of time
	lastID       int64
	rowCount     int64
	foundRows    int64        // what FOUND_ROWS() tells
	givenID      atomic.Int64 // what the statement gave LAST_INSERT_ID(x), or 0

	activity activity        // what other sessions may know
	running  context.Context // of the statement, for functions
	// plain and cancelPlain serve all statements whose caller's context has no end.
	plain       context.Context
	cancelPlain context.CancelFunc

	warnMu   sync.Mutex
	warnings []Warning
	warned   int64 // all warnings of the statement, beyond maxWarnings too
	// counted and countedErrors are the numbers of warnings and errors of the statement
	// before the one that runs.
	counted, countedErrors int64
	// fallbacks are the statement's operators that ran on the CPU because their device
	// failed; guarded by warnMu.
	fallbacks []string
	mode      sqlmode.Mode // of the statement
	// refused is the statement's first warning that strict mode makes an error where rows
	// are changed.
	refused  atomic.Pointer[sqlerr.Error]
	rowsRead atomic.Int64
	now      int64 // the statement's time, microseconds since 1970-01-01 UTC
}

// Close rolls back an open transaction and drops the temporary tables.
func (s *Session) Close() error {
	if tx := s.end(); tx != nil {
		tx.Rollback()
	}
	s.ReleaseLocks()
	s.db.tableLocks.releaseAll(s.id)
	s.db.list.remove(s.id)
	defer s.db.store.Reclaim()
	return s.db.store.DropSession(s.id)
}

// DB gives the engine that the session belongs to.
func (s *Session) DB() *DB { return s.db }

// Database gives the current database.
func (s *Session) Database() string { return s.database }

// Query runs the statements of text up to the first one and gives its result; the
// following ones run with Rows.NextResult. args are the values of ? placeholders and
// allow one statement only. Errors are *sqlerr.Error; positions in them count from
// the start of text.
func (s *Session) Query(ctx context.Context, text string, args ...any) (*Rows, error) {
	s.mode = s.SQLMode()
	stmts, err := s.statements(text, s.mode)
	if err != nil {
		return nil, err
	}
	if len(stmts) == 0 {
		return nil, sqlerr.New(sqlerr.EmptyQuery, "Query was empty")
	}
	params, err := datums(args)
	if err != nil {
		return nil, err
	}
	if len(stmts) > 1 && len(params) > 0 {
		return nil, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to EXECUTE: parameters need a single statement")
	}
	return s.run(ctx, stmts, params)
}

// Exec runs all statements of text, reads their results to the end and gives the
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

// run executes the first of stmts.
func (s *Session) run(ctx context.Context, stmts []statement, params []catalog.Datum) (*Rows, error) {
	started := time.Now()
	s.now = started.UnixMicro()
	s.mode = s.SQLMode()
	if stmts[0].Node == nil { // behind a SET of sql_mode
		rest, err := s.parse(stmts[0].Text, stmts[0].Offset)
		if err != nil {
			return nil, err
		}
		stmts = rest
	}
	s.rowsRead.Store(0)
	s.givenID.Store(0)
	st := &stmtRun{s: s, stmt: stmts[0], params: params}
	s.countWarnings()
	if !st.keepsWarnings() {
		s.clearWarnings()
	}
	ctx, cancel, done := s.cancellable(ctx)
	st.ctx, s.running = ctx, ctx
	ended := done
	done = func() { s.running = nil; ended() }
	if err := s.activity.began(st.stmt.Text, s.database, cancel); err != nil {
		done()
		return nil, err
	}
	s.db.statements.Add(1)
	var rows *Rows
	err := op.Guard(func() (err error) { rows, err = st.execute(); return err })
	if err != nil {
		done()
		s.activity.ended(s.database)
		s.rowCount = -1
		err = s.note(shift(err, stmts[0].Offset))
		return nil, err
	}
	rows.s, rows.rest, rows.started = s, stmts[1:], started
	commit := rows.finish
	rows.finish = func(err error) error {
		defer done()
		defer func() { s.activity.ended(s.database) }()
		if commit != nil {
			err = commit(err)
		}
		if id := s.givenID.Load(); id != 0 && rows.LastInsertID == 0 {
			s.lastID, rows.LastInsertID = id, id
		}
		s.rowCount = rows.Affected // what ROW_COUNT() tells from here on
		if len(rows.Columns) > 0 {
			s.foundRows = rows.found()
		}
		if err != nil || len(rows.Columns) > 0 {
			s.rowCount = -1
		}
		if len(rows.Columns) == 0 {
			s.db.plans.expire(s.db.store.Snapshot())
			s.db.store.Reclaim()
		}
		if err != nil {
			return s.note(shift(err, stmts[0].Offset))
		}
		return nil
	}
	if rows.src == nil {
		rows.end(nil)
		if rows.err != nil {
			return nil, rows.err
		}
	}
	return rows, nil
}

// shift moves an error's position from its statement to the whole text.
func shift(err error, by int) error {
	e := sqlerr.From(err)
	if by != 0 && e.Pos >= 0 {
		moved := *e
		moved.Pos = max(e.Pos+by, 0)
		return &moved
	}
	return e
}

// note adds the error to the warnings, as MySQL does, and gives it back.
func (s *Session) note(err error) error {
	e := sqlerr.From(err)
	s.addWarning(Warning{"Error", uint16(e.Code), e.Msg})
	return err
}

// cancellable gives a statement's context, what ends the statement early and what must be
// called after it. max_execution_time ends it too.
func (s *Session) cancellable(ctx context.Context) (running context.Context, cancel, done context.CancelFunc) {
	if ms := s.settings().timeLimit; ms > 0 {
		running, cancel = context.WithTimeout(ctx, time.Duration(ms)*time.Millisecond)
		return running, cancel, cancel
	}
	if ctx.Done() != nil {
		running, cancel = context.WithCancel(ctx)
		return running, cancel, cancel
	}
	if s.plain == nil || s.plain.Err() != nil {
		s.plain, s.cancelPlain = context.WithCancel(context.Background())
	}
	return s.plain, s.cancelPlain, func() {}
}

func (s *Session) clearWarnings() {
	s.warnMu.Lock()
	defer s.warnMu.Unlock()
	s.warnings, s.warned, s.fallbacks = nil, 0, nil
}

func (s *Session) addWarning(w Warning) {
	s.warnMu.Lock()
	defer s.warnMu.Unlock()
	if w.Level == "Note" && s.intVar("sql_notes") == 0 {
		return
	}
	s.warned++
	if len(s.warnings) < maxWarnings {
		s.warnings = append(s.warnings, w)
	}
}

// Warnings gives the warnings and errors of the last statement, at most 1,024.
func (s *Session) Warnings() []Warning {
	s.warnMu.Lock()
	defer s.warnMu.Unlock()
	return append([]Warning(nil), s.warnings...)
}

// countWarnings keeps the counts of the statement before for @@warning_count and
// @@error_count.
func (s *Session) countWarnings() {
	s.warnMu.Lock()
	defer s.warnMu.Unlock()
	s.counted, s.countedErrors = s.warned, 0
	for _, w := range s.warnings {
		if w.Level == "Error" {
			s.countedErrors++
		}
	}
}

// RowsRead gives the number of source rows the running statement has read so far, for
// progress displays. Safe to call from another goroutine.
func (s *Session) RowsRead() int64 { return s.rowsRead.Load() }

// Now implements eval.Env.
func (s *Session) Now() int64 { return s.now }

// Running implements eval.Env.
func (s *Session) Running() context.Context {
	if s.running == nil {
		return context.Background() // an Appender at work
	}
	return s.running
}

// SetUserVar implements eval.Env.
func (s *Session) SetUserVar(name string, d catalog.Datum) { s.userVars[name] = d }

// SetLastInsertID implements eval.Env.
func (s *Session) SetLastInsertID(id int64) { s.givenID.Store(id) }

// Warn implements eval.Env. Divisions by zero are told only where sql_mode says so.
func (s *Session) Warn(code uint16, msg string) {
	if code == uint16(sqlerr.DivisionByZero) && !s.mode.Has(sqlmode.ErrorForDivisionByZero) {
		return
	}
	if strictCodes[sqlerr.Code(code)] && s.refused.Load() == nil {
		s.refused.CompareAndSwap(nil, sqlerr.New(sqlerr.Code(code), "%s", msg))
	}
	s.addWarning(Warning{"Warning", code, msg})
}

// CurrentDB implements binder.Session.
func (s *Session) CurrentDB() string { return s.database }

// UserVar gives the value of a user variable (without the @); an unset one is NULL.
func (s *Session) UserVar(name string) (catalog.Datum, bool) {
	d, ok := s.userVars[strings.ToLower(name)]
	return d, ok
}
