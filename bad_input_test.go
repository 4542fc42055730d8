package gsql_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.csv")
	var csv strings.Builder
	csv.WriteString("id,amount\n")
	for range 30_000 { // beyond the sniffer's sample
		csv.WriteString("1,2\n")
	}
	csv.WriteString("7,oops\n")
	if err := os.WriteFile(bad, []byte(csv.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	s := sqltest.Open(t, gsql.Config{Dir: dir})
	sqltest.Run(t, s, "CREATE TABLE t (a INT, name VARCHAR(10), big BIGINT)")
	sqltest.Run(t, s, "INSERT INTO t VALUES (1, 'x', 9223372036854775807)")
	sqltest.Run(t, s, "SELECT * FROM t INTO OUTFILE '"+filepath.Join(dir, "cut.parquet")+"'")
	whole, err := os.ReadFile(filepath.Join(dir, "cut.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "cut2.parquet"), whole[:len(whole)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, sql string
		code      sqlerr.Code
		in        string // part of the message, position or hint
	}{
		{"unknown column", "SELECT nmae FROM t", sqlerr.BadField, "name"},
		{"unknown table", "SELECT * FROM tt", sqlerr.NoSuchTable, "gsql.tt"},
		{"type mismatch", "INSERT INTO t (a) VALUES ('abc')", sqlerr.TruncatedWrongValueForField, "abc"},
		{"integer overflow", "SELECT big + 1 FROM t", sqlerr.DataOutOfRange, "BIGINT"},
		{"value out of range", "INSERT INTO t (a) VALUES (3000000000)", sqlerr.WarnDataOutOfRange, "a"},
		{"file not found", "SELECT * FROM `bda.csv`", sqlerr.FileNotFound, "bad.csv"},
		{"unreadable line", "SELECT SUM(amount) FROM `bad.csv`", sqlerr.TruncatedWrongValueForField, "oops"},
		{"truncated Parquet", "SELECT * FROM `cut2.parquet`", sqlerr.FileCorrupt, "cut2.parquet"},
		{"unknown function", "SELECT substrng('a', 1)", sqlerr.SPDoesNotExist, "substring"},
		{"syntax", "SELEC 1", sqlerr.ParseError, "SELEC"},
		{"full join", "SELECT * FROM t x FULL JOIN t y", sqlerr.NotSupportedYet, "FULL"},
		{"unknown variable", "SET gsql_memroy_limit = 1", sqlerr.UnknownSystemVariable, "gsql_memory_limit"},
		{"deep nesting", "SELECT " + strings.Repeat("(", 10_000) + "1" + strings.Repeat(")", 10_000), sqlerr.StackOverrun, "deep"},
		{"two rows", "SELECT (SELECT 1 UNION ALL SELECT 2)", sqlerr.SubqueryNo1Row, ""},
		{"writing to a file", "INSERT INTO `bad.csv` VALUES (1, 2)", sqlerr.NonUpdatableTable, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := sqltest.TryRows(s, c.sql)
			if !errors.Is(err, c.code) {
				t.Fatalf("%v, want %v", err, c.code)
			}
			if text := sqlerr.Render(err, c.sql); !strings.Contains(text, c.in) {
				t.Errorf("%q does not mention %q", text, c.in)
			}
		})
	}
	if got := sqltest.Rows(t, s, "SELECT 1 / 0, 5 DIV 0, 5 % 0"); strings.Join(got[0], " ") != "NULL NULL NULL" {
		t.Errorf("division by zero: %v", got)
	}
	if len(s.Warnings()) == 0 {
		t.Error("division by zero leaves no warning")
	}
	if got := sqltest.Rows(t, s, "SELECT COUNT(*) FROM t"); got[0][0] != "1" {
		t.Errorf("failed statements changed the table: %v", got)
	}
}

func TestErrorPointsAtTheName(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE t (origin INT)")
	const sql = "SELECT origin,\n  orgin FROM t"
	_, err := sqltest.TryRows(s, "SELECT 1; "+sql)
	if err != nil {
		t.Fatal("the first statement is fine:", err)
	}
	_, err = sqltest.TryRows(s, sql)
	got := sqlerr.Render(err, sql)
	want := "ERROR 1054 (42S22): Unknown column 'orgin' in 'field list'\n    orgin FROM t\n    ^\nDid you mean 'origin'?"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestMemoryLimitNamesTheOperator(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE t (a BIGINT)")
	sqltest.Run(t, s, "INSERT INTO t VALUES (1),(2),(3),(4),(5),(6),(7),(8)")
	for range 13 {
		sqltest.Run(t, s, "INSERT INTO t SELECT a + (SELECT MAX(a) FROM t) FROM t")
	}
	const window = "SELECT SUM(n) FROM (SELECT SUM(a * 1e0) OVER (ORDER BY a ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS n FROM t) x"
	for _, c := range []struct{ limit, sql, operator string }{
		{"4KB", window, "Window"}, // not one page of rows
		{"320KB", "SELECT LENGTH(JSON_ARRAYAGG(a)) FROM t", "HashAggregate"}, // of which the operators have shares
	} {
		sqltest.Run(t, s, "SET gsql_memory_limit = '"+c.limit+"'")
		_, err := sqltest.TryRows(s, c.sql)
		if !errors.Is(err, sqlerr.OutOfMemory) || !strings.Contains(err.Error(), c.operator) {
			t.Errorf("%s: %v, want error 1037 naming %s", c.sql, err, c.operator)
		}
	}
	const n = 1 << 16 // each number is in as many sums as it is
	if got, want := fmt.Sprint(sqltest.Rows(t, s, window)[0]), fmt.Sprint([]int{n * (n + 1) / 2 * (2*n + 1) / 3}); got != want {
		t.Errorf("with a few pages of memory: %s, not %s", got, want)
	}
	sqltest.Run(t, s, "SET gsql_temp_limit = '10KB'")
	if _, err := sqltest.TryRows(s, "SELECT * FROM t ORDER BY a DESC"); !errors.Is(err, sqlerr.DiskFull) {
		t.Errorf("a sort with little memory and disk: %v, want error 1021", err)
	}
	sqltest.Run(t, s, "SET gsql_temp_directory = '/does/not/exist', gsql_temp_limit = DEFAULT")
	if _, err := sqltest.TryRows(s, "SELECT * FROM t ORDER BY a DESC"); !errors.Is(err, sqlerr.CantCreateFile) {
		t.Errorf("a sort without a directory: %v, want error 1004", err)
	}
	sqltest.Run(t, s, "SET gsql_memory_limit = DEFAULT")
	if got := sqltest.Rows(t, s, "SELECT COUNT(*), COUNT(DISTINCT a) FROM t"); got[0][0] != "65536" || got[0][1] != "65536" {
		t.Errorf("after raising the limit: %v", got)
	}
}

func TestLongStatement(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE t (a INT)")
	sqltest.Run(t, s, "INSERT INTO t VALUES (5), (123456)")
	var in strings.Builder
	in.WriteString("SELECT COUNT(*) FROM t WHERE a IN (0")
	for i := 100_000; in.Len() < 1<<20; i++ {
		in.WriteString(",")
		in.WriteString(strconv.Itoa(i))
	}
	in.WriteString(")")
	if got := sqltest.Rows(t, s, in.String()); got[0][0] != "1" {
		t.Errorf("long IN list: %v", got)
	}
	or := "SELECT COUNT(*) FROM t WHERE a = 5" + strings.Repeat(" OR a = 7", 20_000)
	if got := sqltest.Rows(t, s, or); got[0][0] != "1" {
		t.Errorf("long OR chain: %v", got)
	}
}

// DESCRIBE with a pattern is read as another statement; its errors stand where it was written.
func TestDescribePlaces(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	for text, want := range map[string]int{"DESCRIBE nosuch 'a%'": 9, "DESC\n nosuch 'a%'": 6, "DESCRIBE X'00ff'": 9} {
		_, _, err := s.Exec(context.Background(), text)
		if pos := sqlerr.From(err).Pos; pos != want {
			t.Errorf("%s: %v at %d, want %d", text, err, pos, want)
		}
	}
}
