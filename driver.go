package gsql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io"
	"sync"

	"gsql/internal/database"
	"gsql/internal/statement"
	"gsql/sql/sqlerr"
)

func init() { sql.Register("gsql", Driver{}) }

// Driver is the database/sql driver, registered as "gsql".
type Driver struct{}

// Ensure these interfaces are implemented.
var (
	_ driver.DriverContext                  = Driver{}
	_ driver.Connector                      = (*Connector)(nil)
	_ io.Closer                             = (*Connector)(nil)
	_ driver.QueryerContext                 = (*driverConn)(nil)
	_ driver.ExecerContext                  = (*driverConn)(nil)
	_ driver.ConnPrepareContext             = (*driverConn)(nil)
	_ driver.ConnBeginTx                    = (*driverConn)(nil)
	_ driver.Pinger                         = (*driverConn)(nil)
	_ driver.SessionResetter                = (*driverConn)(nil)
	_ driver.NamedValueChecker              = (*driverConn)(nil)
	_ driver.Validator                      = (*driverConn)(nil)
	_ driver.StmtQueryContext               = (*driverStmt)(nil)
	_ driver.StmtExecContext                = (*driverStmt)(nil)
	_ driver.RowsNextResultSet              = (*driverRows)(nil)
	_ driver.RowsColumnTypeDatabaseTypeName = (*driverRows)(nil)
	_ driver.RowsColumnTypeNullable         = (*driverRows)(nil)
	_ driver.RowsColumnTypeLength           = (*driverRows)(nil)
	_ driver.RowsColumnTypePrecisionScale   = (*driverRows)(nil)
	_ driver.RowsColumnTypeScanType         = (*driverRows)(nil)
)

// Open implements driver.Driver: a connection to a store of its own.
func (d Driver) Open(dsn string) (driver.Conn, error) {
	c, err := d.OpenConnector(dsn)
	if err != nil {
		return nil, err
	}
	return c.Connect(context.Background())
}

// OpenConnector implements driver.DriverContext. The connector's connections share one store.
func (Driver) OpenConnector(dsn string) (driver.Connector, error) {
	cfg, err := ParseDSN(dsn)
	if err != nil {
		return nil, err
	}
	return &Connector{cfg: cfg}, nil
}

// Connector opens connections that share one DB, which the first of them opens. It is for
// sql.OpenDB.
type Connector struct {
	cfg    Config
	mu     sync.Mutex
	db     *DB
	err    error
	shared bool // the caller owns the DB
	closed bool
}

// NewConnector returns a connector over a DB that the caller has opened and will close. Closing the
// sql.DB leaves the DB open.
func NewConnector(db *DB) *Connector { return &Connector{db: db, shared: true} }

// Connect implements driver.Connector. The error is 1053 once the DB or the connector is closed.
func (c *Connector) Connect(ctx context.Context) (driver.Conn, error) {
	if c == nil {
		return nil, misuse("Connect", "the Connector is nil")
	}
	if err := checkContext(ctx, "Connect"); err != nil {
		return nil, err
	}
	db, err := c.open()
	if err != nil {
		return nil, err
	}
	return &driverConn{db.NewSession()}, nil
}

// open returns the connector's DB, opening it on the first call.
func (c *Connector) open() (*DB, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return nil, database.ErrClosed()
	case c.db == nil && !c.shared && c.err == nil:
		c.db, c.err = Open(c.cfg)
	}
	if c.err != nil {
		return nil, c.err
	}
	return c.db, c.db.usable("Connect")
}

// Driver implements driver.Connector.
func (c *Connector) Driver() driver.Driver { return Driver{} }

