package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// TestLoadedValuesFit loads ENUM, SET, JSON and YEAR columns: the table has the values that INSERT
// would store, and a text that is none is an error that names file, line and column.
func TestLoadedValuesFit(t *testing.T) {
	dir := t.TempDir()
	s := sqltest.Open(t, gsql.Config{Dir: dir})
	write := func(lines ...string) {
		text := "e\ts\tj\ty\n" + strings.Join(lines, "\n") + "\n"
		for _, name := range []string{"x.tsv", "x.txt"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	const (
		load = "LOAD DATA INFILE 'x.txt' %s INTO TABLE t IGNORE 1 LINES"
		imp  = "IMPORT INTO t FROM 'x.tsv'"
		all  = "SELECT e, e + 0, s, s + 0, j, y FROM t"
	)
	loads := []string{imp, strings.ReplaceAll(load, "%s", "")}
	make := func() {
		sqltest.Run(t, s, "DROP TABLE IF EXISTS t; CREATE TABLE t (e ENUM('red', 'green'), s SET('x', 'y', 'z'), j JSON, y YEAR)")
	}
	for _, sql := range loads {
		make()
		write("GREEN\tz,x,x\t{\"b\":1,  \"a\":2}\t70", "1\t5\t[1,2]\t0", "red\ty\t1.0\t0000", "green\tx\tnull\t2155")
		sqltest.Run(t, s, sql)
		want := "green | 2 | x,z | 5 | {\"a\": 2, \"b\": 1} | 1970\nred | 1 | x,z | 5 | [1, 2] | 2000\nred | 1 | y | 2 | 1.0 | 0000\ngreen | 2 | x | 1 | null | 2155\n"
		if got := sqltest.Lines(sqltest.Rows(t, s, all)); got != want {
			t.Errorf("%s:\n%swant\n%s", sql, got, want)
		}
	}
	good := "red\tx\t1\t1999"
	for _, c := range []struct {
		line, column, text string
		code               sqlerr.Code
	}{
		{"blue\tx\t1\t1999", "e", "blue", sqlerr.WarnDataTruncated},
		{"3\tx\t1\t1999", "e", "3", sqlerr.WarnDataTruncated},
		{"red\tx,q\t1\t1999", "s", "x,q", sqlerr.WarnDataTruncated},
		{"red\tx\t{\"a\":\t1999", "j", "{\"a\":", sqlerr.InvalidJSONText},
		{"red\tx\tword\t1999", "j", "word", sqlerr.InvalidJSONText},
		{"red\tx\t1\t1900", "y", "1900", sqlerr.WarnDataOutOfRange},
		{"red\tx\t1\t100", "y", "100", sqlerr.WarnDataOutOfRange},
	} {
		write(good, c.line, good)
		for _, sql := range loads {
			make()
			_, err := sqltest.TryRows(s, sql)
			var e *sqlerr.Error
			if !errors.As(err, &e) || e.Code != c.code || !strings.Contains(e.Msg, "line 3, column '"+c.column+"'") || !strings.HasSuffix(e.Msg, "'"+c.text+"'") {
				t.Errorf("%s of %q: %v, want error %d", sql, c.line, err, c.code)
			}
			if got := sqltest.Lines(sqltest.Rows(t, s, all)); got != "" {
				t.Errorf("%s of %q kept %s", sql, c.line, got)
			}
		}
		make()
		sqltest.Run(t, s, strings.ReplaceAll(load, "%s", "IGNORE"))
		if got, want := sqltest.Lines(sqltest.Rows(t, s, all)), strings.Repeat("red | 1 | x | 1 | 1 | 1999\n", 2); got != want {
			t.Errorf("IGNORE of %q:\n%swant\n%s", c.line, got, want)
		}
	}
}

// TestZeroYears converts texts and numbers that mean the year 0 or 2000.
func TestZeroYears(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE t (y YEAR); INSERT INTO t VALUES ('0'), ('00'), ('0000'), (0)")
	if got, want := sqltest.Lines(sqltest.Rows(t, s, "SELECT y FROM t")), "2000\n2000\n0000\n0000\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
