//go:build sim

package device_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gsql"
)

// fillDivided makes tables l and r of so many rows. Their keys k are NULL in some rows; otherwise those of r are
// unique, and those of l are drawn by a skew: how many of 100 rows of l have the same key.
func fillDivided(t *testing.T, s *gsql.Session, left, right, skew int) {
	t.Helper()
	execute(t, s, "DROP TABLE IF EXISTS l; DROP TABLE IF EXISTS r")
	execute(t, s, "CREATE TABLE l (k BIGINT, i INT NOT NULL, v BIGINT NOT NULL, d DOUBLE)")
	execute(t, s, "CREATE TABLE r (k BIGINT, i INT NOT NULL, v BIGINT, d DOUBLE)")
	numbers := "WITH RECURSIVE n(j) AS (SELECT 0 UNION ALL SELECT j + 1 FROM n WHERE j < 299), m AS (SELECT a.j + 300 * b.j AS i FROM n a, n b WHERE a.j + 300 * b.j < %d) "
	execute(t, s, fmt.Sprintf("INSERT INTO l "+numbers+"SELECT IF(i %% 97 = 5, NULL, IF(i %% 100 < %d, 3, i * 7 %% %d)) * 1000000007, i, i * 1000000007, i / 4 FROM m", left, skew, max(right, 1)))
	execute(t, s, fmt.Sprintf("INSERT INTO r "+numbers+"SELECT IF(i %% 89 = 4, NULL, i) * 1000000007, i, IF(i %% 11 = 0, NULL, i * 30000000001), i / 8 FROM m", right))
}

// dividedQueries aggregate over joins of l and r.
var dividedQueries = []string{
	"SELECT /*+ RADIX_JOIN(r) */ COUNT(*), SUM(l.v), SUM(r.v), MIN(r.v), MAX(l.i), AVG(r.i), COUNT(r.v) FROM l JOIN r ON l.k = r.k",
	"SELECT /*+ RADIX_JOIN(r) */ COUNT(*), MAX(r.d), MIN(l.d), SUM(l.i) FROM l JOIN r ON l.k = r.k AND l.i % 5 <> 1",
}

// divides fills l and r, sets the devices and the memory of each, and returns a query with its answer by the CPU.
func divides(t *testing.T, s *gsql.Session, skew int, set, limit string, query int) (q string, want []string) {
	t.Helper()
	fillDivided(t, s, 20000, 15000, skew)
	q = dividedQueries[query]
	execute(t, s, "SET gsql_device = cpu")
	want = mustAnswer(t, s, q)
	execute(t, s, "SET gsql_device = '"+set+"'; SET gsql_gpu_memory_limit = '"+limit+"'")
	plan := strings.Join(mustAnswer(t, s, "EXPLAIN "+q), "\n")
	if !strings.Contains(plan, " partitions|") && !strings.Contains(plan, " partitions ") || !strings.Contains(plan, "|"+deviceSets[set]+"|") {
		t.Errorf("%s: %s is not divided\n%s", set, q, plan)
	}
	return q, want
}

// TestDivided joins inputs that do not fit 1, 2 and 4 devices, uniform and skewed, and compares the answers with the
// CPU's.
func TestDivided(t *testing.T) {
	s := simDB(t).NewSession()
	t.Cleanup(func() { execute(t, s, "SET gsql_gpu_memory_limit = '64MB'") })
	for _, tt := range []struct {
		set, limit  string
		skew, query int
	}{{"sim", "400KB", 0, 0}, {"sim:0,1", "300KB", 0, 1}, {"sim", "600KB", 40, 1}, {"sim:3,2,1,0", "280KB", 100, 0}, {"sim:0,1", "400KB", 100, 1}} {
		q, want := divides(t, s, tt.skew, tt.set, tt.limit, tt.query)
		got := strings.Join(mustAnswer(t, s, "EXPLAIN ANALYZE "+q), "\n")
		if strings.Contains(got, "ran on the CPU") || !strings.Contains(got, " pieces, divided before in ") || strings.Contains(tt.set, ",") != (strings.Contains(got, ", sent ") && strings.Contains(got, ", balance 1.")) {
			t.Errorf("%s: %s\n%s", tt.set, q, got)
		}
		if got := mustAnswer(t, s, q); !slices.Equal(got, want) || len(s.Fallbacks())+len(s.Warnings()) > 0 {
			t.Errorf("%s, skew %d: %s\n%v, fallbacks %v\nwant %v", tt.set, tt.skew, q, got, s.Warnings(), want)
		}
	}
}

// TestDividedTrouble: a lost device leaves the work to the other one, and inputs may have no partners or a single key.
func TestDividedTrouble(t *testing.T) {
	s := simDB(t).NewSession()
	t.Cleanup(func() { execute(t, s, "SET gsql_gpu_memory_limit = '64MB'") })
	q, want := divides(t, s, 0, "sim:4,5", "300KB", 0)
	simulated(5).Lose(40)
	if got := mustAnswer(t, s, q); !slices.Equal(got, want) || !strings.Contains(fmt.Sprint(s.Warnings()), "ran again on sim:4: ") || !strings.Contains(fmt.Sprint(s.Warnings()), "device sim:5 is lost") || len(s.Fallbacks()) > 0 {
		t.Errorf("without a device: %v, warnings %v, want %v", got, s.Warnings(), want)
	}
	simulated(5).Recover()
	execute(t, s, "SET gsql_device = 'sim:4,5'")
	for _, filter := range []string{" AND l.i < 0", " AND r.i = 7"} {
		execute(t, s, "SET gsql_device = cpu")
		want := mustAnswer(t, s, q+filter)
		execute(t, s, "SET gsql_device = 'sim:4,5'")
		if got := mustAnswer(t, s, q+filter); !slices.Equal(got, want) || len(s.Fallbacks()) > 0 {
			t.Errorf("%s: %v, fallbacks %v, want %v", filter, got, s.Warnings(), want)
		}
	}
}