// Close ends the DB when sql.DB is closed, unless the caller owns it. Closing again does nothing.
func (c *Connector) Close() error {
	if c == nil {
		return misuse("Close", "the Connector is nil")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.db == nil || c.shared {
		return nil
	}
	return c.db.Close()
}

// driverConn is one connection, passed to SessionOf by (*sql.Conn).Raw.
type driverConn struct{ s *Session }

// SessionOf returns the session behind a driver connection, as (*sql.Conn).Raw passes
// it: conn.Raw(func(c any) error { s, err := gsql.SessionOf(c); ... }). The error is 1210
// for anything else.
func SessionOf(conn any) (*Session, error) {
	if c, ok := conn.(*driverConn); ok && c != nil {
		return c.s, nil
	}
	return nil, misuse("SessionOf", fmt.Sprintf("%T is not a gsql connection", conn))
}

func (c *driverConn) Close() error { return c.s.Close() }
func (c *driverConn) Prepare(q string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), q)
}
func (c *driverConn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// Ping implements driver.Pinger: error 1053 once the DB is closed.
func (c *driverConn) Ping(context.Context) error { return c.s.usable("Ping") }

// IsValid keeps a connection that KILL has ended out of the pool.
func (c *driverConn) IsValid() bool { return c.s.state().Process.Stopped() == nil }

// ResetSession starts a new session for the next user of a pooled connection. The syntax trees of
// statements are kept.
func (c *driverConn) ResetSession(context.Context) error {
	if c.s.state().Process.Stopped() != nil {
		return driver.ErrBadConn
	}
	if err := c.s.Close(); err != nil {
		return err
	}
	c.s = c.s.db.newSession(c.s.conn.Texts())
	return nil
}

// CheckNamedValue accepts everything that parameters may be, including uint64 values of 1<<63 and
// more.
func (c *driverConn) CheckNamedValue(v *driver.NamedValue) error {
	if v.Name != "" {
		return sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to EXECUTE: named parameter %s", v.Name)
	}
	d, err := statement.Datum(v.Value)
	if err != nil {
		return err
	}
	v.Value = d
	return nil
}

// BeginTx implements driver.ConnBeginTx. Transactions are snapshots, which satisfy RepeatableRead
// and all weaker levels, or Serializable. The error is 1235 for other levels.
func (c *driverConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	if err := c.s.usable("BeginTx"); err != nil {
		return nil, err
	}
	if err := checkContext(ctx, "BeginTx"); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := c.s.state().Hold(ctx, sql.IsolationLevel(opts.Isolation), opts.ReadOnly); err != nil {
		return nil, err
	}
	return driverTx{c.s, ctx}, nil
}

func (c *driverConn) QueryContext(ctx context.Context, q string, args []driver.NamedValue) (driver.Rows, error) {
	return queryRows(ctx, c.s, q, args)
}

func (c *driverConn) ExecContext(ctx context.Context, q string, args []driver.NamedValue) (driver.Result, error) {
	affected, id, err := c.s.Exec(ctx, q, parameters(args)...)
	return execResult{affected, id}, err
}

func (c *driverConn) PrepareContext(_ context.Context, q string) (driver.Stmt, error) {
	if err := c.s.usable("Prepare"); err != nil {
		return nil, err
	}
	params, err := c.s.conn.Params(q)
	if err != nil {
		return nil, err
	}
	return &driverStmt{c: c, text: q, params: params}, nil
}

// driverTx ends the session's transaction.
type driverTx struct {
	s   *Session
	ctx context.Context // of BeginTx, which database/sql uses until the transaction ends
}

// Commit implements driver.Tx. It fails if the transaction was rolled back before, and rolls it back if the context of
// BeginTx ends while segments are written to files.
func (t driverTx) Commit() error { return t.s.conn.EndTx(t.ctx, true) }

// Rollback implements driver.Tx.
func (t driverTx) Rollback() error { return t.s.conn.EndTx(context.Background(), false) }

// execResult implements driver.Result.
type execResult struct{ affected, id int64 }

func (r execResult) LastInsertId() (int64, error) { return r.id, nil }
func (r execResult) RowsAffected() (int64, error) { return r.affected, nil }

// driverStmt is a prepared statement: its text, whose syntax tree the session caches.
type driverStmt struct {
	c      *driverConn // its session changes when the pool resets it
	text   string
	params int // number of placeholders, -1 when unknown
	closed bool
}

func (st *driverStmt) Close() error {
	st.closed = true
	return nil
}

// usable returns error 1243 for a closed statement.
func (st *driverStmt) usable() error {
	if st.closed {
		return sqlerr.New(sqlerr.UnknownStmtHandler, "Unknown prepared statement handler: the statement is closed")
	}
	return nil
}

func (st *driverStmt) NumInput() int { return st.params }

func (st *driverStmt) Exec(args []driver.Value) (driver.Result, error) {
	return st.ExecContext(context.Background(), named(args))
}

func (st *driverStmt) Query(args []driver.Value) (driver.Rows, error) {
	return st.QueryContext(context.Background(), named(args))
}

func (st *driverStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	if err := st.usable(); err != nil {
		return nil, err
	}
	affected, id, err := st.c.s.Exec(ctx, st.text, parameters(args)...)
	return execResult{affected, id}, err
}

func (st *driverStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	if err := st.usable(); err != nil {
		return nil, err
	}
	return queryRows(ctx, st.c.s, st.text, args)
}

func named(args []driver.Value) []driver.NamedValue {
	out := make([]driver.NamedValue, len(args))
	for i, a := range args {
		out[i] = driver.NamedValue{Ordinal: i + 1, Value: a}
	}
	return out
}
