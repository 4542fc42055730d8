package memory_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// limited opens a database whose tables and statements share so many bytes.
func limited(t *testing.T, bytes int64) *gsql.Session {
	t.Helper()
	db, err := gsql.Open(gsql.Config{MemoryLimit: bytes, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	s := db.NewSession()
	t.Cleanup(func() { s.Close(); db.Close() })
	return s
}

// series is a query of n numbers i from 1.
func series(n int) string {
	return fmt.Sprintf("%s SELECT (a.i - 1) * 1000 + b.i AS i FROM r a JOIN r b WHERE a.i <= %d", sqltest.Series(1, 1000), n/1000)
}

// longLines makes n different lines of a kilobyte.
func longLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%01000d\n", i)
	}
	return b.String()
}

// outOfMemory runs a statement that must end with error 1037.
func outOfMemory(t *testing.T, s *gsql.Session, text string) {
	t.Helper()
	_, _, err := s.Exec(context.Background(), text)
	if e := sqlerr.From(err); err == nil || e.Code != sqlerr.OutOfMemory {
		t.Errorf("%.100s: %v, want error 1037", text, err)
	}
}

// TestTablesCount fills a small database in every way that rows come into it: all end with error
// 1037, leave the tables as they were, and what they took can be used again.
func TestTablesCount(t *testing.T) {
	sqltest.NotForRaces(t)
	file := filepath.Join(t.TempDir(), "long.csv")
	if err := os.WriteFile(file, []byte("x\n"+longLines(60_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ name, prepare, fill string }{
		{"create table as", "", "CREATE TABLE big AS SELECT i, REPEAT(i, 12) x FROM t"},
		{"insert select", "CREATE TABLE big (i INT, x VARCHAR(200))", "INSERT INTO big SELECT i, REPEAT(i, 12) x FROM t"},
		{"primary key", "CREATE TABLE big (x VARCHAR(90) PRIMARY KEY)", "INSERT INTO big SELECT CONCAT('0123456789', MD5(i)) x FROM t"},
		{"replace", "CREATE TABLE big (x VARCHAR(90) PRIMARY KEY)", "REPLACE INTO big SELECT CONCAT('0123456789', MD5(i)) x FROM t"},
		{"dictionary", "CREATE TABLE big (x VARCHAR(2000))", "INSERT INTO big SELECT REPEAT(i % 60000, 200) x FROM t"},
		{"load", "CREATE TABLE big (x VARCHAR(2000))", "LOAD DATA INFILE '" + file + "' INTO TABLE big"},
		{"update", "CREATE TABLE big AS SELECT i, CAST('' AS CHAR(300)) x FROM t", "UPDATE big SET x = REPEAT(i, 15)"},
		{"alter", "CREATE TABLE big AS SELECT i FROM t", "ALTER TABLE big ADD COLUMN x VARCHAR(300) AS (REPEAT(i, 15)) STORED"},
		{"index", "CREATE TABLE big AS SELECT CAST(MD5(i) AS CHAR(40)) x FROM t", "CREATE UNIQUE INDEX u ON big (x)"},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := limited(t, 36<<20)
			sqltest.Run(t, s, "CREATE TABLE t AS "+series(500_000))
			if x.prepare != "" {
				sqltest.Run(t, s, x.prepare)
			}
			before := ""
			if x.prepare != "" {
				before = sqltest.Rows(t, s, "SELECT COUNT(*) FROM big")[0][0]
			}
			for range 3 { // what a statement took that failed is there for the next one
				outOfMemory(t, s, x.fill)
			}
			if before != "" {
				if n := sqltest.Rows(t, s, "SELECT COUNT(*) FROM big")[0][0]; n != before {
					t.Errorf("%s rows are left of %s", n, before)
				}
				sqltest.Run(t, s, "DROP TABLE big")
			}
			sqltest.Run(t, s, "CREATE TABLE other AS SELECT i * 7 x FROM t")
			sqltest.Run(t, s, "DROP TABLE other")
			sqltest.Run(t, s, "CREATE TABLE other AS SELECT i * 7 x FROM t")
		})
	}
}

// TestUserVariablesCount returns variables long texts.
func TestUserVariablesCount(t *testing.T) {
	s := limited(t, 20<<20)
	for i := range 4 { // the same variable again takes no more
		sqltest.Run(t, s, fmt.Sprintf("SET @a = REPEAT('%d', 5000000)", i))
	}
	outOfMemory(t, s, "SET @b = REPEAT('b', 5000000), @c = REPEAT('c', 5000000), @d = REPEAT('d', 5000000), @e = REPEAT('e', 5000000)")
	sqltest.Run(t, s, "SET @a = 1, @b = 1, @c = 1, @d = 1, @e = 1")
	sqltest.Run(t, s, "SET @c = REPEAT('c', 5000000), @d = REPEAT('d', 5000000)")
}

// TestSmallInsertsCount inserts rows one by one: a table's tail counts as its segments do.
func TestSmallInsertsCount(t *testing.T) {
	sqltest.NotForRaces(t)
	s := limited(t, 24<<20)
	sqltest.Run(t, s, "CREATE TABLE t (x TEXT)")
	text := "INSERT INTO t VALUES ('" + strings.Repeat("x", 40_000) + "')"
	for i := range 2000 {
		if _, _, err := s.Exec(context.Background(), text); err != nil {
			if e := sqlerr.From(err); e.Code != sqlerr.OutOfMemory {
				t.Fatal(err)
			}
			if i < 200 {
				t.Errorf("%d rows of 40 KB are too many for 24 MB", i)
			}
			sqltest.Run(t, s, "TRUNCATE TABLE t")
			sqltest.Run(t, s, text)
			return
		}
	}
	t.Error("2000 rows of 40 KB are in 24 MB")
}

// TestHeapStaysNearLimit loads table after table in place of each other: the garbage of the former
// ones must not double the heap.
func TestHeapStaysNearLimit(t *testing.T) {
	sqltest.NotForRaces(t)
	const limit = 96 << 20
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	s := limited(t, limit)
	sqltest.Run(t, s, "CREATE TABLE t AS "+series(500_000))
	peak, stop, done := uint64(0), make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	for range 6 {
		sqltest.Run(t, s, "CREATE OR REPLACE VIEW v AS SELECT 1")
		sqltest.Run(t, s, "DROP TABLE IF EXISTS big")
		sqltest.Run(t, s, "CREATE TABLE big AS SELECT i, MD5(i) x, MD5(i + 1) y FROM t")
	}
	close(stop)
	<-done
	t.Logf("the heap grew by %d MB", (int64(peak)-int64(before.HeapAlloc))>>20)
	if grown := int64(peak) - int64(before.HeapAlloc); grown > 2*limit {
		t.Errorf("the heap grew by %d MB under a limit of %d MB", grown>>20, limit>>20)
	}
}
