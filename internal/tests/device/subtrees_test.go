//go:build sim || cuda

package device_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/internal/tpch"
	"gsql/sql/sqlerr"
)

// deviceSession returns a session whose queries run on the device as far as they can.
func deviceSession(t *testing.T) *gsql.Session {
	t.Helper()
	db, err := gsql.Open(gsql.Config{Workers: 2, Variables: map[string]string{"gsql_device": device}})
	if err != nil {
		t.Fatal(err)
	}
	s := db.NewSession()
	t.Cleanup(func() { s.Close(); db.Close() })
	return s
}

// compare compares the answers of the device, twice, with those of the CPU. It reports whether the plan
// has pipelines.
func compare(t *testing.T, s *gsql.Session, sql string) bool {
	t.Helper()
	execute(t, s, "SET gsql_device = cpu")
	want := mustAnswer(t, s, sql)
	execute(t, s, "SET gsql_device = "+device)
	for range 2 {
		if got := mustAnswer(t, s, sql); !slices.Equal(got, want) {
			t.Errorf("%s\n%d rows %.300v\nwant %d %.300v", sql, len(got), got, len(want), want)
		}
		if f := s.Fallbacks(); len(f) > 0 {
			t.Errorf("%s: %v ran on the CPU: %v", sql, f, s.Warnings())
		}
	}
	return strings.Contains(strings.Join(mustAnswer(t, s, "EXPLAIN "+sql), "\n"), "Pipelines|")
}

// TestSubtrees compares queries over tables of several sizes.
func TestSubtrees(t *testing.T) {
	some, queries := 0, slices.Clone(subtreeQueries)
	for _, q := range joinQueries {
		queries = append(queries, fmt.Sprintf(q, ""))
	}
	for _, size := range [][2]int{{0, 5}, {5, 0}, {1, 1}, {33, 257}, largest} {
		s := deviceSession(t)
		fillSides(t, s, size[0], size[1])
		for _, sql := range queries {
			if compare(t, s, sql) {
				some++
			} else if size == largest {
				t.Logf("no pipelines: %s\n%s", sql, strings.Join(mustAnswer(t, s, "EXPLAIN "+sql), "\n"))
			}
		}
	}
	if some < 2*len(queries) {
		t.Errorf("only %d plans with pipelines", some)
	}
}

// TestSubtreesTPCH compares the queries of TPC-H.
func TestSubtreesTPCH(t *testing.T) {
	dir, s := t.TempDir(), deviceSession(t)
	if err := tpch.Generate(context.Background(), dir, scale, nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem"} {
		execute(t, s, fmt.Sprintf("CREATE TABLE %s AS SELECT * FROM `%s.parquet`", name, filepath.Join(dir, name)))
	}
	for q := 1; q <= 22; q++ {
		text, err := os.ReadFile(fmt.Sprintf("../../../testdata/tpch/q%02d.sql", q))
		if err != nil {
			t.Fatal(err)
		}
		sql := strings.TrimSuffix(strings.TrimSpace(string(text)), ";")
		if !compare(t, s, sql) {
			t.Errorf("query %d has no pipelines", q)
		}
		if plan := mustAnswer(t, s, "EXPLAIN "+sql); slices.ContainsFunc(plan, func(line string) bool { return strings.Contains(line, "|cpu|") }) {
			t.Errorf("query %d needs the CPU:\n%s", q, strings.Join(plan, "\n"))
		}
		launches, waits := workOf(t, s, sql)
		if launches == 0 || launches > 60 || waits == 0 || waits > 3 {
			t.Errorf("query %d: %d launches and %d waits, want at most 60 and 3", q, launches, waits)
		}
		t.Logf("query %d: %d launches, %d waits", q, launches, waits)
	}
}

// workOf returns what the pipelines of a query that has run before launch and await.
func workOf(t *testing.T, s *gsql.Session, sql string) (launches, waits int) {
	t.Helper()
	for _, found := range workIn.FindAllStringSubmatch(strings.Join(mustAnswer(t, s, "EXPLAIN ANALYZE "+sql), "\n"), -1) {
		l, errL := strconv.Atoi(found[1])
		w, errW := strconv.Atoi(found[2])
		if errL != nil || errW != nil {
			t.Fatal(found)
		}
		launches, waits = launches+l, waits+w
	}
	return launches, waits
}

var workIn = regexp.MustCompile(`Pipelines\|.*launches (\d+), waits (\d+)`)

