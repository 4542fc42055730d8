package memory_test

import (
	"fmt"
	"os"
	"testing"

	"gsql"
	"gsql/internal/mem"
	"gsql/internal/sqltest"
)

// fillSweep makes the tables of TestMemorySweep: a chain n4, c4, o4 of joins by keys that are not
// dense, and sales of items by day, of which there are several for each item, store and month.
func fillSweep(t *testing.T, s *gsql.Session) {
	sqltest.Run(t, s, "CREATE TABLE d (i INT NOT NULL)")
	sqltest.Run(t, s, "INSERT INTO d VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)")
	sqltest.Run(t, s, "CREATE TABLE num AS SELECT a.i + 10*b.i + 100*c.i + 1000*e.i + 10000*f.i + 100000*g.i AS n FROM d a, d b, d c, d e, d f, d g WHERE g.i < 2")
	sqltest.Run(t, s, "CREATE TABLE n4 AS SELECT n AS nk, CONCAT('NM_', n) AS n_name FROM num WHERE n < 35000")
	sqltest.Run(t, s, "CREATE TABLE c4 AS SELECT n * 1000 AS ck, n % 35000 AS nk FROM num WHERE n < 100000")
	sqltest.Run(t, s, "CREATE TABLE o4 AS SELECT n AS ok, (n % 100000) * 1000 AS ck FROM num")
	sqltest.Run(t, s, "CREATE TABLE sales AS SELECT n, n * 7 % 9973 AS item, n % 11 AS store, n % 24 AS month, n % 97 AS price FROM num WHERE n < 75000")
	sqltest.Run(t, s, "CREATE TABLE item AS SELECT n AS item, CONCAT('brand ', n % 500) AS brand, CONCAT('class ', n % 13) AS class FROM num WHERE n < 9973")
	sqltest.Run(t, s, "CREATE TABLE store AS SELECT n AS store, CONCAT('store ', n) AS name FROM num WHERE n < 11")
}

// q57 has a window over a grouped join joined with itself shifted by a month either way, as query
// 57 of TPC-DS does, and q67 a rank over a rollup of a join, as query 67 does.
const (
	sweptQ57 = `WITH v AS (SELECT i.brand, i.class, t.name, s.month, SUM(s.price) AS total,
		AVG(SUM(s.price)) OVER (PARTITION BY i.brand, i.class, t.name) AS mean,
		RANK() OVER (PARTITION BY i.brand, i.class, t.name ORDER BY s.month) AS rn
		FROM sales s JOIN item i ON s.item = i.item JOIN store t ON s.store = t.store GROUP BY i.brand, i.class, t.name, s.month)
		SELECT COUNT(*), SUM(x.total), SUM(p.total), SUM(q.total), SUM(x.mean) FROM v x JOIN v p ON x.brand = p.brand AND x.class = p.class AND x.name = p.name AND x.rn = p.rn + 1
		JOIN v q ON x.brand = q.brand AND x.class = q.class AND x.name = q.name AND x.rn = q.rn - 1`
	sweptQ67 = `SELECT COUNT(*), SUM(total), SUM(rk), MIN(brand) FROM (SELECT class, brand, item, name, month, total, RANK() OVER (PARTITION BY class ORDER BY total DESC) AS rk
		FROM (SELECT i.class, i.brand, s.item, t.name, s.month, SUM(COALESCE(s.price * s.n, 0)) AS total FROM sales s JOIN item i ON s.item = i.item JOIN store t ON s.store = t.store
		GROUP BY i.class, i.brand, s.item, t.name, s.month WITH ROLLUP) x) y WHERE rk <= 100`
)

