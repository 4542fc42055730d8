package gsql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
	"sync"

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
	_ driver.QueryerContext                 = (*conn)(nil)
	_ driver.ExecerContext                  = (*conn)(nil)
	_ driver.ConnPrepareContext             = (*conn)(nil)
	_ driver.ConnBeginTx                    = (*conn)(nil)
	_ driver.Pinger                         = (*conn)(nil)
	_ driver.SessionResetter                = (*conn)(nil)
	_ driver.NamedValueChecker              = (*conn)(nil)
	_ driver.Validator                      = (*conn)(nil)
	_ driver.StmtQueryContext               = (*stmt)(nil)
	_ driver.StmtExecContext                = (*stmt)(nil)
	_ driver.RowsNextResultSet              = (*rows)(nil)
	_ driver.RowsColumnTypeDatabaseTypeName = (*rows)(nil)
	_ driver.RowsColumnTypeNullable         = (*rows)(nil)
	_ driver.RowsColumnTypeLength           = (*rows)(nil)
	_ driver.RowsColumnTypePrecisionScale   = (*rows)(nil)
	_ driver.RowsColumnTypeScanType         = (*rows)(nil)
)

// Open implements driver.Driver: a connection to a store of its own.
func (d Driver) Open(dsn string) (driver.Conn, error) {
	c, err := d.OpenConnector(dsn)
	if err != nil {
		return nil, err
	}
	return c.Connect(context.Background())
}

// OpenConnector implements driver.DriverContext.
func (Driver) OpenConnector(dsn string) (driver.Connector, error) {
	cfg, err := ParseDSN(dsn)
	if err != nil {
		return nil, err
	}
	return &Connector{cfg: cfg}, nil
}

// Connector opens connections that share one DB, made at the first of them. It is for
// sql.OpenDB.
type Connector struct {
	cfg  Config
	once sync.Once
	db   *DB
	err  error
}

// NewConnector makes a connector over a DB that the caller has opened and will close.
func NewConnector(db *DB) *Connector {
	c := &Connector{db: db}
	c.once.Do(func() {})
	return c
}

// Connect implements driver.Connector.
func (c *Connector) Connect(context.Context) (driver.Conn, error) {
	c.once.Do(func() { c.db, c.err = Open(c.cfg) })
	if c.err != nil {
		return nil, c.err
	}
	return &conn{c.db.NewSession()}, nil
}

// Driver implements driver.Connector.
func (c *Connector) Driver() driver.Driver { return Driver{} }

// Close ends the DB when sql.DB is closed.
func (c *Connector) Close() error {
	c.once.Do(func() {})
	if c.db == nil {
		return nil
	}
	return c.db.Close()
}

// conn is one connection. (*sql.Conn).Raw passes it as an interface with the method
// GsqlSession; use SessionOf.
type conn struct{ s *Session }

// SessionOf gives the session behind a driver connection, as (*sql.Conn).Raw passes
// it: conn.Raw(func(c any) error { s, err := gsql.SessionOf(c); ... }).
func SessionOf(driverConn any) (*Session, error) {
	if c, ok := driverConn.(*conn); ok {
		return c.s, nil
	}
	return nil, sqlerr.Internal("%T is not a gsql connection", driverConn)
}

func (c *conn) Close() error               { return c.s.Close() }
func (c *conn) Ping(context.Context) error { return nil }
func (c *conn) Prepare(q string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), q)
}
func (c *conn) Begin() (driver.Tx, error) { return c.BeginTx(context.Background(), driver.TxOptions{}) }

// IsValid keeps a connection that KILL has ended out of the pool.
func (c *conn) IsValid() bool { return !c.s.activity.isKilled() }

// ResetSession gives the next user of a pooled connection a fresh session.
func (c *conn) ResetSession(context.Context) error {
	db, parsed := c.s.db, c.s.parsed
	if err := c.s.Close(); err != nil {
		return err
	}
	c.s = db.NewSession()
	c.s.parsed = parsed
	return nil
}

// CheckNamedValue accepts what parameters may be, uint64 beyond 1<<63 included.
func (c *conn) CheckNamedValue(v *driver.NamedValue) error {
	if v.Name != "" {
		return sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to EXECUTE: named parameter %s", v.Name)
	}
	d, err := datum(v.Value)
	if err != nil {
		return err
	}
	v.Value = d
	return nil
}

func (c *conn) BeginTx(_ context.Context, opts driver.TxOptions) (driver.Tx, error) {
	switch sql.IsolationLevel(opts.Isolation) {
	case sql.LevelDefault, sql.LevelRepeatableRead, sql.LevelSnapshot:
	default:
		return nil, sqlerr.Unsupported(-1, "isolation level %s", sql.IsolationLevel(opts.Isolation)).
			WithHint("Transactions run on snapshots: use the default level.")
	}
	if err := c.s.begin(opts.ReadOnly); err != nil {
		return nil, err
	}
	return driverTx{c.s}, nil
}

func (c *conn) QueryContext(ctx context.Context, q string, args []driver.NamedValue) (driver.Rows, error) {
	return query(ctx, c.s, q, args)
}

func (c *conn) ExecContext(ctx context.Context, q string, args []driver.NamedValue) (driver.Result, error) {
	affected, id, err := c.s.Exec(ctx, q, values(args)...)
	return result{affected, id}, err
}

func (c *conn) PrepareContext(_ context.Context, q string) (driver.Stmt, error) {
	stmts, err := c.s.statements(q, c.s.SQLMode())
	if err != nil {
		return nil, err
	}
	params := -1
	if len(stmts) == 1 {
		params = stmts[0].Params
	}
	return &stmt{c, q, params}, nil
}

func values(args []driver.NamedValue) []any {
	out := make([]any, len(args))
	for i, a := range args {
		out[i] = a.Value
	}
	return out
}

// driverTx ends the session's transaction.
type driverTx struct{ s *Session }

func (t driverTx) Commit() error {
	_, _, err := t.s.Exec(context.Background(), "COMMIT")
	return err
}

func (t driverTx) Rollback() error {
	_, _, err := t.s.Exec(context.Background(), "ROLLBACK")
	return err
}

// result implements driver.Result.
type result struct{ affected, id int64 }

func (r result) LastInsertId() (int64, error) { return r.id, nil }
func (r result) RowsAffected() (int64, error) { return r.affected, nil }

// stmt is a prepared statement: its text, whose syntax tree the session remembers.
type stmt struct {
	c      *conn // its session changes when the pool resets it
	text   string
	params int // number of placeholders, -1 when unknown
}

func (st *stmt) Close() error  { return nil }
func (st *stmt) NumInput() int { return st.params }

func (st *stmt) Exec(args []driver.Value) (driver.Result, error) {
	return st.ExecContext(context.Background(), named(args))
}

func (st *stmt) Query(args []driver.Value) (driver.Rows, error) {
	return st.QueryContext(context.Background(), named(args))
}

func (st *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	affected, id, err := st.c.s.Exec(ctx, st.text, values(args)...)
	return result{affected, id}, err
}

func (st *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return query(ctx, st.c.s, st.text, args)
}

func named(args []driver.Value) []driver.NamedValue {
	out := make([]driver.NamedValue, len(args))
	for i, a := range args {
		out[i] = driver.NamedValue{Ordinal: i + 1, Value: a}
	}
	return out
}
