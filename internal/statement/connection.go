// Package statement runs SQL statements for a connection, with one file per family of statements.
//
// A Connection parses a text and runs its statements one after another. Each execution is a run:
// the statement, its parameters and its context. dispatch.go calls the function for the statement's
// kind with it. Statements that change rows go through change.go, the only place that handles
// transactions, conflicts, strict mode and safe updates. Queries are planned in plan.go, or reuse
// the plans that internal/plancache keeps.
package statement

import (
	"context"
	"sync/atomic"
	"time"

	"gsql/exec/op"
	"gsql/exec/progress"
	"gsql/internal/database"
	"gsql/internal/mem"
	"gsql/internal/plancache"
	"gsql/internal/session"
	"gsql/sql/catalog"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
	"gsql/storage"
)

// Connection runs the statements of one session, one at a time. It is not safe for
// concurrent use, except for Progress.
type Connection struct {
	s        *session.Session
	plans    *plancache.Plans
	texts    *plancache.Texts
	sent     plancache.TextKey            // the text of the last statements
	prepared map[string]plancache.TextKey // by lower-case name
	current  *Result                      // open, or nil
	rowsRead atomic.Int64
	writing  storage.Writing
	watched  atomic.Bool                   // plans count their rows
	running  atomic.Pointer[progress.Plan] // the last watched plan of the statement; nil before
	textHeld int64                         // bytes charged for the statements that run
	// plain and cancelPlain serve all statements whose caller's context cannot be cancelled.
	plain       context.Context
	cancelPlain context.CancelFunc
}

// Connect returns a connection with a new session of db. plans is shared by the connections of db.
// texts outlives the connection if a pool resets it.
func Connect(db *database.DB, plans *plancache.Plans, texts *plancache.Texts) *Connection {
	return &Connection{s: session.New(db), plans: plans, texts: texts, prepared: map[string]plancache.TextKey{}}
}

// Session returns the connection's session.
func (c *Connection) Session() *session.Session { return c.s }

// Texts returns the texts that the connection keeps, for a connection that replaces it.
func (c *Connection) Texts() *plancache.Texts { return c.texts }

// Progress is how far the running statement is.
type Progress struct {
	// RowsRead is the number of source rows read so far.
	RowsRead int64
	// Done is the estimated share of the query's work that has been done, at most 0.99. It is 0 if it is not known: before
	// a plan runs, and unless WatchProgress has been called.
	Done float64
	// Spilled is the number of bytes that the query has written to temporary files.
	Spilled int64
	// Written is the number of bytes that the commit of the statement has written to the database's folder, and ToWrite
	// the number that it has to. Both are 0 before.
	Written, ToWrite int64
}

// Progress returns how far the running statement is. Safe for concurrent use.
func (c *Connection) Progress() Progress {
	p := Progress{RowsRead: c.rowsRead.Load()}
	p.Written, p.ToWrite = c.writing.Bytes()
	if plan := c.running.Load(); plan != nil {
		p.Done, p.Spilled = plan.Done(), plan.Spilled()
	}
	return p
}

// WatchProgress makes the following statements estimate their progress, which costs a little time.
func (c *Connection) WatchProgress() { c.watched.Store(true) }

// Close ends the open result and the session. Later statements fail with error 1152.
// Closing again does nothing.
func (c *Connection) Close() error {
	if !c.s.Stop() {
		return nil
	}
	if c.current != nil {
		c.current.end(c.s.Process.Stopped())
	}
	return c.s.Release()
}

// Query runs the first statement of a text; Result.Next runs the following ones. args are the Go
// values of its ? placeholders (see Datum) and are only allowed with a single statement. Positions
// in errors count from the start of text.
func (c *Connection) Query(ctx context.Context, text string, args []any) (*Result, error) {
	stmts, params, err := c.read(text, args)
	if err != nil {
		return nil, c.Refuse(err)
	}
	return c.execute(ctx, stmts, params)
}

// Params returns the number of placeholders of a text with one statement, or else -1.
func (c *Connection) Params(text string) (int, error) {
	stmts, err := c.parse(plancache.TextKey{Text: text, Mode: c.s.Settings().Mode})
	switch {
	case err != nil:
		return -1, c.Refuse(err)
	case len(stmts) != 1:
		return -1, nil
	}
	return stmts[0].Params, nil
}

// parse returns the statements of a text, which the connection may have parsed before.
func (c *Connection) parse(key plancache.TextKey) ([]parse.Statement, error) {
	c.sent = key
	return c.texts.Parse(key)
}

// read parses a text and converts the arguments of its placeholders.
func (c *Connection) read(text string, args []any) ([]parse.Statement, []catalog.Datum, error) {
	c.s.Mode = c.s.Settings().Mode
	c.freeText() // of a result that was closed before its last statement
	if err := c.holdText(text); err != nil {
		return nil, nil, err
	}
	stmts, params, err := c.readHeld(text, args)
	if err != nil {
		c.freeText()
	}
	return stmts, params, err
}

