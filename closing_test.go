package gsql_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

func TestClosedDB(t *testing.T) {
	ctx := context.Background()
	db, err := gsql.Open(gsql.Config{})
	if err != nil {
		t.Fatal(err)
	}
	s, reading := db.NewSession(), db.NewSession()
	sqltest.Run(t, s, sqltest.Wide)
	sqltest.Run(t, s, "BEGIN")
	sqltest.Run(t, s, "DELETE FROM wide WHERE a < 2000")
	a, err := reading.NewAppender(ctx, "wide")
	if err != nil {
		t.Fatal(err)
	}
	if err := a.AppendRow(1, "x"); err != nil {
		t.Fatal(err)
	}
	rows, err := reading.Query(ctx, "SELECT * FROM wide")
	if err != nil {
		t.Fatal(err)
	}
	if b, err := rows.NextBatch(); err != nil || b == nil {
		t.Fatal(err)
	}
	sleeping := make(chan error)
	sleeper := db.NewSession()
	go func() {
		_, _, err := sleeper.Exec(ctx, "DO SLEEP(600)")
		sleeping <- err
	}()
	waitFor(t, func() bool {
		return sqltest.Lines(sqltest.Rows(t, s, "SELECT COUNT(*) FROM information_schema.processlist WHERE info = 'DO SLEEP(600)'")) == "1\n"
	})
	start := time.Now()
	for range 2 {
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-sleeping; err == nil || time.Since(start) > time.Minute {
		t.Errorf("a running statement ended with %v after %s", err, time.Since(start))
	}
	if b, err := rows.NextBatch(); sqltest.Code(err) != sqlerr.ServerShutdown || b != nil {
		t.Errorf("open rows go on: %v", err)
	}
	if err := rows.Close(); sqltest.Code(err) != sqlerr.ServerShutdown {
		t.Errorf("open rows close with %v", err)
	}
	for what, err := range map[string]error{
		"AppendRow":             a.AppendRow(1, "x"),
		"Appender.Close":        first(a.Close(ctx)),
		"Query":                 first(s.Query(ctx, "SELECT 1")),
		"Query in a new one":    first(db.NewSession().Query(ctx, "SELECT 1")),
		"QueryArrow":            first(s.QueryArrow(ctx, "SELECT 1")),
		"NewAppender":           first(s.NewAppender(ctx, "wide")),
		"RegisterArrow":         db.RegisterArrow("r", arrow.NewSchema(nil, nil), nil),
		"Connect":               first(gsql.NewConnector(db).Connect(ctx)),
		"Ping":                  sql.OpenDB(gsql.NewConnector(db)).Ping(),
		"COMMIT of an open one": first(s.Query(ctx, "COMMIT")),
	} {
		if sqltest.Code(err) != sqlerr.ServerShutdown {
			t.Errorf("%s after Close: %v", what, err)
		}
	}
	a.Abort()
	for _, s := range []*gsql.Session{s, reading, sleeper} {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestClosedDBFreesItsTables checks that the memory of tables and registered records goes
// with the DB, though sessions of it are still at hand, and that no goroutine stays.
func TestClosedDBFreesItsTables(t *testing.T) {
	heap := func() int64 {
		runtime.GC()
		runtime.GC() // cleanups of the first
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	goroutines := runtime.NumGoroutine()
	db, err := gsql.Open(gsql.Config{})
	if err != nil {
		t.Fatal(err)
	}
	s := db.NewSession()
	before := heap()
	sqltest.Run(t, s, sqltest.Wide)
	sqltest.Run(t, s, "INSERT INTO wide SELECT a + 10000000, CONCAT(s, ' and more text') FROM wide")
	for range 3 { // whose plans are kept
		sqltest.Rows(t, s, "SELECT COUNT(*), MAX(s) FROM wide WHERE a > 5")
	}
	rows, err := s.Query(context.Background(), "SELECT * FROM wide WHERE a % 2 = 0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rows.NextBatch(); err != nil {
		t.Fatal(err)
	}
	took := heap() - before
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	rows.Close() // which fails: see TestClosedDB
	rows = nil
	waitFor(t, func() bool { return heap()-before < took/4 })
	waitFor(t, func() bool { return runtime.NumGoroutine() <= goroutines })
	runtime.KeepAlive(s)
	runtime.KeepAlive(db)
}

func TestClosedSession(t *testing.T) {
	ctx := context.Background()
	keeper := sqltest.Open(t, gsql.Config{})
	db := keeper.DB()
	sqltest.Run(t, keeper, sqltest.Wide)
	s := db.NewSession()
	sqltest.Run(t, s, "BEGIN")
	sqltest.Run(t, s, "DELETE FROM wide")
	a, err := s.NewAppender(ctx, "wide")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := s.Query(ctx, "SELECT 1 UNION ALL SELECT 2")
	if err != nil {
		t.Fatal(err)
	}
	reader, err := s.QueryArrow(ctx, "SELECT 1 FROM information_schema.tables")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if b, err := rows.NextBatch(); sqltest.Code(err) != sqlerr.AbortingConnection || b != nil {
		t.Errorf("open rows go on: %v", err)
	}
	if reader.Next() || sqltest.Code(reader.Err()) != sqlerr.AbortingConnection {
		t.Errorf("an open reader goes on: %v", reader.Err())
	}
	reader.Release()
	for what, err := range map[string]error{
		"Query":          first(s.Query(ctx, "SELECT 1")),
		"QueryArrow":     first(s.QueryArrow(ctx, "SELECT 1")),
		"COMMIT":         first(s.Query(ctx, "COMMIT")),
		"NewAppender":    first(s.NewAppender(ctx, "wide")),
		"AppendRow":      a.AppendRow(1, "x"),
		"Appender.Close": first(a.Close(ctx)),
	} {
		if sqltest.Code(err) != sqlerr.AbortingConnection && !(what == "AppendRow" || what == "Appender.Close") || err == nil {
			t.Errorf("%s after Close: %v", what, err)
		}
	}
	if got := sqltest.Lines(sqltest.Rows(t, keeper, "SELECT COUNT(*) FROM wide")); got != "400000\n" {
		t.Errorf("the transaction was committed: %s rows", got)
	}
}

// TestClosedSQLDB checks the pool of database/sql over a DB of its own and over the caller's.
func TestClosedSQLDB(t *testing.T) {
	ctx := context.Background()
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE t (a INT)")
	shared := gsql.NewConnector(s.DB())
	pool := sql.OpenDB(shared)
	mustExec(t, pool, "INSERT INTO t VALUES (1)")
	if err := pool.Close(); err != nil {
		t.Fatal(err)
	}
	if got := sqltest.Lines(sqltest.Rows(t, s, "SELECT COUNT(*) FROM t")); got != "1\n" {
		t.Errorf("closing the pool closed the caller's DB: %s", got)
	}
	own, err := gsql.Driver{}.OpenConnector("")
	if err != nil {
		t.Fatal(err)
	}
	pool = sql.OpenDB(own)
	c, err := pool.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := pool.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.ExecContext(ctx, "SELECT 1"); err == nil {
		t.Error("a connection outlives its pool")
	}
	if _, err := own.Connect(ctx); sqltest.Code(err) != sqlerr.ServerShutdown {
		t.Errorf("Connect after Close: %v", err)
	}
	unused, err := gsql.Driver{}.OpenConnector("")
	if err != nil {
		t.Fatal(err)
	}
	if err := unused.(*gsql.Connector).Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := unused.Connect(ctx); sqltest.Code(err) != sqlerr.ServerShutdown {
		t.Errorf("Connect after Close of a connector never used: %v", err)
	}
}

// TestClosedDriverParts checks connections and statements without the pool's own care.
func TestClosedDriverParts(t *testing.T) {
	ctx := context.Background()
	c, err := gsql.Driver{}.Open("")
	if err != nil {
		t.Fatal(err)
	}
	st, err := c.Prepare("SELECT 1")
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := st.(driver.StmtQueryContext).QueryContext(ctx, nil); sqltest.Code(err) != sqlerr.UnknownStmtHandler {
		t.Errorf("a closed statement's query: %v", err)
	}
	if _, err := st.(driver.StmtExecContext).ExecContext(ctx, nil); sqltest.Code(err) != sqlerr.UnknownStmtHandler {
		t.Errorf("a closed statement: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"Prepare": first(c.Prepare("SELECT 1")),
		"BeginTx": first(c.(driver.ConnBeginTx).BeginTx(ctx, driver.TxOptions{})),
		"Query":   first(c.(driver.QueryerContext).QueryContext(ctx, "SELECT 1", nil)),
		"Exec":    first(c.(driver.ExecerContext).ExecContext(ctx, "SELECT 1", nil)),
		"Ping":    c.(driver.Pinger).Ping(ctx),
	} {
		if sqltest.Code(err) != sqlerr.AbortingConnection {
			t.Errorf("%s after Close: %v", what, err)
		}
	}
	if err := c.(driver.SessionResetter).ResetSession(ctx); !errors.Is(err, driver.ErrBadConn) || c.(driver.Validator).IsValid() {
		t.Errorf("the pool would use a closed connection: %v", err)
	}
}

func TestClosedAppender(t *testing.T) {
	ctx := context.Background()
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE t (a BIGINT)")
	_, recs := sqltest.Records(t, s, "SELECT 7 AS a")
	for what, end := range map[string]func(*gsql.Appender) error{
		"Close": func(a *gsql.Appender) error { return first(a.Close(ctx)) },
		"Abort": func(a *gsql.Appender) error { a.Abort(); return nil },
	} {
		a, err := s.NewAppender(ctx, "t")
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(a.AppendRow(1), end(a)); err != nil {
			t.Fatal(err)
		}
		for method, err := range map[string]error{"AppendRow": a.AppendRow(2), "AppendRecord": a.AppendRecord(recs[0]), "Close": first(a.Close(ctx))} {
			if sqltest.Code(err) != sqlerr.WrongUsage {
				t.Errorf("%s after %s: %v", method, what, err)
			}
		}
		a.Abort()
	}
	sqltest.Run(t, s, "BEGIN")
	a, err := s.NewAppender(ctx, "t")
	if err != nil {
		t.Fatal(err)
	}
	sqltest.Run(t, s, "ROLLBACK")
	if err := a.AppendRow(3); sqltest.Code(err) != sqlerr.WrongUsage {
		t.Errorf("AppendRow after the transaction: %v", err)
	}
	if _, err := a.Close(ctx); sqltest.Code(err) != sqlerr.WrongUsage {
		t.Errorf("Close after the transaction: %v", err)
	}
	if got := sqltest.Lines(sqltest.Rows(t, s, "SELECT SUM(a) FROM t")); got != "1\n" {
		t.Errorf("the rows sum up to %s", got)
	}
}

func TestReleasedReader(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	reader, err := s.QueryArrow(context.Background(), "SELECT 1 AS a")
	if err != nil {
		t.Fatal(err)
	}
	reader.Retain()
	reader.Release()
	if !reader.Next() || reader.Record().NumRows() != 1 {
		t.Fatalf("no record: %v", reader.Err())
	}
	for range 3 {
		reader.Release()
	}
	reader.Retain()
	if reader.Next() || sqltest.Code(reader.Err()) != sqlerr.WrongUsage || reader.Record() != nil {
		t.Errorf("a released reader goes on: %v", reader.Err())
	}
	sqltest.Run(t, s, "SET @a = 1")
}
