package gsql_test

import (
	"context"
	"database/sql/driver"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gsql"
	"gsql/sql/sqlerr"
)

func code(err error) sqlerr.Code {
	if err == nil {
		return 0
	}
	return sqlerr.From(err).Code
}

// line joins the values of a result's rows.
func line(rows [][]string) string {
	var all []string
	for _, r := range rows {
		all = append(all, r...)
	}
	return strings.Join(all, ",")
}

func TestViewNamesBelongToTheDatabaseItWasMadeIn(t *testing.T) {
	s := session(t, gsql.Config{})
	for _, text := range []string{
		"CREATE DATABASE other", "CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)",
		"USE other", "CREATE TABLE t (a INT)", "INSERT INTO t VALUES (2)",
		"CREATE VIEW gsql.v AS SELECT a, (SELECT MAX(a) FROM t) m FROM t",
		"USE gsql", "CREATE VIEW other.w AS SELECT v.a, t.a b FROM v, t",
	} {
		run(t, s, text)
	}
	for _, db := range []string{"gsql", "other"} {
		run(t, s, "USE "+db)
		if got := line(table(t, s, "SELECT * FROM gsql.v")); got != "2,2" {
			t.Errorf("in %s the view gives %s", db, got)
		}
		if got := line(table(t, s, "SELECT * FROM other.w")); got != "2,1" {
			t.Errorf("in %s the view of a view and a table gives %s", db, got)
		}
	}
	run(t, s, "DROP TABLE other.t")
	run(t, s, "USE gsql")
	if _, err := tryTable(s, "SELECT * FROM v"); code(err) != sqlerr.ViewInvalid {
		t.Errorf("a table of the same name elsewhere is read instead: %v", err)
	}
}

func TestViewsTakeNoParameters(t *testing.T) {
	s := session(t, gsql.Config{})
	if _, _, err := s.Exec(context.Background(), "CREATE VIEW v AS SELECT ?", 1); code(err) != sqlerr.ViewSelectVariable {
		t.Error(err)
	}
}

func TestPreparedStatementsCannotRunThemselves(t *testing.T) {
	s := session(t, gsql.Config{})
	for _, text := range []string{"EXECUTE p", "PREPARE q FROM ''SELECT 1''", "DEALLOCATE PREPARE p"} {
		if _, _, err := s.Exec(context.Background(), "PREPARE p FROM '"+text+"'"); code(err) != sqlerr.UnsupportedPS {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestIntoOutfileOfUnions(t *testing.T) {
	dir := t.TempDir()
	s := session(t, gsql.Config{Dir: dir})
	if got := table(t, s, "SELECT 1 a UNION ALL SELECT 2 ORDER BY a DESC INTO OUTFILE 'u.csv'"); len(got) != 0 {
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
	s := session(t, gsql.Config{})
	run(t, s, "CREATE TABLE t (a INT)")
	other := s.DB().NewSession()
	defer other.Close()
	run(t, s, "SET autocommit = 0")
	count := func() string { return line(table(t, s, "SELECT COUNT(*) FROM t")) }
	if got := count(); got != "0" || !s.InTransaction() {
		t.Errorf("%s rows, in transaction: %v", got, s.InTransaction())
	}
	run(t, other, "INSERT INTO t VALUES (1)")
	if got := count(); got != "0" {
		t.Errorf("another's commit shows within the transaction: %s rows", got)
	}
	run(t, s, "COMMIT")
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
	run(t, s, "ROLLBACK")
	if got := count(); got != "1" {
		t.Errorf("%s rows after appending and ROLLBACK", got)
	}
}

type userID int32

type secret struct{ text string }

func (s secret) Value() (driver.Value, error) { return "<" + s.text + ">", nil }

func TestParametersOfManyTypes(t *testing.T) {
	s := session(t, gsql.Config{})
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
		if got := line(table(t, s, "SELECT ?", c.arg)); got != c.want {
			t.Errorf("%T %v: %s, want %s", c.arg, c.arg, got, c.want)
		}
	}
	for _, bad := range []any{struct{}{}, []int{1}, func() {}, time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)} {
		if _, err := tryTable(s, "SELECT ?", bad); code(err) != sqlerr.WrongArguments || !strings.Contains(err.Error(), "parameter 1") {
			t.Errorf("%T: %v", bad, err)
		}
	}
}
