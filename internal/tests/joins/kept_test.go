package joins_test

import (
	"fmt"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/inside"
	"gsql/internal/sqltest"
)

// TestKeptJoins runs recursive queries whose joins build their tables once. Edges lead from
// x to 2x + 1 and 2x + 2, so that the rows that 0 leads to are all numbers below the limit.
func TestKeptJoins(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{Workers: 2})
	sqltest.Run(t, s, "CREATE TABLE d (i INT NOT NULL)")
	sqltest.Run(t, s, "INSERT INTO d VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)")
	sqltest.Run(t, s, "CREATE TABLE e AS SELECT x AS a, 2 * x + 1 AS b FROM (SELECT a.i + 10*b.i + 100*c.i + 1000*d.i AS x FROM d a, d b, d c, d) t")
	sqltest.Run(t, s, "INSERT INTO e SELECT a, b + 1 FROM e")
	sqltest.Run(t, s, "CREATE TABLE w AS SELECT b AS id, b % 7 AS g FROM e WHERE b % 3 > 0")
	queries := []struct{ sql, want string }{
		{"WITH RECURSIVE r(n) AS (SELECT 0 UNION ALL SELECT e.b FROM r JOIN e ON e.a = r.n) SELECT COUNT(*), SUM(n) FROM r", "20001|200010000"},
		{"WITH RECURSIVE r(n) AS (SELECT 0 UNION SELECT e.b FROM e JOIN r ON e.a = r.n WHERE e.b < 5000) SELECT COUNT(*), SUM(n) FROM r", "5000|12497500"},
		{"WITH RECURSIVE r(n, k) AS (SELECT 0, 0 UNION ALL SELECT e.b, k + 1 FROM r JOIN e ON e.a = r.n LEFT JOIN w ON w.id = e.b WHERE w.g IS NULL OR w.g < 7) SELECT COUNT(*), MAX(k) FROM r", "20001|14"},
		{"WITH RECURSIVE r(n) AS (SELECT 0 UNION ALL SELECT e.b FROM r JOIN e ON e.a = r.n WHERE e.b NOT IN (SELECT id FROM w)) SELECT COUNT(*) FROM r", ""},
		{"WITH RECURSIVE r(n) AS (SELECT 0 UNION ALL SELECT e.b FROM r JOIN e ON e.a = r.n AND e.b > (SELECT COUNT(*) FROM d WHERE d.i < r.n)) SELECT COUNT(*), SUM(n) FROM r", ""},
	}
	for i, q := range queries {
		if plan := fmt.Sprint(sqltest.Rows(t, s, "EXPLAIN "+q.sql)); i < 2 && !strings.Contains(plan, "built once") {
			t.Errorf("no table is kept: %s", q.sql)
		}
		want := strings.Join(sqltest.Rows(t, s, q.sql)[0], "|")
		if q.want != "" && want != q.want {
			t.Errorf("%s: got %s, want %s", q.sql, want, q.want)
		}
		for _, set := range []string{"gsql_workers = 1", "gsql_batch_size = 3", "gsql_memory_limit = 4000000", "gsql_disable_rules = 'DynamicFilters'"} {
			sqltest.Run(t, s, "SET "+set)
			if got := strings.Join(sqltest.Rows(t, s, q.sql)[0], "|"); got != want {
				t.Errorf("%s: %s with %s, else %s", q.sql, got, set, want)
			}
			name, _, _ := strings.Cut(set, " ")
			sqltest.Run(t, s, "SET "+name+" = DEFAULT")
		}
	}
	if n := inside.Of(s.DB()).MemoryUsed(); n != 0 {
		t.Errorf("%d bytes are still held", n)
	}
}
