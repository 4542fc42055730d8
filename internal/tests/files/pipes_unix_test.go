//go:build unix

package files_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// TestPipes loads, imports and selects from pipes, whose bytes come only once: more of them than
// are looked at before.
func TestPipes(t *testing.T) {
	const rows = 400_000
	dir := t.TempDir()
	s := sqltest.Open(t, gsql.Config{Dir: dir})
	var text, packed bytes.Buffer
	text.WriteString("id,word\n")
	for i := range rows {
		fmt.Fprintf(&text, "%d,w%d\n", i, i%7)
	}
	z := gzip.NewWriter(&packed)
	z.Write(text.Bytes())
	z.Close()
	sqltest.Run(t, s, "CREATE TABLE t (id INT, word VARCHAR(9))")
	const sum = rows * (rows - 1) / 2
	for i, c := range []struct{ name, load, query string }{
		{"p", "LOAD DATA INFILE '%s' INTO TABLE t FIELDS TERMINATED BY ',' IGNORE 1 LINES", "SELECT COUNT(*), SUM(id) FROM t"},
		{"p.csv", "IMPORT INTO t FROM '%s'", "SELECT COUNT(*), SUM(id) FROM t"},
		{"p", "IMPORT INTO t FROM '%s' WITH fields_terminated_by=','", "SELECT COUNT(*), SUM(id) FROM t"},
		{"p.csv", "", "SELECT COUNT(*), SUM(id) FROM `%s`"},
		{"p.csv.gz", "", "SELECT COUNT(*), SUM(id) FROM `%s`"},
	} {
		name := fmt.Sprint(i, c.name)
		pipe := filepath.Join(dir, name)
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		data := text.Bytes()
		if strings.HasSuffix(name, ".gz") {
			data = packed.Bytes()
		}
		done := make(chan error, 1)
		go func() { done <- os.WriteFile(pipe, data, 0) }()
		if c.load != "" {
			sqltest.Run(t, s, "TRUNCATE TABLE t")
			sqltest.Run(t, s, fmt.Sprintf(c.load, name))
		}
		if got := fmt.Sprint(sqltest.Rows(t, s, strings.ReplaceAll(c.query, "%s", name))); got != fmt.Sprintf("[[%d %d]]", rows, sum) {
			t.Errorf("%s %s: %s", c.load, c.query, got)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestPipeErrors reads pipes in ways that cannot be: each is an error, and soon.
func TestPipeErrors(t *testing.T) {
	dir := t.TempDir()
	s := sqltest.Open(t, gsql.Config{Dir: dir})
	for _, name := range []string{"p.parquet", "p.arrow"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := sqltest.TryRows(s, "SELECT * FROM `"+name+"`"); !errors.Is(err, sqlerr.ErrorOnRead) || !strings.Contains(err.Error(), "pipe") {
			t.Errorf("%s: %v", name, err)
		}
	}
	pipe := filepath.Join(dir, "p.csv")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.WriteString("a,b\n1,2\n"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	if _, err := s.Query(ctx, "SELECT * FROM `p.csv`"); !errors.Is(err, sqlerr.QueryTimeout) {
		t.Errorf("a writer that stops: %v", err)
	}
}
