package planning_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
)

// sharing are queries that have a subplan several times, and how many places read it; less
// than 2 for those that have none that may be computed once.
var sharing = []struct {
	sql  string
	uses int
}{
	{"WITH r AS (SELECT g, SUM(v) AS total FROM wide GROUP BY g) SELECT g, total FROM r WHERE total = (SELECT MAX(total) FROM r)", 2},
	{"WITH r AS (SELECT k, COUNT(*) AS n, MAX(s) AS s FROM wide GROUP BY k) SELECT a.k, a.n, b.n, b.s FROM r a JOIN r b ON b.k = a.k + 1 WHERE a.k + b.k > 9000", 2},
	{"WITH r AS (SELECT k, COUNT(*) AS n, MAX(s) AS s FROM wide GROUP BY k) SELECT COUNT(*), MAX(a.s), MIN(b.s) FROM r a LEFT JOIN r b ON b.k = a.k + 1 LEFT JOIN r c ON c.k = a.k + 2 WHERE c.n IS NOT NULL OR b.n > 3", 3},
	{"SELECT w.k, MAX(w.v * d.f) AS x FROM wide w JOIN dim d ON d.name = CONCAT('name ', w.g) WHERE d.name < 'name 5' GROUP BY w.k HAVING x > (SELECT MAX(w.v * d.f) / 2 FROM wide w JOIN dim d ON d.name = CONCAT('name ', w.g) WHERE d.name < 'name 5')", 2},
	{"SELECT (SELECT COUNT(*) FROM (SELECT DISTINCT k, v FROM wide WHERE g > 3) x) + (SELECT COUNT(*) FROM (SELECT DISTINCT k, v FROM wide WHERE g > 3) x)", 2},
	{"SELECT (SELECT COUNT(*) FROM (SELECT DISTINCT k, v FROM wide WHERE g > 3) x) + (SELECT COUNT(*) FROM (SELECT DISTINCT k, v FROM wide WHERE g > 4) x)", 0},
	{"SELECT a.g, a.c, b.c FROM (SELECT g, COUNT(*) AS c FROM wide WHERE v > RAND(3) - 1 GROUP BY g) a JOIN (SELECT g, COUNT(*) AS c FROM wide WHERE v > RAND(3) - 1 GROUP BY g) b ON a.g = b.g", 0},
	{"WITH r AS (SELECT k, g, COUNT(*) AS n FROM wide GROUP BY k, g), q AS (SELECT k, MAX(n) AS m FROM r GROUP BY k) SELECT COUNT(*), SUM(a.m + b.m * z.n) FROM q a JOIN q b ON a.k = b.k + 1 JOIN r z ON z.k = a.k + 2", 2},
	{"SELECT COUNT(*) FROM wide a WHERE v > (SELECT AVG(v) FROM wide b WHERE b.k = a.k) AND v < 2 * (SELECT AVG(v) FROM wide b WHERE b.k = a.k)", 2},
	{"WITH r AS (SELECT g, k, SUM(v) AS t, RANK() OVER (PARTITION BY g ORDER BY k) AS n, AVG(SUM(v)) OVER (PARTITION BY g) AS m FROM wide GROUP BY g, k) " +
		"SELECT COUNT(*), SUM(a.t - b.t), SUM(c.t), MAX(a.m) FROM r a JOIN r b ON b.g = a.g AND b.n = a.n + 1 JOIN r c ON c.g = a.g AND c.n = a.n - 1 WHERE a.t > a.m", 3},
	{"WITH r AS (SELECT k, v FROM wide WHERE g < 30 INTERSECT SELECT k, v FROM wide WHERE g % 2 = 1) SELECT COUNT(*), MAX(d.f), (SELECT COUNT(*) FROM r) FROM r JOIN dim d ON d.id = r.k % 60", 2},
	{"SELECT (SELECT MAX(c) FROM (SELECT k, COUNT(*) AS c FROM (SELECT k FROM wide WHERE g < 9 UNION ALL SELECT g FROM wide WHERE v < 5) u GROUP BY k) x) + (SELECT MIN(c) FROM (SELECT k, COUNT(*) AS c FROM (SELECT k FROM wide WHERE g < 9 UNION ALL SELECT g FROM wide WHERE v < 5) u GROUP BY k) x)", 2},
	{"SELECT (SELECT COUNT(*) FROM (SELECT k FROM wide EXCEPT SELECT v FROM wide) x) + (SELECT COUNT(*) FROM (SELECT v FROM wide EXCEPT SELECT k FROM wide) x)", 0},
	{"SELECT d.name, COUNT(*), MAX(c.t) FROM dim d, (SELECT g, AVG(t) AS m FROM (SELECT g, k, SUM(v) AS t FROM wide GROUP BY g, k) x GROUP BY g) b, (SELECT g, k, SUM(v) AS t FROM wide GROUP BY g, k) c " +
		"WHERE b.g = c.g AND c.t <= b.m AND d.id = b.g GROUP BY d.name", 2},
}

