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

// TestFileAdvice names files as newcomers do: the error says what to write.
func TestFileAdvice(t *testing.T) {
	dir := t.TempDir()
	s := sqltest.Open(t, gsql.Config{Dir: dir})
	for _, name := range []string{"airports.csv", "sp500-2000.csv", "notes.txt", "x.orc"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("a,b\n1,2\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, sub := range []string{"data", "date"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, sub, "far.csv"), []byte("a\n1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sqltest.Run(t, s, "CREATE TABLE t (a INT)")
	for _, c := range []struct {
		sql  string
		code sqlerr.Code
		hint string
	}{
		{"SELECT * FROM airports.csv", sqlerr.BadDB, "written in back-quotes: `airports.csv`"},
		{"SELECT a.b FROM t JOIN airports.csv a ON 1", sqlerr.BadDB, "written in back-quotes: `airports.csv`"},
		{"DESCRIBE airports.csv", sqlerr.BadDB, "written in back-quotes: `airports.csv`"},
		{"SELECT * FROM airports", sqlerr.NoSuchTable, "`airports.csv`"},
		{"SELECT * FROM airprts.csv", sqlerr.BadDB, "Did you mean `airports.csv`"},
		{"SELECT * FROM `airprts.csv`", sqlerr.FileNotFound, "Did you mean"},
		{"SELECT * FROM `airports.cvs`", sqlerr.NoSuchTable, "Did you mean `airports.csv`"},
		{"SELECT * FROM gsql.csv", sqlerr.NoSuchTable, "If a file is meant, write its name in back-quotes: `gsql.csv`"},
		{"SELECT * FROM data", sqlerr.NoSuchTable, "'data' is a folder: name a file in it, or several by a pattern, in back-quotes: `data/*.parquet`"},
		{"SELECT * FROM far.csv", sqlerr.BadDB, "Did you mean `data/far.csv`"},
		{"SELECT * FROM `far.csv`", sqlerr.FileNotFound, "data/far.csv'?"},
		{"SELECT * FROM `dat/far.csv`", sqlerr.FileNotFound, "data/far.csv'?"},
		{"SELECT * FROM `dates/far.csv`", sqlerr.FileNotFound, "date/far.csv'?"},
		{"SELECT * FROM `data/airports.csv`", sqlerr.FileNotFound, "Relative paths start"},
		{"SELECT * FROM `no/such/airports.csv`", sqlerr.FileNotFound, "no directory"},
		{"SELECT * FROM sp500-2000.csv", sqlerr.ParseError, "written in back-quotes: `sp500-2000.csv`"},
		{"SELECT * FROM ./airports.csv;", sqlerr.ParseError, "written in back-quotes: `./airports.csv`"},
		{"SELECT * FROM a.b.csv WHERE 1", sqlerr.ParseError, "written in back-quotes: `a.b.csv`"},
		{"SELECT * FROM read_csv('airports.csv')", sqlerr.ParseError, "back-quotes"},
		{"SELECT * FROM https://x.org/a.csv", sqlerr.ParseError, "download it first"},
		{"SELECT * FROM `https://x.org/a.csv`", sqlerr.NotSupportedYet, "download it first"},
		{"IMPORT INTO t FROM 's3://x/a.parquet'", sqlerr.NotSupportedYet, "download it first"},
		{"LOAD DATA INFILE 'https://x.org/a' INTO TABLE t", sqlerr.NotSupportedYet, "download it first"},
		{"SELECT * FROM x.orc", sqlerr.BadDB, "does not read .orc files as tables; it reads .csv"},
		{"SELECT * FROM `movies.orc`", sqlerr.NoSuchTable, "does not read .orc files as tables; it reads .csv"},
		{"SELECT * FROM `notes.txt`", sqlerr.NoSuchTable, "does not read .txt files as tables; it reads .csv"},
		{"SELECT * FROM `airports.csv.bz2`", sqlerr.NoSuchTable, "does not read .bz2 files as tables; it reads .csv"},
		{"IMPORT INTO t FROM 'x.orc'", sqlerr.NotSupportedYet, "does not read .orc files as tables; it reads .csv"},
		{"SELECT * FROM gsql.t)", sqlerr.ParseError, "parenthesis"},
		{"SELECT * FROM nosuch", sqlerr.NoSuchTable, ""},
	} {
		_, err := sqltest.TryRows(s, c.sql)
		var e *sqlerr.Error
		if !errors.As(err, &e) || e.Code != c.code || !strings.Contains(e.Hint, c.hint) || c.hint == "" && e.Hint != "" {
			hint := ""
			if e != nil {
				hint = e.Hint
			}
			t.Errorf("%s: %v, hint %q; want %d, %q", c.sql, err, hint, c.code, c.hint)
		}
	}
}
