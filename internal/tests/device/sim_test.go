//go:build sim

package device_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"gsql"
	_ "gsql/gpu/sim" // registers the simulated device
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// What other tests run on: the simulated device, tables of these numbers of rows, TPC-H of this scale.
const (
	device = "sim"
	scale  = 0.002
)

var largest = [2]int{400, 130}

// simDB returns a database whose joins run on the simulated device one by one.
func simDB(t *testing.T) *gsql.DB {
	t.Helper()
	db, err := gsql.Open(gsql.Config{Workers: 2, Variables: map[string]string{"gsql_device": "sim", "gsql_gpu_memory_limit": "64MB", "gsql_disable_rules": "DevicePipelines"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

var joinHints = []string{"", "/*+ HASH_JOIN(r) */", "/*+ RADIX_JOIN(r) */", "/*+ MERGE_JOIN(r) */", "/*+ NL_JOIN(r) */"}

// TestSimJoins compares the answers of the simulated device with the CPU's, for each join,
// algorithm and size, twice, as the second time columns are on the device.
func TestSimJoins(t *testing.T) {
	onDevice := 0
	for _, size := range [][2]int{{0, 5}, {5, 0}, {1, 1}, {33, 257}, {400, 130}} {
		s := simDB(t).NewSession()
		fillSides(t, s, size[0], size[1])
		for _, q := range joinQueries {
			plain := fmt.Sprintf(q, "")
			execute(t, s, "SET gsql_device = cpu")
			want := mustAnswer(t, s, plain)
			execute(t, s, "SET gsql_device = sim")
			for _, hint := range joinHints {
				sql := fmt.Sprintf(q, hint)
				for range 2 {
					if got := mustAnswer(t, s, sql); !slices.Equal(got, want) {
						t.Fatalf("%v: %s\n%d rows %.300v\nwant %d %.300v", size, sql, len(got), got, len(want), want)
					}
					if f := s.Fallbacks(); len(f) > 0 {
						t.Fatalf("%s: %v ran on the CPU: %v", sql, f, s.Warnings())
					}
				}
			}
			if strings.Contains(strings.Join(mustAnswer(t, s, "EXPLAIN "+plain), "\n"), "|sim:0|") {
				onDevice++
			}
		}
	}
	if onDevice < 4*len(joinQueries) {
		t.Errorf("only %d plans use the device", onDevice)
	}
}

// TestSimVersions checks that cached columns are those of the version that is read.
func TestSimVersions(t *testing.T) {
	s := simDB(t).NewSession()
	fillSides(t, s, 100, 50)
	const sum = "SELECT COUNT(*), SUM(l.v), SUM(r.v) FROM l JOIN r ON l.k = r.k"
	for _, change := range []string{"SELECT 1", "INSERT INTO l VALUES (1000, 3, 1, 1, 1, NULL, 7, 1)", "UPDATE r SET v = v + 1", "BEGIN; DELETE FROM l WHERE id < 20", "ROLLBACK", "TRUNCATE TABLE r"} {
		execute(t, s, change)
		execute(t, s, "SET gsql_device = cpu")
		want := mustAnswer(t, s, sum)
		execute(t, s, "SET gsql_device = sim")
		for range 2 {
			if got := mustAnswer(t, s, sum); !slices.Equal(got, want) {
				t.Fatalf("after %s: %v, want %v", change, got, want)
			}
		}
	}
}

// TestSimFallback limits the device to too little memory, under each gsql_on_fallback.
func TestSimFallback(t *testing.T) {
	s := simDB(t).NewSession()
	fillSides(t, s, 200, 100)
	t.Cleanup(func() { execute(t, s, "SET gsql_gpu_memory_limit = '64MB'") })
	for _, q := range []string{"SELECT l.id, r.id FROM l JOIN r ON l.k = r.k", "SELECT COUNT(*), SUM(l.v) FROM l JOIN r ON l.k = r.k"} {
		execute(t, s, "SET gsql_device = cpu")
		want := mustAnswer(t, s, q)
		execute(t, s, "SET gsql_device = sim")
		if plan := strings.Join(mustAnswer(t, s, "EXPLAIN ANALYZE "+q), "\n"); !regexp.MustCompile(`device [0-9.]+ ms`).MatchString(plan) {
			t.Errorf("no time on the device in\n%s", plan)
		}
		execute(t, s, "SET gsql_gpu_memory_limit = 5000")
		for policy, level := range map[string]string{"allow": "Note", "warn": "Warning"} {
			execute(t, s, "SET gsql_on_fallback = "+policy)
			if got := mustAnswer(t, s, q); !slices.Equal(got, want) {
				t.Errorf("%s: %d rows, want %d", q, len(got), len(want))
			}
			if w := s.Warnings(); len(w) != 1 || w[0].Level != level || w[0].Code != uint16(sqlerr.OutOfMemory) || len(s.Fallbacks()) != 1 {
				t.Errorf("%s: warnings %v, fallbacks %v", q, w, s.Fallbacks())
			}
			if plan := strings.Join(mustAnswer(t, s, "EXPLAIN ANALYZE "+q), "\n"); !strings.Contains(plan, "ran on the CPU") {
				t.Errorf("no fallback in\n%s", plan)
			}
		}
		execute(t, s, "SET gsql_on_fallback = error")
		if _, err := sqltest.SortedLines(context.Background(), s, q); !errors.Is(err, sqlerr.OutOfMemory) {
			t.Errorf("%s: error %v", q, err)
		}
		execute(t, s, "SET gsql_on_fallback = warn")
	}
	counted := "SELECT COUNT(*) FROM information_schema.gsql_placement WHERE DEVICE = 'sim:0' AND RUNS > FELL_BACK AND FELL_BACK > 0 AND LAST_REASON LIKE 'Out of device memory%'"
	if got := mustAnswer(t, s, counted); !slices.Equal(got, []string{"1"}) {
		t.Errorf("%s operators fell back, want the join", got)
	}
}

// TestSimSessions runs several sessions on the device, some of which stop early or are
// cancelled.
func TestSimSessions(t *testing.T) {
	db := simDB(t)
	s := db.NewSession()
	fillSides(t, s, 300, 200)
	const pairs, sum = "SELECT l.id, r.id FROM l JOIN r ON l.v < r.v", "SELECT COUNT(*), SUM(l.v) FROM l JOIN r ON l.v < r.v"
	wantPairs, wantSum := mustAnswer(t, s, pairs), mustAnswer(t, s, sum)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			s := db.NewSession()
			defer s.Close()
			for range 3 {
				if got, err := sqltest.SortedLines(context.Background(), s, pairs); err != nil || !slices.Equal(got, wantPairs) {
					t.Errorf("%d rows, error %v", len(got), err)
				}
				if got, err := sqltest.SortedLines(context.Background(), s, sum); err != nil || !slices.Equal(got, wantSum) {
					t.Errorf("%v, error %v", got, err)
				}
				ctx, cancel := context.WithCancel(context.Background())
				rows, err := s.Query(ctx, pairs)
				if err != nil {
					t.Error(err)
				} else {
					if _, err := rows.NextBatch(); err != nil {
						t.Error(err)
					}
					if w%2 == 0 {
						cancel()
					}
					rows.Close()
				}
				cancel()
			}
		})
	}
	wg.Wait()
}

// TestSimSuites runs the repository's join suites on the simulated device, as pipelines and joins or
// as joins alone.
func TestSimSuites(t *testing.T) {
	for _, disabled := range []string{"", "DevicePipelines"} {
		sqltest.Suites(t, gsql.Config{Variables: map[string]string{"gsql_device": "sim", "gsql_gpu_memory_limit": "64MB", "gsql_disable_rules": disabled}}, "slt/joins", "slt/queries")
	}
}