// TestCommonSubplans compares queries whose common subplans are computed once with the same
// where each is computed on its own, also where memory has no room to keep the rows.
func TestCommonSubplans(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{Workers: 2})
	sqltest.Run(t, s, "CREATE TABLE dim (id INT, name VARCHAR(20), f DECIMAL(6,2))")
	sqltest.Run(t, s, "INSERT INTO dim WITH RECURSIVE seq AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM seq WHERE n < 60) SELECT n, CONCAT('name ', n), n / 7 FROM seq")
	sqltest.Run(t, s, "CREATE TABLE wide (k INT, g INT, v BIGINT, s VARCHAR(20))")
	sqltest.Run(t, s, "INSERT INTO wide WITH RECURSIVE seq AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM seq WHERE n < 299), many AS (SELECT a.n * 300 + b.n AS n FROM seq a, seq b) "+
		"SELECT n * 7919 % 5003, n % 61, n * 31 % 10007, IF(n % 50 = 0, NULL, CONCAT('text ', n % 4001)) FROM many")
	sqltest.Run(t, s, "CREATE TABLE best AS "+sharing[0].sql)
	if got, want := sqltest.Rows(t, s, "SELECT * FROM best"), sqltest.Rows(t, s, sharing[0].sql); !slices.Equal(sqltest.Sorted(got), sqltest.Sorted(want)) {
		t.Errorf("a table of a query with a shared subplan: %q, want %q", got, want)
	}
	for _, q := range sharing {
		plan := fmt.Sprint(sqltest.Rows(t, s, "EXPLAIN ANALYZE "+q.sql))
		if got := strings.Count(plan, "Shared 1"); got != q.uses {
			t.Errorf("%s: %d uses of a shared subplan, want %d\n%s", q.sql, got, q.uses, strings.ReplaceAll(plan, "] [", "\n"))
		}
		got := sqltest.Sorted(sqltest.Rows(t, s, q.sql))
		sqltest.Run(t, s, "SET gsql_disable_rules = 'CommonSubplans'")
		want := sqltest.Sorted(sqltest.Rows(t, s, q.sql))
		sqltest.Run(t, s, "SET gsql_disable_rules = ''")
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%.500q, each on its own\n%.500q", q.sql, got, want)
		}
		for _, limit := range []string{"600KB", "3MB"} {
			sqltest.Run(t, s, "SET gsql_memory_limit = '"+limit+"'")
			rows, err := sqltest.TryRows(s, q.sql)
			if tight := sqltest.Sorted(rows); err == nil && !slices.Equal(tight, want) {
				t.Errorf("%s, with %s:\n%.500q, each on its own\n%.500q", q.sql, limit, tight, want)
			}
			sqltest.Run(t, s, "SET gsql_memory_limit = DEFAULT")
		}
	}
}
