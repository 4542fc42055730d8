//go:build sim

package device_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestMatrixPieces runs theta joins whose inputs do not fit the device's memory, as an aggregate and as rows.
func TestMatrixPieces(t *testing.T) {
	s := simDB(t).NewSession()
	t.Cleanup(func() { execute(t, s, "SET gsql_gpu_memory_limit = '64MB'") })
	execute(t, s, "SET gsql_device = cpu")
	execute(t, s, "SET cte_max_recursion_depth = 1000000")
	numbers := "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %d) "
	execute(t, s, "CREATE TABLE tl (a BIGINT NOT NULL); CREATE TABLE tr (a BIGINT NOT NULL)")
	execute(t, s, fmt.Sprintf("INSERT INTO tl "+numbers+"SELECT i * 7919 %% 14009 * 10000000000 FROM n", 14000))
	execute(t, s, fmt.Sprintf("INSERT INTO tr "+numbers+"SELECT i * 104729 %% 12007 * 15000000000 FROM n", 12000))
	for _, q := range []string{
		"SELECT /*+ NL_JOIN(tr) */ COUNT(*), SUM(tl.a), MAX(tr.a) FROM tl JOIN tr ON tl.a > tr.a",
		"SELECT /*+ NL_JOIN(tr) */ tl.a, tr.a FROM tl JOIN tr ON tl.a > tr.a + 138000000000000",
		"SELECT /*+ NL_JOIN(tr) */ tl.a, tr.a FROM tl LEFT JOIN tr ON tl.a > tr.a + 138000000000000",
	} {
		execute(t, s, "SET gsql_device = cpu")
		want := mustAnswer(t, s, strings.Replace(q, "/*+ NL_JOIN(tr) */ ", "", 1))
		execute(t, s, "SET gsql_device = sim")
		for _, limit := range []string{"200KB", "64MB"} {
			execute(t, s, "SET gsql_gpu_memory_limit = '"+limit+"'")
			plan := strings.Join(mustAnswer(t, s, "EXPLAIN "+q), "\n")
			if cut := strings.Contains(plan, " pieces of "); cut != (limit == "200KB") || !strings.Contains(plan, "|sim:0|") {
				t.Errorf("%s: in pieces: %t\n%s", limit, cut, plan)
			}
			if got := mustAnswer(t, s, q); !slices.Equal(got, want) || len(want) == 0 {
				t.Errorf("%s: %s\n%d rows %.300v\nwant %d %.300v", limit, q, len(got), got, len(want), want)
			}
			if f := s.Fallbacks(); len(f) > 0 {
				t.Errorf("%s: %s: %v ran on the CPU: %v", limit, q, f, s.Warnings())
			}
		}
	}
}