// TestSubtreesFallback limits the device to too little memory, under each gsql_on_fallback.
func TestSubtreesFallback(t *testing.T) {
	s := deviceSession(t)
	fillSides(t, s, 400, 130)
	t.Cleanup(func() { execute(t, s, "SET gsql_gpu_memory_limit = 0") })
	const q = "SELECT l.c, COUNT(*), SUM(r.v) FROM l JOIN r ON l.k = r.k GROUP BY l.c"
	execute(t, s, "SET gsql_device = cpu")
	want := mustAnswer(t, s, q)
	execute(t, s, "SET gsql_device = "+device)
	execute(t, s, "SET gsql_gpu_memory_limit = 3000")
	for policy, level := range map[string]string{"allow": "Note", "warn": "Warning"} {
		execute(t, s, "SET gsql_on_fallback = "+policy)
		if got := mustAnswer(t, s, q); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", policy, got, want)
		}
		if w := s.Warnings(); len(w) != 1 || w[0].Level != level || len(s.Fallbacks()) != 1 || !strings.HasPrefix(s.Fallbacks()[0], "Pipelines on ") {
			t.Errorf("%s: warnings %v, fallbacks %v", policy, w, s.Fallbacks())
		}
		if plan := strings.Join(mustAnswer(t, s, "EXPLAIN ANALYZE "+q), "\n"); !strings.Contains(plan, "ran on the CPU") {
			t.Errorf("no fallback in\n%s", plan)
		}
	}
	execute(t, s, "SET gsql_on_fallback = error")
	if _, err := sqltest.SortedLines(context.Background(), s, q); !errors.Is(err, sqlerr.OutOfMemory) {
		t.Errorf("error %v", err)
	}
}

// TestVerify runs queries on the device and on the CPU, with NULLs, reals, equal rows and no rows.
func TestVerify(t *testing.T) {
	s := deviceSession(t)
	fillSides(t, s, 400, 130)
	queries := []string{
		"SELECT l.c, COUNT(*), SUM(r.v), AVG(l.v) FROM l JOIN r ON l.k = r.k GROUP BY l.c",
		"SELECT l.k, l.v + 0.5e0 FROM l JOIN r ON l.k = r.k",
		"SELECT SUM(l.v * 1.1e0) FROM l JOIN r ON l.k = r.k WHERE l.v > ?",
		"SELECT l.k FROM l JOIN r ON l.k = r.k WHERE l.v > 1000000",
	}
	execute(t, s, "SET gsql_device = cpu")
	var want [][]string
	for _, sql := range queries {
		want = append(want, mustAnswer(t, s, strings.ReplaceAll(sql, "?", "3")))
	}
	execute(t, s, "SET gsql_verify = on, gsql_device = "+device)
	for i, sql := range queries {
		runs := mustAnswer(t, s, "SELECT SUM(runs) FROM information_schema.gsql_placement")
		for range 3 { // the plan of the last is one made before
			if got := mustAnswer(t, s, strings.ReplaceAll(sql, "?", "3")); !slices.Equal(got, want[i]) || len(s.Warnings()) > 0 {
				t.Errorf("%s: %.300v, warnings %v, want %.300v", sql, got, s.Warnings(), want[i])
			}
		}
		if after := mustAnswer(t, s, "SELECT SUM(runs) FROM information_schema.gsql_placement"); slices.Equal(runs, after) {
			t.Errorf("%s did not run on the device", sql)
		}
	}
}

// TestSubtreesOfPreparedStatements checks plans that are kept and run with other values.
func TestSubtreesOfPreparedStatements(t *testing.T) {
	s := deviceSession(t)
	fillSides(t, s, 400, 130)
	for _, sql := range []string{
		"SELECT c, COUNT(*), SUM(v + %d) FROM l WHERE k > %d GROUP BY c",
		"SELECT l.c, MIN(r.v) FROM l JOIN r ON l.k = r.k AND r.v > %d WHERE l.v < %d GROUP BY l.c",
		"SELECT id FROM l WHERE v IN (%d, %d)",
	} {
		for i := range 6 {
			compare(t, s, fmt.Sprintf(sql, 3*i-5, 20-7*i))
		}
	}
}

// TestSubtreesTexts compares texts of two columns, which have dictionaries of their own, and NULLs.
func TestSubtreesTexts(t *testing.T) {
	s := deviceSession(t)
	execute(t, s, "CREATE TABLE x (s VARCHAR(20), n INT); INSERT INTO x VALUES ('zz', 1), ('a', 2), (NULL, 3)")
	execute(t, s, "CREATE TABLE y (s VARCHAR(20), n INT); INSERT INTO y VALUES ('a', 1), ('b', 2), (NULL, 3), ('', 4)")
	for _, op := range []string{"=", "<>", "<", ">=", "<=>"} {
		compare(t, s, "SELECT COUNT(*) FROM x JOIN y ON x.s "+op+" y.s AND x.n < 3")
		compare(t, s, "SELECT x.n, y.n FROM x JOIN y ON x.n <> y.n + 7 AND NOT (x.s "+op+" y.s)")
		compare(t, s, "SELECT a.n, b.n FROM y a JOIN y b ON a.n <> b.n + 7 AND a.s "+op+" b.s")
	}
}
