package gsql_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

func TestAppendRows(t *testing.T) {
	ctx := context.Background()
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE t (id INT PRIMARY KEY, price DECIMAL(8,2), day DATE, name VARCHAR(10), x BLOB)")
	a, err := s.NewAppender(ctx, "t")
	if err != nil {
		t.Fatal(err)
	}
	const rows = 5000
	for i := range rows {
		if err := a.AppendRow(i, "1.255", time.Date(2024, 2, 29, 13, 0, 0, 0, time.UTC), nil, []byte{byte(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if got := sqltest.Rows(t, s, "SELECT COUNT(*) FROM t"); got[0][0] != "0" {
		t.Errorf("rows show before Close: %v", got)
	}
	if n, err := a.Close(ctx); err != nil || n != rows {
		t.Errorf("%d rows, %v", n, err)
	}
	got := sqltest.Rows(t, s, "SELECT COUNT(*), SUM(id), MIN(price), MAX(day), COUNT(name), MAX(x) = X'FF' FROM t")
	if want := "5000 | 12497500 | 1.26 | 2024-02-29 | 0 | 1\n"; sqltest.Lines(got) != want {
		t.Errorf("got %s want %s", sqltest.Lines(got), want)
	}
}

func TestAppendRecords(t *testing.T) {
	ctx := context.Background()
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, sqltest.EveryType)
	sqltest.Run(t, s, "CREATE TABLE w AS SELECT * FROM v WHERE FALSE")
	_, recs := sqltest.Records(t, s, "SELECT * FROM v")
	a, err := s.NewAppender(ctx, "w")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		for _, rec := range recs {
			if err := a.AppendRecord(rec); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n, err := a.Close(ctx); err != nil || n != 9 {
		t.Errorf("%d rows, %v", n, err)
	}
	want := sqltest.Lines(sqltest.Rows(t, s, "SELECT * FROM v UNION ALL SELECT * FROM v UNION ALL SELECT * FROM v ORDER BY i8"))
	if got := sqltest.Lines(sqltest.Rows(t, s, "SELECT * FROM w ORDER BY i8")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAppenderAddsAllOrNothing(t *testing.T) {
	ctx := context.Background()
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE t (id INT PRIMARY KEY, n TINYINT NOT NULL)")
	sqltest.Run(t, s, "INSERT INTO t VALUES (1, 1)")
	for name, c := range map[string]struct {
		row  []any
		code sqlerr.Code
	}{
		"too few values": {[]any{2}, sqlerr.WrongValueCountOnRow},
		"not a number":   {[]any{2, "x"}, sqlerr.TruncatedWrongValueForField},
		"out of range":   {[]any{2, 300}, sqlerr.WarnDataOutOfRange},
		"duplicate":      {[]any{1, 1}, sqlerr.DupEntry},
		"null":           {[]any{2, nil}, sqlerr.BadNull},
	} {
		a, err := s.NewAppender(ctx, "t")
		if err != nil {
			t.Fatal(err)
		}
		err = a.AppendRow(7, 7)
		if err == nil {
			err = a.AppendRow(c.row...)
		}
		if err == nil {
			_, err = a.Close(ctx)
		} else {
			a.Abort()
		}
		if !errors.Is(err, c.code) {
			t.Errorf("%s: %v, want %v", name, err, c.code)
		}
		if got := sqltest.Rows(t, s, "SELECT COUNT(*) FROM t"); got[0][0] != "1" {
			t.Errorf("%s: %v rows", name, got)
		}
	}
	if _, err := s.NewAppender(ctx, "nope"); !errors.Is(err, sqlerr.NoSuchTable) {
		t.Errorf("unknown table: %v", err)
	}
	sqltest.Run(t, s, "BEGIN")
	a, err := s.NewAppender(ctx, "t")
	if err != nil {
		t.Fatal(err)
	}
	if err := a.AppendRow(5, 5); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if got := sqltest.Rows(t, s, "SELECT COUNT(*) FROM t"); got[0][0] != "2" {
		t.Errorf("within the transaction: %v", got)
	}
	sqltest.Run(t, s, "ROLLBACK")
	if got := sqltest.Rows(t, s, "SELECT COUNT(*) FROM t"); got[0][0] != "1" {
		t.Errorf("after the rollback: %v", got)
	}
}

func TestAppenderEndsOnce(t *testing.T) {
	ctx := context.Background()
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE t (a INT)")
	for _, end := range []func(a *gsql.Appender) error{
		func(a *gsql.Appender) error { _, err := a.Close(ctx); return err },
		func(a *gsql.Appender) error { a.Abort(); return nil },
	} {
		sqltest.Run(t, s, "BEGIN")
		a, err := s.NewAppender(ctx, "t")
		if err != nil {
			t.Fatal(err)
		}
		if err := a.AppendRow(1); err != nil {
			t.Fatal(err)
		}
		if err := end(a); err != nil {
			t.Fatal(err)
		}
		before := sqltest.Rows(t, s, "SELECT COUNT(*) FROM t")[0][0]
		if _, err := a.Close(ctx); !errors.Is(err, sqlerr.WrongUsage) {
			t.Errorf("closed again: %v", err)
		}
		if after := sqltest.Rows(t, s, "SELECT COUNT(*) FROM t")[0][0]; after != before {
			t.Errorf("closing again changed %s rows to %s", before, after)
		}
		sqltest.Run(t, s, "ROLLBACK")
	}
	sqltest.Run(t, s, "BEGIN")
	a, err := s.NewAppender(ctx, "t")
	if err != nil {
		t.Fatal(err)
	}
	if err := a.AppendRow(1); err != nil {
		t.Fatal(err)
	}
	sqltest.Run(t, s, "COMMIT")
	if rows, err := a.Close(ctx); err == nil {
		t.Errorf("%d rows went into a transaction that had ended", rows)
	}
}

func TestAutoIncrementEnds(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE t (a BIGINT PRIMARY KEY AUTO_INCREMENT)")
	sqltest.Run(t, s, "INSERT INTO t VALUES (9223372036854775806), (NULL)")
	if _, _, err := s.Exec(context.Background(), "INSERT INTO t VALUES (NULL)"); !errors.Is(err, sqlerr.AutoIncReadFailed) {
		t.Errorf("after the last number: %v", err)
	}
	if got := sqltest.Rows(t, s, "SELECT MIN(a), MAX(a), COUNT(*) FROM t"); got[0][0] != "9223372036854775806" || got[0][1] != "9223372036854775807" || got[0][2] != "2" {
		t.Errorf("%v", got)
	}
}

// TestAppendedRecordsFit appends Arrow texts and numbers to ENUM, SET, JSON and YEAR columns: they
// become the values that INSERT would store, or are errors.
func TestAppendedRecordsFit(t *testing.T) {
	ctx := context.Background()
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE t (e ENUM('red', 'green'), s SET('x', 'y'), j JSON, y YEAR)")
	text := arrow.BinaryTypes.String
	sc := arrow.NewSchema([]arrow.Field{{Name: "e", Type: text, Nullable: true}, {Name: "s", Type: text, Nullable: true}, {Name: "j", Type: text, Nullable: true},
		{Name: "y", Type: arrow.PrimitiveTypes.Int16, Nullable: true}}, nil)
	for _, c := range []struct {
		row  string
		code sqlerr.Code // 0 if the row fits
	}{
		{`{"e": "GREEN", "s": "y,x", "j": "{\"b\":1,\"a\":2}", "y": 1999}`, 0},
		{`{"e": null, "s": null, "j": null, "y": null}`, 0},
		{`{"e": "blue", "s": "", "j": "1", "y": 0}`, sqlerr.WarnDataTruncated},
		{`{"e": "red", "s": "q", "j": "1", "y": 0}`, sqlerr.WarnDataTruncated},
		{`{"e": "red", "s": "", "j": "{", "y": 0}`, sqlerr.InvalidJSONText},
		{`{"e": "red", "s": "", "j": "1", "y": 1800}`, sqlerr.WarnDataOutOfRange},
	} {
		rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, sc, strings.NewReader("["+c.row+"]"))
		if err != nil {
			t.Fatal(err)
		}
		a, err := s.NewAppender(ctx, "t")
		if err != nil {
			t.Fatal(err)
		}
		if err = a.AppendRecord(rec); err == nil {
			_, err = a.Close(ctx)
		} else {
			a.Abort()
		}
		if c.code == 0 && err != nil || c.code != 0 && !errors.Is(err, c.code) {
			t.Errorf("%s: %v, want error %d", c.row, err, c.code)
		}
	}
	want := "green | 2 | x,y | 3 | {\"a\": 2, \"b\": 1} | 1999\nNULL | NULL | NULL | NULL | NULL | NULL\n"
	if got := sqltest.Lines(sqltest.Rows(t, s, "SELECT e, e + 0, s, s + 0, j, y FROM t")); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
