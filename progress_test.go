package gsql_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gsql"
	"gsql/internal/sqltest"
)

// TestProgressOfScan checks that a query which returns the rows of a table is as far as its rows.
func TestProgressOfScan(t *testing.T) {
	s := watchedSession(t)
	sqltest.Run(t, s, "SET gsql_workers = 1")
	for _, c := range []struct {
		query      string
		begin, end float64 // shares after the first and at half of the rows
	}{
		{"SELECT l_orderkey, l_comment FROM lineitem", 0, 0.5},
		{"SELECT l_orderkey, l_comment FROM lineitem WHERE l_quantity > -1", 0, 0.5},
		{"SELECT l_orderkey, l_comment FROM lineitem ORDER BY l_extendedprice, l_comment", 0.6, 0.83}, // two thirds, and half of the last one
		{"SELECT l_orderkey, o_comment FROM lineitem JOIN orders ON l_orderkey = o_orderkey", 0, 0.6},
	} {
		rows, err := s.Query(context.Background(), c.query)
		if err != nil {
			t.Fatal(err)
		}
		var at []float64
		for n := 0; ; {
			b, err := rows.NextBatch()
			if err != nil {
				t.Fatal(err)
			}
			if b == nil {
				break
			}
			n += b.N
			if at = append(at, s.Progress().Done); n > 30_000 {
				at = append(at, s.Progress().Done)
				break
			}
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
		first, last := at[0], at[len(at)-1]
		if first < c.begin-0.01 || first > c.begin+0.35 || last < c.end-0.15 || last > c.end+0.15 || !slices.IsSorted(at) {
			t.Errorf("%s: %.2f after the first rows and %.2f at half, want %.2f and %.2f", c.query, first, last, c.begin, c.end)
		}
	}
}

// watchedSession returns a session over TPC-H, whose progress is watched. lineitem has 60,000 rows.
func watchedSession(t *testing.T) *gsql.Session {
	t.Helper()
	s := sqltest.Open(t, gsql.Config{Dir: t.TempDir(), Path: filepath.Join(t.TempDir(), "db")})
	sqltest.Run(t, s, "CALL gsql_tpch(0.01)")
	s.WatchProgress()
	return s
}

// TestProgressOfStatements watches statements while they run: the share never falls, comes far, and is never that of
// the end.
func TestProgressOfStatements(t *testing.T) {
	s := watchedSession(t)
	for name, c := range map[string]struct {
		sql   string
		check func(gsql.Progress) bool // holds at some time
	}{
		"join":   {"SELECT COUNT(*), SUM(LENGTH(o_comment)) FROM lineitem JOIN orders ON l_orderkey = o_orderkey WHERE l_comment LIKE '%a%e%'", nil},
		"spill":  {"SET gsql_memory_limit = '2MB'; SELECT MAX(c) FROM (SELECT l_comment AS c, ROW_NUMBER() OVER (ORDER BY l_extendedprice, l_comment) AS r FROM lineitem) AS x WHERE r > 5; SET gsql_memory_limit = DEFAULT", func(p gsql.Progress) bool { return p.Spilled > 0 }},
		"load":   {"SELECT * FROM lineitem INTO OUTFILE 'l.csv'; CREATE TABLE copied AS SELECT * FROM `l.csv`", func(p gsql.Progress) bool { return p.ToWrite > 0 }},
		"export": {"SELECT * FROM lineitem INTO OUTFILE 'l2.csv'", nil},
	} {
		stop, states := make(chan struct{}), make(chan []gsql.Progress)
		go func() {
			var all []gsql.Progress
			for tick := time.NewTicker(time.Millisecond); ; <-tick.C {
				select {
				case <-stop:
					tick.Stop()
					states <- all
					return
				default:
					all = append(all, s.Progress())
				}
			}
		}()
		sqltest.Run(t, s, c.sql)
		close(stop)
		last, most, held := 0.0, 0.0, c.check == nil
		for _, p := range <-states {
			if p.Done < last && p.Done > 0 && last < 0.5 || p.Done > 0.99 { // above, a further statement may have begun
				t.Errorf("%s: %.3f after %.3f", name, p.Done, last)
			}
			last, most, held = p.Done, max(most, p.Done), held || c.check(p)
		}
		if most < 0.5 || !held {
			t.Errorf("%s: came to %.3f; what it must show was seen: %v", name, most, held)
		}
	}
}