// swept are the queries of TestMemorySweep, by their shapes.
var swept = []struct{ shape, sql string }{
	{"distinct over joins", "SELECT COUNT(*), COUNT(DISTINCT n_name) FROM n4 JOIN c4 ON n4.nk = c4.nk JOIN o4 ON o4.ck = c4.ck"},
	{"sort over joins", "SELECT n_name, ok FROM n4 JOIN c4 ON n4.nk = c4.nk JOIN o4 ON o4.ck = c4.ck ORDER BY n_name, ok LIMIT 10 OFFSET 199980"},
	{"window over a join", "SELECT COUNT(*), SUM(r), SUM(s) FROM (SELECT RANK() OVER (PARTITION BY n4.nk % 100 ORDER BY n_name, ck) AS r, SUM(ck) OVER (PARTITION BY n4.nk % 77) AS s FROM n4 JOIN c4 ON n4.nk = c4.nk) w"},
	{"join over windows", "SELECT COUNT(*), SUM(x.r * y.r), MAX(n_name) FROM (SELECT nk, ck, ROW_NUMBER() OVER (PARTITION BY nk ORDER BY ck) AS r FROM c4) x JOIN (SELECT nk, n_name, RANK() OVER (PARTITION BY nk % 10 ORDER BY nk) AS r FROM n4) y ON x.nk = y.nk"},
	{"three joins", "SELECT COUNT(*), SUM(p.ok), MAX(n_name) FROM n4 JOIN c4 ON n4.nk = c4.nk JOIN o4 ON o4.ck = c4.ck JOIN o4 p ON p.ok = o4.ok"},
	{"outer and semi joins", "SELECT COUNT(*), COUNT(n_name), SUM(o4.ok) FROM o4 LEFT JOIN c4 ON o4.ck = c4.ck LEFT JOIN n4 ON n4.nk = c4.nk + 17500 WHERE EXISTS (SELECT 1 FROM c4 z WHERE z.ck = o4.ok * 500)"},
	{"full joins", "SELECT COUNT(*), COUNT(n_name), COUNT(c4.ck), COUNT(o4.ok) FROM n4 FULL JOIN c4 ON n4.nk = c4.nk + 17500 FULL JOIN o4 ON o4.ck = c4.ck + 50000000"},
	{"groups over joins", "SELECT COUNT(*), SUM(k), MAX(b) FROM (SELECT n_name, COUNT(*) AS k, MAX(o4.ok) AS b, COUNT(DISTINCT o4.ok % 1000) FROM n4 JOIN c4 ON n4.nk = c4.nk JOIN o4 ON o4.ck = c4.ck GROUP BY n_name) g"},
	{"join over groups", "SELECT COUNT(*), SUM(x.k * y.k) FROM (SELECT nk, COUNT(*) AS k FROM c4 GROUP BY nk) x JOIN (SELECT ck DIV 1000 AS nk, COUNT(*) AS k FROM o4 GROUP BY ck) y ON x.nk = y.nk"},
	{"set operations", "SELECT COUNT(*), SUM(nk) FROM (SELECT nk, n_name FROM n4 UNION SELECT ck DIV 1000, CONCAT('NM_', ck DIV 1000) FROM c4 EXCEPT SELECT ok, CONCAT('NM_', ok) FROM o4 WHERE ok % 3 = 0 INTERSECT SELECT nk, n_name FROM n4) u"},
	{"recursion with a join", "WITH RECURSIVE r AS (SELECT 0 AS a, 'x' AS s UNION SELECT (2 * r.a + d.i) % 60000, n_name FROM r JOIN d JOIN n4 ON n4.nk = r.a WHERE d.i < 2) SELECT COUNT(*), COUNT(DISTINCT s) FROM r"},
	{"group join", "SELECT COUNT(*), SUM(n), SUM(s) FROM (SELECT x.nk, COUNT(*) AS n, SUM(y.nk) AS s FROM n4 x JOIN n4 y ON y.nk > x.nk AND y.nk <= x.nk + 50 GROUP BY x.nk) z"},
	{"a key of many rows", "SELECT COUNT(*), SUM(x.n + y.nk) FROM (SELECT n, n DIV 25000 AS k FROM sales) x JOIN (SELECT nk, nk DIV 17500 AS k FROM n4 WHERE nk % 100 < 3) y ON x.k = y.k"},
	{"large lateral rows", "SELECT COUNT(*), SUM(LENGTH(x.t)), MAX(x.n) FROM n4, LATERAL (SELECT CONCAT(n4.n_name, REPEAT('x', 100)) AS t, n FROM num WHERE num.n < n4.nk * 3 ORDER BY n % 97 LIMIT 20000) x WHERE n4.nk >= 34997"},
	{"many lateral rows", "SELECT COUNT(*), SUM(LENGTH(x.t)), MAX(x.t) FROM n4 LEFT JOIN LATERAL (SELECT CONCAT(n4.n_name, ' ', name) AS t, store FROM store WHERE store.store <= n4.nk % 7 LIMIT 5) x ON x.store % 2 = n4.nk % 3 WHERE n4.nk < 6000"},
	{"a mark of many rows", "SELECT COUNT(*) FROM n4 WHERE (nk % 3 = 0 OR nk IN (SELECT s.n FROM sales s WHERE s.price + n4.nk > s.month LIMIT 3000)) AND nk < 500"},
	{"four windows", "SELECT COUNT(*), SUM(a), SUM(b), SUM(c), SUM(e) FROM (SELECT RANK() OVER (PARTITION BY c4.nk % 100 ORDER BY ok) AS a, SUM(ok) OVER (PARTITION BY ok % 77) AS b, LAG(ok) OVER (ORDER BY c4.nk, ok) AS c, MAX(ok) OVER (PARTITION BY ok % 3 ORDER BY c4.ck, ok ROWS BETWEEN 100 PRECEDING AND 50 FOLLOWING) AS e FROM c4 JOIN o4 ON o4.ck = c4.ck WHERE ok < 60000) w"},
	{"window of texts", "SELECT COUNT(*), MAX(a), MIN(b), MAX(c) FROM (SELECT FIRST_VALUE(n_name) OVER (PARTITION BY nk % 3 ORDER BY n_name DESC) AS a, MAX(CONCAT(n_name, REPEAT('y', 40))) OVER (ORDER BY nk ROWS BETWEEN 500 PRECEDING AND CURRENT ROW) AS b, NTH_VALUE(n_name, 7) OVER (PARTITION BY nk % 5 ORDER BY nk RANGE BETWEEN 100 PRECEDING AND 100 FOLLOWING) AS c FROM n4) w"},
	{"one partition", "SELECT COUNT(*), SUM(a), SUM(b), SUM(c) FROM (SELECT NTILE(7) OVER (ORDER BY ok) AS a, CUME_DIST() OVER (ORDER BY ck) AS b, COUNT(*) OVER () AS c FROM o4) w"},
	{"best of each", "SELECT COUNT(*), SUM(ok) FROM (SELECT ok, ROW_NUMBER() OVER (PARTITION BY ck ORDER BY ok DESC) AS r FROM o4) w WHERE r <= 1"},
	{"several laterals", "SELECT COUNT(*), SUM(x.s), SUM(y.s), SUM(z.s) FROM store t, LATERAL (SELECT SUM(price) AS s FROM sales WHERE sales.store <= t.store AND sales.n % 7 = t.store % 7 LIMIT 3) x, LATERAL (SELECT COUNT(DISTINCT item) AS s FROM sales WHERE sales.store > t.store AND sales.month <> t.store LIMIT 3) y, LATERAL (SELECT n AS s FROM sales WHERE sales.store <> t.store AND price + t.store > 50 ORDER BY n % 977, n DESC LIMIT 3) z"},
	{"scalar subqueries", "SELECT COUNT(*), SUM(a), SUM(b), SUM(c) FROM (SELECT (SELECT MAX(price) FROM sales WHERE sales.month < t.i * 3 AND sales.n > t.i LIMIT 1) AS a, (SELECT s.n FROM sales s WHERE s.month <> t.i ORDER BY (s.n * 7 + t.i) % 1009, s.n LIMIT 1) AS b, (SELECT COUNT(DISTINCT s.item % (10 + t.i)) FROM sales s WHERE s.store <> t.i) AS c FROM d t) q"},
	{"nested laterals", "SELECT COUNT(*), SUM(x.s) FROM store t, LATERAL (SELECT SUM(y.s) AS s FROM d, LATERAL (SELECT COUNT(DISTINCT item) AS s FROM sales WHERE sales.store <> d.i AND sales.month <> t.store LIMIT 2) y WHERE d.i < 3 LIMIT 5) x"},
	{"distinct of several", "SELECT COUNT(DISTINCT ok), COUNT(DISTINCT ck), SUM(DISTINCT ok % 5000), COUNT(DISTINCT CONCAT('a', ok)) FROM o4"},
	{"rollup of distinct", "SELECT COUNT(*), SUM(a), SUM(b) FROM (SELECT item, store, month, COUNT(DISTINCT price) AS a, SUM(n) AS b FROM sales GROUP BY item, store, month WITH ROLLUP) r"},
	{"lists", "SELECT COUNT(*), MAX(LENGTH(a)), MAX(LENGTH(b)), SUM(c) FROM (SELECT n DIV 20 AS g, GROUP_CONCAT(item ORDER BY price, n) AS a, JSON_ARRAYAGG(month) AS b, MEDIAN(price) AS c FROM sales GROUP BY g) q"},
	{"marks", "SELECT COUNT(*) FROM o4 WHERE (ok IN (SELECT ck DIV 2 FROM c4) OR ck NOT IN (SELECT nk FROM n4)) AND (ok % 7 = 1 OR EXISTS (SELECT 1 FROM c4 WHERE c4.nk = ok))"},
	{"shared subplans", "WITH c AS (SELECT ck, COUNT(*) AS n, MAX(ok) AS m FROM o4 GROUP BY ck) SELECT COUNT(*), SUM(x.n * y.m) FROM c x JOIN c y ON x.m = y.m + 1 JOIN c z ON z.ck = x.ck"},
	{"nested groups", "SELECT COUNT(*), SUM(k) FROM (SELECT g DIV 2 AS g, SUM(k) AS k FROM (SELECT g DIV 2 AS g, SUM(k) AS k FROM (SELECT g DIV 2 AS g, SUM(k) AS k FROM (SELECT n AS g, COUNT(*) AS k FROM sales GROUP BY g) a GROUP BY 1) b GROUP BY 1) c GROUP BY 1) e"},
	{"radix joins", "SELECT /*+ RADIX_JOIN(c4) RADIX_JOIN(n4) */ COUNT(*), SUM(o4.ok), MAX(n_name) FROM o4 LEFT JOIN c4 ON o4.ck = c4.ck LEFT JOIN n4 ON n4.nk = c4.nk"},
	{"q57", sweptQ57},
	{"q67", sweptQ67},
}

