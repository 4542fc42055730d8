//go:build sim || cuda

package device_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gsql"
)

// fillPasses makes big and dim, a table w of sparse unique keys, most of them those of big.v, and a table m in
// which each key is there three times.
func fillPasses(t *testing.T, s *gsql.Session, rows int) {
	t.Helper()
	fillStreams(t, s, rows)
	numbers := "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %d) "
	execute(t, s, "CREATE TABLE w (v BIGINT NOT NULL, a INT NOT NULL, b BIGINT NOT NULL)")
	execute(t, s, fmt.Sprintf("INSERT INTO w "+numbers+"SELECT i * 3 * 1000003 - 5000000000, i %% 100, i * 1000000007 FROM n", rows/2))
	execute(t, s, "CREATE TABLE m (v BIGINT, a INT)")
	execute(t, s, fmt.Sprintf("INSERT INTO m "+numbers+"SELECT IF(i %% 50 = 0, NULL, i %% %d * 2 * 1000003 - 5000000000), i %% 100 FROM n", rows/2, rows/6))
}

// passing are joins by sparse keys, whose indexes are large.
var passing = []string{
	"SELECT COUNT(*), SUM(b.id) FROM big b JOIN w ON b.v = w.v",
	"SELECT w.a, COUNT(*), SUM(b.id) FROM big b JOIN w ON b.v = w.v GROUP BY w.a",
	"SELECT COUNT(*), COUNT(w.v), SUM(w.a) FROM big b LEFT JOIN w ON IF(b.k IS NULL, NULL, b.v) = w.v",
	"SELECT COUNT(*), SUM(id) FROM big b WHERE EXISTS (SELECT 1 FROM w WHERE w.v = b.v)",
	"SELECT COUNT(*), SUM(id) FROM big b WHERE NOT EXISTS (SELECT 1 FROM w WHERE w.v = IF(b.k IS NULL, NULL, b.v))",
	"SELECT b.id, w.b FROM big b JOIN w ON b.v = w.v WHERE b.k < 20 AND w.a < 30",
	"SELECT d.g, COUNT(*), SUM(b.id) FROM big b JOIN w ON b.v = w.v JOIN dim d ON b.k = d.k GROUP BY d.g",
	"SELECT COUNT(*), SUM(m.a), SUM(b.id) FROM big b JOIN m ON b.v = m.v",
	"SELECT COUNT(*), SUM(id) FROM big WHERE v NOT IN (SELECT v FROM m WHERE v IS NOT NULL)",
	"SELECT COUNT(*), SUM(id) FROM big WHERE v NOT IN (SELECT v FROM m) OR k < 9",
}

// TestPasses runs joins whose indexes do not fit the device's memory.
func TestPasses(t *testing.T) {
	s := deviceSession(t)
	fillPasses(t, s, 30000)
	t.Cleanup(func() { execute(t, s, "SET gsql_gpu_memory_limit = DEFAULT") })
	some := 0
	for _, limit := range []string{"200KB", "280KB"} {
		execute(t, s, "SET gsql_gpu_memory_limit = '"+limit+"'")
		for i, q := range passing {
			if limit != "200KB" && i%3 > 0 { // the kernels are slow here
				continue
			}
			execute(t, s, "SET gsql_device = cpu")
			want := mustAnswer(t, s, q)
			execute(t, s, "SET gsql_device = "+device)
			got := mustAnswer(t, s, q)
			if !slices.Equal(got, want) {
				t.Errorf("%s\n%d rows %.300v\nwant %d %.300v", q, len(got), got, len(want), want)
			}
			fell := s.Fallbacks()
			plan := strings.Join(mustAnswer(t, s, "EXPLAIN "+q), "\n")
			if strings.Contains(plan, " passes") && strings.Contains(plan, "pieces") && len(fell) == 0 {
				some++
			}
		}
	}
	if some < len(passing) {
		t.Errorf("%d joins took passes", some)
	}
}
