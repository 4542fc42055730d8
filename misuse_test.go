package gsql_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// first returns the error of a call that also returns a value.
func first[T any](_ T, err error) error { return err }

// TestMisuse misuses everything that the package exports: each call must return the given error,
// and none may panic.
func TestMisuse(t *testing.T) {
	ctx := context.Background()
	var none context.Context // a variable, because vet rejects the constant
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE t (a BIGINT)")
	var noDB *gsql.DB
	var noSession *gsql.Session
	var noRows *gsql.Rows
	var noAppender *gsql.Appender
	var noConnector *gsql.Connector
	zero := &gsql.Session{}
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}}, nil)
	other := arrow.NewSchema([]arrow.Field{{Name: "b", Type: arrow.PrimitiveTypes.Int32}}, nil)
	build := array.NewRecordBuilder(memory.DefaultAllocator, other)
	foreign := build.NewRecord()
	appender := func() *gsql.Appender {
		a, err := s.NewAppender(ctx, "t")
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	appendRow := func(values ...any) error { a := appender(); defer a.Abort(); return a.AppendRow(values...) }
	appendRecord := func(rec arrow.Record) error { a := appender(); defer a.Abort(); return a.AppendRecord(rec) }
	exec := func(s *gsql.Session, ctx context.Context, text string, args ...any) error {
		_, _, err := s.Exec(ctx, text, args...)
		return err
	}
	rows := func(text string) *gsql.Rows {
		r, err := s.Query(ctx, text)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, c := range []struct {
		name string
		call func() error
		want sqlerr.Code
	}{
		{"Open of a file", func() error { return first(gsql.Open(gsql.Config{Database: "a.db"})) }, sqlerr.WrongDBName},
		{"Open with a wrong variable", func() error { return first(gsql.Open(gsql.Config{Variables: map[string]string{"gsql_workers": "x"}})) }, sqlerr.WrongValueForVar},
		{"ParseDSN", func() error { return first(gsql.ParseDSN("%zz")) }, sqlerr.WrongValueForVar},
		{"Driver.Open", func() error { return first(gsql.Driver{}.Open("?workers=x")) }, sqlerr.WrongValueForVar},
		{"Driver.OpenConnector", func() error { return first(gsql.Driver{}.OpenConnector("?workers=x")) }, sqlerr.WrongValueForVar},

		{"DB.Close of a nil DB", noDB.Close, sqlerr.WrongArguments},
		{"DB.Close of a zero DB", new(gsql.DB).Close, sqlerr.WrongArguments},
		{"NewSession of a nil DB", func() error { return exec(noDB.NewSession(), ctx, "SELECT 1") }, sqlerr.WrongArguments},
		{"NewSession of a zero DB", func() error { return exec(new(gsql.DB).NewSession(), ctx, "SELECT 1") }, sqlerr.WrongArguments},
		{"RegisterArrow of a nil DB", func() error { return noDB.RegisterArrow("r", schema, nil) }, sqlerr.WrongArguments},
		{"RegisterArrow of a zero DB", func() error { return new(gsql.DB).RegisterArrow("r", schema, nil) }, sqlerr.WrongArguments},
		{"RegisterArrow without schema", func() error { return s.DB().RegisterArrow("r", nil, []arrow.Record{}) }, sqlerr.WrongArguments},
		{"RegisterArrow of a nil record", func() error { return s.DB().RegisterArrow("r", schema, []arrow.Record{nil}) }, sqlerr.WrongArguments},
		{"RegisterArrow of another schema's record", func() error { return s.DB().RegisterArrow("r", schema, []arrow.Record{foreign}) }, sqlerr.WrongArguments},

		{"Session.Close of a nil session", noSession.Close, sqlerr.WrongArguments},
		{"Session.Close of a zero session", zero.Close, sqlerr.WrongArguments},
		{"Query of a nil session", func() error { return first(noSession.Query(ctx, "SELECT 1")) }, sqlerr.WrongArguments},
		{"Query of a zero session", func() error { return first(zero.Query(ctx, "SELECT 1")) }, sqlerr.WrongArguments},
		{"Query with a nil context", func() error { return first(s.Query(none, "SELECT 1")) }, sqlerr.WrongArguments},
		{"Query of nothing", func() error { return first(s.Query(ctx, " ; ")) }, sqlerr.EmptyQuery},
		{"Query with an argument too many", func() error { return first(s.Query(ctx, "SELECT ?", 1, 2)) }, sqlerr.WrongArguments},
		{"Query with an argument and no placeholder", func() error { return first(s.Query(ctx, "SELECT 1", 1)) }, sqlerr.WrongArguments},
		{"Query with an argument too few", func() error { return first(s.Query(ctx, "SELECT ?, ?", 1)) }, sqlerr.WrongArguments},
		{"Query without arguments", func() error { return first(s.Query(ctx, "SELECT ?")) }, sqlerr.WrongArguments},
		{"Query of several statements with arguments", func() error { return first(s.Query(ctx, "SELECT ?; SELECT ?", 1, 2)) }, sqlerr.WrongArguments},
		{"Query with a channel", func() error { return first(s.Query(ctx, "SELECT ?", make(chan int))) }, sqlerr.WrongArguments},
		{"Exec of a nil session", func() error { return exec(noSession, ctx, "SELECT 1") }, sqlerr.WrongArguments},
		{"Exec of a zero session", func() error { return exec(zero, ctx, "SELECT 1") }, sqlerr.WrongArguments},
		{"Exec with a nil context", func() error { return exec(s, none, "SELECT 1") }, sqlerr.WrongArguments},
		{"Exec with surplus arguments", func() error { return exec(s, ctx, "INSERT INTO t VALUES (?)", 1, 2) }, sqlerr.WrongArguments},
		{"Exec of DDL with surplus arguments", func() error { return exec(s, ctx, "CREATE TABLE u (a INT)", 1) }, sqlerr.WrongArguments},
		{"QueryArrow of a nil session", func() error { return first(noSession.QueryArrow(ctx, "SELECT 1")) }, sqlerr.WrongArguments},
		{"QueryArrow of a zero session", func() error { return first(zero.QueryArrow(ctx, "SELECT 1")) }, sqlerr.WrongArguments},
		{"QueryArrow with a nil context", func() error { return first(s.QueryArrow(none, "SELECT 1")) }, sqlerr.WrongArguments},
		{"QueryArrow without rows", func() error { return first(s.QueryArrow(ctx, "SET @a = 1")) }, sqlerr.UnknownError},
		{"NewAppender of a nil session", func() error { return first(noSession.NewAppender(ctx, "t")) }, sqlerr.WrongArguments},
		{"NewAppender of a zero session", func() error { return first(zero.NewAppender(ctx, "t")) }, sqlerr.WrongArguments},
		{"NewAppender with a nil context", func() error { return first(s.NewAppender(none, "t")) }, sqlerr.WrongArguments},
		{"NewAppender of no table", func() error { return first(s.NewAppender(ctx, "none")) }, sqlerr.NoSuchTable},

		{"AppendRow of a nil appender", func() error { return noAppender.AppendRow(1) }, sqlerr.WrongArguments},
		{"AppendRow of a zero appender", func() error { return new(gsql.Appender).AppendRow(1) }, sqlerr.WrongArguments},
		{"AppendRow with a value too many", func() error { return appendRow(1, 2) }, sqlerr.WrongValueCountOnRow},
		{"AppendRow with a value too few", func() error { return appendRow() }, sqlerr.WrongValueCountOnRow},
		{"AppendRow with a function", func() error { return appendRow(func() {}) }, sqlerr.WrongArguments},
		{"AppendRecord of a nil appender", func() error { return noAppender.AppendRecord(foreign) }, sqlerr.WrongArguments},
		{"AppendRecord of nil", func() error { return appendRecord(nil) }, sqlerr.WrongArguments},
		{"Appender.Close of a nil appender", func() error { return first(noAppender.Close(ctx)) }, sqlerr.WrongArguments},
		{"Appender.Close of a zero appender", func() error { return first(new(gsql.Appender).Close(ctx)) }, sqlerr.WrongArguments},
		{"Appender.Close with a nil context", func() error { return first(appender().Close(none)) }, sqlerr.WrongArguments},

		{"NextBatch of nil rows", func() error { return first(noRows.NextBatch()) }, sqlerr.WrongArguments},
		{"NextResult of nil rows", func() error { return first(noRows.NextResult(ctx)) }, sqlerr.WrongArguments},
		{"Rows.Close of nil rows", noRows.Close, sqlerr.WrongArguments},
		{"NextResult with a nil context", func() error { r := rows("SELECT 1; SELECT 2"); defer r.Close(); return first(r.NextResult(none)) }, sqlerr.WrongArguments},
		{"NextBatch of zero rows", func() error { return first(new(gsql.Rows).NextBatch()) }, 0},
		{"NextResult of zero rows", func() error { return first(new(gsql.Rows).NextResult(ctx)) }, 0},
		{"Rows.Close of zero rows", new(gsql.Rows).Close, 0},

		{"Connect of a nil connector", func() error { return first(noConnector.Connect(ctx)) }, sqlerr.WrongArguments},
		{"Connect with a nil context", func() error { return first(gsql.NewConnector(s.DB()).Connect(none)) }, sqlerr.WrongArguments},
		{"Connect to a nil DB", func() error { return first(gsql.NewConnector(nil).Connect(ctx)) }, sqlerr.WrongArguments},
		{"Connect to a zero DB", func() error { return first(gsql.NewConnector(new(gsql.DB)).Connect(ctx)) }, sqlerr.WrongArguments},
		{"Connector.Close of a nil connector", noConnector.Close, sqlerr.WrongArguments},
		{"SessionOf nil", func() error { return first(gsql.SessionOf(nil)) }, sqlerr.WrongArguments},
		{"SessionOf another driver's connection", func() error { return first(gsql.SessionOf(42)) }, sqlerr.WrongArguments},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := c.call(); sqltest.Code(err) != c.want {
				t.Errorf("got %v, want error %d", err, c.want)
			}
		})
	}
	t.Run("without errors", func(t *testing.T) {
		for _, s := range []*gsql.Session{nil, zero} {
			if s.DB() != nil || s.Database() != "" || s.InTransaction() || s.Progress() != (gsql.Progress{}) || s.MemoryLimit() != 0 || s.SQLMode() != 0 ||
				s.Warnings() != nil || s.Fallbacks() != nil {
				t.Error("a session that is none has values")
			}
		}
		noAppender.Abort()
		new(gsql.Appender).Abort()
		if noRows.Devices() != nil || noRows.Elapsed() != time.Duration(0) || noConnector.Driver() == nil {
			t.Error("nil rows have values")
		}
	})
	t.Run("wrong destinations", func(t *testing.T) {
		db := open(t, "")
		var n int
		var when time.Time
		for text, dest := range map[string]any{"SELECT 'x'": &n, "SELECT 1": &when, "SELECT NULL": &n, "SELECT 2": n, "SELECT 3": nil, "SELECT 4": (*int)(nil)} {
			if err := db.QueryRow(text).Scan(dest); err == nil {
				t.Errorf("%s into %T", text, dest)
			}
		}
		if err := db.QueryRow("SELECT 1, 2").Scan(&n); err == nil {
			t.Error("two columns into one")
		}
		if err := db.QueryRow("SELECT ?", 1, 2).Scan(&n); err == nil {
			t.Error("an argument too many")
		}
		if _, err := db.Exec("SELECT ?", sql.Named("a", 1)); sqltest.Code(err) != sqlerr.WrongArguments {
			t.Errorf("a named argument: %v", err)
		}
	})
	if got := sqltest.Lines(sqltest.Rows(t, s, "SELECT COUNT(*) FROM t")); got != "0\n" {
		t.Errorf("misuse left rows: %s", got)
	}
}
