package gsql_test

import (
	"context"
	"database/sql/driver"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

func TestViewNamesBelongToTheDatabaseItWasMadeIn(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	for _, text := range []string{
		"CREATE DATABASE other", "CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)",
		"USE other", "CREATE TABLE t (a INT)", "INSERT INTO t VALUES (2)",
		"CREATE VIEW gsql.v AS SELECT a, (SELECT MAX(a) FROM t) m FROM t",
		"USE gsql", "CREATE VIEW other.w AS SELECT v.a, t.a b FROM v, t",
	} {
		sqltest.Run(t, s, text)
	}
	for _, db := range []string{"gsql", "other"} {
		sqltest.Run(t, s, "USE "+db)
		if got := sqltest.Values(sqltest.Rows(t, s, "SELECT * FROM gsql.v")); got != "2,2" {
			t.Errorf("in %s the view gives %s", db, got)
		}
		if got := sqltest.Values(sqltest.Rows(t, s, "SELECT * FROM other.w")); got != "2,1" {
			t.Errorf("in %s the view of a view and a table gives %s", db, got)
		}
	}
	sqltest.Run(t, s, "DROP TABLE other.t")
	sqltest.Run(t, s, "USE gsql")
	if _, err := sqltest.TryRows(s, "SELECT * FROM v"); sqltest.Code(err) != sqlerr.ViewInvalid {
		t.Errorf("a table of the same name elsewhere is read instead: %v", err)
	}
}

func TestViewsTakeNoParameters(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	if _, _, err := s.Exec(context.Background(), "CREATE VIEW v AS SELECT ?", 1); sqltest.Code(err) != sqlerr.ViewSelectVariable {
		t.Error(err)
	}
}

func TestPreparedStatementsCannotRunThemselves(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	for _, text := range []string{"EXECUTE p", "PREPARE q FROM ''SELECT 1''", "DEALLOCATE PREPARE p"} {
		if _, _, err := s.Exec(context.Background(), "PREPARE p FROM '"+text+"'"); sqltest.Code(err) != sqlerr.UnsupportedPS {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestIntoOutfileOfUnions(t *testing.T) {
	dir := t.TempDir()
	s := sqltest.Open(t, gsql.Config{Dir: dir})
	if got := sqltest.Rows(t, s, "SELECT 1 a UNION ALL SELECT 2 ORDER BY a DESC INTO OUTFILE 'u.csv'"); len(got) != 0 {
		t.Errorf("rows came back: %v", got)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "u.csv")); err != nil || string(data) != "a\n2\n1\n" {
		t.Errorf("%q, %v", data, err)
	}
	for _, text := range []string{
		"CREATE TABLE t SELECT 1 INTO OUTFILE 'no.csv'",
		"SELECT 1 INTO OUTFILE 'no.csv' UNION SELECT 2",
		"(SELECT 1 INTO OUTFILE 'no.csv') UNION SELECT 2",
	} {
		if _, _, err := s.Exec(context.Background(), text); err == nil {
			t.Errorf("%s: the INTO was dropped in silence", text)
		}
	}
}

func TestReadsWithoutAutocommitAreOneTransaction(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE t (a INT)")
	other := s.DB().NewSession()
	defer other.Close()
	sqltest.Run(t, s, "SET autocommit = 0")
	count := func() string { return sqltest.Values(sqltest.Rows(t, s, "SELECT COUNT(*) FROM t")) }
	if got := count(); got != "0" || !s.InTransaction() {
		t.Errorf("%s rows, in transaction: %v", got, s.InTransaction())
	}
	sqltest.Run(t, other, "INSERT INTO t VALUES (1)")
	if got := count(); got != "0" {
		t.Errorf("another's commit shows within the transaction: %s rows", got)
	}
	sqltest.Run(t, s, "COMMIT")
	if got := count(); got != "1" {
		t.Errorf("%s rows after COMMIT", got)
	}
	app, err := s.NewAppender(context.Background(), "t")
	if err != nil {
		t.Fatal(err)
	}
	if err := app.AppendRow(2); err != nil {
		t.Fatal(err)
	}
	if _, err := app.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	sqltest.Run(t, s, "ROLLBACK")
	if got := count(); got != "1" {
		t.Errorf("%s rows after appending and ROLLBACK", got)
	}
}

type userID int32

type secret struct{ text string }

func (s secret) Value() (driver.Value, error) { return "<" + s.text + ">", nil }

func TestParametersOfManyTypes(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	text, id := "hello", userID(7)
	var noText *string
	var noSecret *secret
	for _, c := range []struct {
		arg  any
		want string
	}{
		{int8(-3), "-3"}, {uint64(1<<64 - 1), "18446744073709551615"}, {userID(7), "7"}, {&id, "7"}, {&text, "hello"},
		{noText, "NULL"}, {noSecret, "NULL"}, {secret{"x"}, "<x>"}, {&secret{"y"}, "<y>"}, {[]byte(nil), "NULL"},
		{float32(0.5), "0.5"}, {true, "1"}, {time.Hour, "3600000000000"},
		{time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), "9999-12-31 23:59:59.000000"},
	} {
		if got := sqltest.Values(sqltest.Rows(t, s, "SELECT ?", c.arg)); got != c.want {
			t.Errorf("%T %v: %s, want %s", c.arg, c.arg, got, c.want)
		}
	}
	for _, bad := range []any{struct{}{}, []int{1}, func() {}, time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)} {
		if _, err := sqltest.TryRows(s, "SELECT ?", bad); sqltest.Code(err) != sqlerr.WrongArguments || !strings.Contains(err.Error(), "parameter 1") {
			t.Errorf("%T: %v", bad, err)
		}
	}
}

// After an error, MySQL's diagnostics area holds the error, wherever it was found.
func TestWarningsAfterErrors(t *testing.T) {
	_, s := openSession(t)
	ctx := context.Background()
	sqltest.Run(t, s, "CREATE TABLE t (i INT)")
	sqltest.Run(t, s, "INSERT INTO t VALUES (1), (2)")
	sqltest.Run(t, s, "PREPARE p FROM 'SELECT ?'")
	for _, c := range []struct {
		text string
		args []any
		code string
	}{
		{"selec 1", nil, "1064"},
		{"SELECT 1 FROM", nil, "1064"},
		{"SELECT 1; selec 1", nil, "1064"},
		{"", nil, "1065"},
		{"SELECT ?", []any{make(chan int)}, "1210"},
		{"SELECT ?; SELECT ?", []any{1, 2}, "1210"},
		{"SELECT nope FROM t", nil, "1054"},
		{"SELECT LENGTH(1, 2)", nil, "1582"},
		{"SELECT nope(1)", nil, "1305"},
		{"SELECT * FROM nope", nil, "1146"},
		{"SELECT DATE '2024-02-30'", nil, "1525"},
		{"INSERT INTO t VALUES (1, 2)", nil, "1136"},
		{"SET @@nope = 1", nil, "1193"},
		{"PREPARE q FROM 'selec'", nil, "1064"},
		{"EXECUTE q", nil, "1243"},
		{"EXECUTE p", nil, "1210"},
		{"SELECT (SELECT i FROM t)", nil, "1242"},
		{"SET sql_mode = 'ANSI_QUOTES'; selec 1", nil, "1064"},
	} {
		sqltest.Run(t, s, "SET sql_mode = DEFAULT")
		sqltest.Rows(t, s, "SELECT CAST('x' AS SIGNED), CAST('y' AS SIGNED)") // leaves two warnings
		rows, err := s.Query(ctx, c.text, c.args...)
		for err == nil && rows != nil {
			for b, nerr := rows.NextBatch(); b != nil || nerr != nil; b, nerr = rows.NextBatch() {
				if err = nerr; err != nil {
					break
				}
			}
			if err == nil {
				rows, err = rows.NextResult(ctx)
			}
		}
		if fmt.Sprint(uint16(sqltest.Code(err))) != c.code {
			t.Errorf("%s: %v, want error %s", c.text, err, c.code)
			continue
		}
		want := "Error | " + c.code + " | " + sqlerr.From(err).Msg + "\n"
		for _, show := range []string{"SHOW WARNINGS", "SHOW ERRORS"} {
			if got := sqltest.Lines(sqltest.Rows(t, s, show)); got != want {
				t.Errorf("%s after %q:\n%swant\n%s", show, c.text, got, want)
			}
		}
		if got := sqltest.Lines(sqltest.Rows(t, s, "SHOW COUNT(*) ERRORS")); got != "1\n" {
			t.Errorf("errors after %q: %s", c.text, got)
		}
		if _, err := s.Query(ctx, c.text, c.args...); err != nil { // @@ refers to the previous statement
			if got := sqltest.Lines(sqltest.Rows(t, s, "SELECT @@warning_count, @@error_count")); got != "1 | 1\n" {
				t.Errorf("counts after %q: %s", c.text, got)
			}
		}
	}
}