// holdText charges the session for what a long text takes until its statements have run.
func (c *Connection) holdText(text string) error {
	cost := parse.Cost(text, c.s.Mode)
	if cost == 0 {
		return nil
	}
	err := c.s.Memory().Limit(c.s.Settings().MemoryLimit).ReserveFor("a statement of "+mem.Size(int64(len(text))), cost)
	if err == nil {
		c.textHeld += cost
	}
	return err
}

// freeText releases what holdText charged.
func (c *Connection) freeText() {
	if c.textHeld > 0 {
		c.s.Memory().Release(c.textHeld)
		c.textHeld = 0
	}
}

// readHeld is read without the charge.
func (c *Connection) readHeld(text string, args []any) ([]parse.Statement, []catalog.Datum, error) {
	var stmts []parse.Statement
	err := op.Guard(func() (err error) {
		stmts, err = c.parse(plancache.TextKey{Text: text, Mode: c.s.Mode})
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if len(stmts) == 0 {
		return nil, nil, sqlerr.New(sqlerr.EmptyQuery, "Query was empty")
	}
	params, err := datums(args)
	if err != nil {
		return nil, nil, err
	}
	if len(stmts) > 1 && len(params) > 0 {
		return nil, nil, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to EXECUTE: parameters need a single statement")
	}
	if len(stmts) == 1 && len(params) != stmts[0].Params {
		return nil, nil, wrongParams(len(params), stmts[0].Params)
	}
	return stmts, params, nil
}

// execute runs the first of stmts.
func (c *Connection) execute(ctx context.Context, stmts []parse.Statement, params []catalog.Datum) (*Result, error) {
	s := c.s
	started := time.Now()
	s.StartStatement(started)
	if stmts[0].Node == nil { // after a SET of sql_mode
		rest, err := c.parseRest(stmts[0])
		if err != nil {
			return nil, c.Refuse(err)
		}
		stmts = rest
	}
	c.rowsRead.Store(0)
	c.running.Store(nil)
	c.writing.Reset()
	r := &run{c: c, s: s, stmt: stmts[0], params: params}
	s.Warnings.Count()
	if !r.keepsWarnings() {
		s.Warnings.Clear()
	}
	ctx, cancel, done := c.cancellable(ctx)
	r.ctx = ctx
	s.SetRunning(ctx)
	if err := s.Process.Began(r.stmt.Text, s.Database, cancel); err != nil {
		s.SetRunning(context.Background())
		done()
		c.freeText()
		return nil, err
	}
	s.DB.Statements.Add(1)
	res, err := r.guarded()
	if err != nil {
		s.Ended()
		done()
		c.freeText()
		s.RowCount = -1
		return nil, s.Fail(shift(err, r.stmt.Offset))
	}
	res.c, res.offset, res.rest, res.started, res.done = c, r.stmt.Offset, stmts[1:], started, done
	c.current = res
	if res.src == nil {
		res.end(nil)
		if res.err != nil {
			return nil, res.err
		}
	}
	return res, nil
}

// parseRest parses the rest of a text after a statement that has set the sql_mode, which parsing
// depends on. Positions remain those of the whole text.
func (c *Connection) parseRest(rest parse.Statement) ([]parse.Statement, error) {
	stmts, err := parse.Parse(rest.Text, c.s.Mode)
	for i := range stmts {
		stmts[i].Offset += rest.Offset
	}
	if err != nil {
		return nil, shift(err, rest.Offset)
	}
	return stmts, nil
}

// shift converts an error's position within its statement to one within the whole text.
func shift(err error, by int) error {
	e := sqlerr.From(err)
	if by != 0 && e.Pos >= 0 {
		moved := *e
		moved.Pos = max(e.Pos+by, 0)
		return &moved
	}
	return e
}

// Refuse makes err, for which no statement has run, the only warning, and returns it.
func (c *Connection) Refuse(err error) error {
	c.s.Warnings.Clear()
	c.s.RowCount = -1
	return c.s.Fail(err)
}

// cancellable returns a statement's context, which also ends after max_execution_time, the function
// that ends the statement early, and the function to call after it.
func (c *Connection) cancellable(ctx context.Context) (running context.Context, cancel, done context.CancelFunc) {
	if ms := c.s.Settings().TimeLimit; ms > 0 {
		running, cancel = context.WithTimeout(ctx, time.Duration(ms)*time.Millisecond)
		return running, cancel, cancel
	}
	if ctx.Done() != nil {
		running, cancel = context.WithCancel(ctx)
		return running, cancel, cancel
	}
	if c.plain == nil || c.plain.Err() != nil {
		c.plain, c.cancelPlain = context.WithCancel(context.Background())
	}
	return c.plain, c.cancelPlain, func() {}
}

// EndTx ends the transaction that Session.Hold began. A rollback succeeds however the transaction
// ended; a commit fails if it was rolled back before, and rolls back if it fails, such as when ctx ends.
func (c *Connection) EndTx(ctx context.Context, commit bool) error {
	open, err := c.s.Unhold()
	text := "ROLLBACK"
	switch {
	case commit && open:
		text = "COMMIT"
	case commit:
		return err
	case !open:
		return nil
	}
	res, err := c.Query(ctx, text, nil)
	if err == nil {
		err = res.Close()
	}
	if err != nil {
		c.s.Rollback()
	}
	return err
}