// everyLimit is tried instead of sweptLimits where GSQL_FOR is set.
var everyLimit = map[int][]string{
	1: {"64KB", "512KB", "4MB"},
	2: {"512KB", "2MB"},
	4: {"512KB", "4MB"},
}

// sweptLimits are the limits of TestMemorySweep by the number of workers, of which statements have
// at most one for each megabyte. 64 KB are enough for each shape, and 512 KB whatever the workers.
var sweptLimits = map[int][]string{
	1: {"64KB"},
	4: {"512KB"},
}

// slowest are shapes that run under "128KB" instead of "64KB", which take far longer.
var slowest = map[string]bool{"q57": true, "q67": true, "four windows": true, "window over a join": true}

// TestMemorySweep runs queries whose operators hold memory side by side under rising limits: each is
// enough, and answers are the same.
func TestMemorySweep(t *testing.T) {
	mem.PoisonFreed()
	s := sqltest.Open(t, gsql.Config{})
	fillSweep(t, s)
	sqltest.Run(t, s, "SET gsql_temp_directory = '"+t.TempDir()+"'")
	limits := sweptLimits
	if os.Getenv("GSQL_FOR") != "" {
		limits = everyLimit
	} else if testing.Short() {
		limits = map[int][]string{4: {"2MB", "4MB"}}
	}
	queries := swept
	if testing.Short() { // each sixth shape is enough to look for races
		queries = nil
		for i := 0; i < len(swept); i += 6 {
			queries = append(queries, swept[i])
		}
	}
	for _, q := range queries {
		sqltest.Run(t, s, "SET gsql_memory_limit = DEFAULT, gsql_workers = DEFAULT")
		want := fmt.Sprint(sqltest.Rows(t, s, q.sql))
		for workers := range limits {
			for _, limit := range limits[workers] {
				if slowest[q.shape] && limit == "64KB" {
					limit = "128KB"
				}
				sqltest.Run(t, s, fmt.Sprintf("SET gsql_memory_limit = '%s', gsql_workers = %d", limit, workers))
				got, err := sqltest.TryRows(s, q.sql)
				if err != nil {
					t.Errorf("%s, %d workers, %s: %v", q.shape, workers, limit, err)
				} else if fmt.Sprint(got) != want {
					t.Errorf("%s, %d workers, %s: %s, not %s", q.shape, workers, limit, got, want)
				}
			}
		}
	}
}
