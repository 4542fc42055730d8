package planning_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
)

// TestDynamicFilters compares queries whose joins pass the keys they need to scans with the same
// queries without such filters, and checks that filters were planned where possible and that rows
// were dropped.
func TestDynamicFilters(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{Workers: 2})
	sqltest.Run(t, s, "CREATE TABLE few (id INT PRIMARY KEY, k INT, u BIGINT UNSIGNED, d DECIMAL(12,2), f DOUBLE, s VARCHAR(20), t DATE, g INT NOT NULL)")
	sqltest.Run(t, s, "CREATE TABLE many LIKE few")
	const row = `SELECT n, NULLIF(n * 7919 % 4001, 17), 18446744073709551615 - n * 31 % 5003, (n * 13 % 4999) / 4 - 100, (n * 17 % 4507) / 8 - 50,
		IF(n % 97 = 0, NULL, CONCAT('key ', n * 11 % 4003)), DATE_ADD('2000-01-01', INTERVAL n * 3 % 3001 DAY), n % 40 FROM `
	sqltest.Run(t, s, "INSERT INTO few WITH RECURSIVE seq AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM seq WHERE n < 400) "+row+"seq")
	sqltest.Run(t, s, "INSERT INTO many WITH RECURSIVE seq AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM seq WHERE n < 249), many AS (SELECT a.n * 250 + b.n AS n FROM seq a, seq b) "+row+"many")
	filtered, asked := 0, 0
	for i, k := range []string{"id", "k", "u", "d", "f", "s", "t"} {
		for j, q := range dynamicQueries {
			if j%3 == i%3 || k == "k" || k == "s" {
				q = strings.ReplaceAll(q, "KEY", k)
				asked++
				filtered += compareDynamic(t, s, q)
			}
		}
	}
	t.Logf("%d of %d queries had dynamic filters", filtered, asked)
	if filtered < asked*2/3 {
		t.Errorf("%d of %d queries had dynamic filters", filtered, asked)
	}
}

// TestFilterOfLeftSide checks that joins that hold both sides make their filter from the side that
// saves more: a sort-merge or range join read the large right side first.
func TestFilterOfLeftSide(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{Workers: 1})
	sqltest.Run(t, s, "CREATE TABLE few (id INT, g INT); CREATE TABLE many LIKE few")
	sqltest.Run(t, s, "INSERT INTO few WITH RECURSIVE seq AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM seq WHERE n < 99) SELECT n, n FROM seq")
	sqltest.Run(t, s, "INSERT INTO many WITH RECURSIVE seq AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM seq WHERE n < 599) SELECT a.n * 600 + b.n, b.n FROM seq a, seq b")
	for hint, on := range map[string]string{"MERGE_JOIN": "m.id = a.id", "RANGE_JOIN": "m.id = a.id AND m.g >= a.g - 5"} {
		for _, from := range []string{"few a STRAIGHT_JOIN many m", "many m STRAIGHT_JOIN few a"} {
			query := "SELECT /*+ " + hint + "(m, a) */ COUNT(*) FROM " + from + " ON " + on + " WHERE a.g < 10"
			plan := sqltest.Lines(sqltest.Rows(t, s, "EXPLAIN ANALYZE "+query))
			if !strings.Contains(plan, "makes dynamic filter 1: a.id") {
				t.Errorf("%s:\n%s", query, plan)
			}
			if got := sqltest.Rows(t, s, query)[0][0]; got != "10" {
				t.Errorf("%s: %s", query, got)
			}
		}
	}
}

// dynamicQueries are queries in which rows of few, found by their g, look for partners.
var dynamicQueries = []string{
	"SELECT COUNT(*), SUM(m.g), MIN(m.s) FROM few a JOIN many m ON m.KEY = a.KEY WHERE a.g < 2",
	"SELECT COUNT(*), SUM(m.g) FROM few a JOIN many m ON m.KEY = a.KEY AND m.g = a.g WHERE a.g < 3 AND m.d > 0",
	"SELECT COUNT(*), SUM(m.g), SUM(m.KEY IS NULL) FROM few a JOIN many m ON m.KEY <=> a.KEY WHERE a.g < 4",
	"SELECT /*+ RANGE_JOIN(m) */ COUNT(*), SUM(m.g) FROM many m JOIN few a ON m.KEY = a.KEY AND m.id >= a.id WHERE a.g < 3",
	"SELECT /*+ RANGE_JOIN(m) */ a.id, COUNT(m.id) FROM many m JOIN few a ON m.KEY <=> a.KEY AND m.s > a.s WHERE a.g < 3 GROUP BY a.id",
	"SELECT /*+ MERGE_JOIN(m) */ COUNT(*), SUM(m.g) FROM few a STRAIGHT_JOIN many m ON m.KEY = a.KEY WHERE a.g < 3",
	"SELECT /*+ MERGE_JOIN(a) */ COUNT(*), SUM(m.g) FROM many m STRAIGHT_JOIN few a ON m.KEY <=> a.KEY AND m.id > a.id WHERE a.g < 3",
	"SELECT /*+ RANGE_JOIN(m) */ COUNT(*), SUM(m.g) FROM few a STRAIGHT_JOIN many m ON m.KEY = a.KEY AND m.id >= a.id WHERE a.g < 3",
	"SELECT COUNT(*), COUNT(m.id), SUM(m.g) FROM few a LEFT JOIN many m ON m.KEY = a.KEY WHERE a.g = 1",
	"SELECT COUNT(*), SUM(m.g) FROM many m WHERE m.KEY IN (SELECT KEY FROM few WHERE g = 2)",
	"SELECT COUNT(*), SUM(m.g) FROM many m WHERE m.KEY NOT IN (SELECT KEY FROM few WHERE g = 2 AND KEY IS NOT NULL)",
	"SELECT COUNT(*), SUM(m.g) FROM many m WHERE m.KEY NOT IN (SELECT KEY FROM few WHERE g < 20)",
	"SELECT COUNT(*), SUM(a.id) FROM few a WHERE a.g < 3 AND EXISTS (SELECT * FROM many m WHERE m.KEY = a.KEY AND m.id <> a.id)",
	"SELECT COUNT(*), SUM(a.id) FROM few a WHERE a.g < 3 AND NOT EXISTS (SELECT * FROM many m WHERE m.KEY = a.KEY AND m.id > 400)",
	"SELECT a.id, (SELECT COUNT(*) FROM many m WHERE m.KEY = a.KEY), (SELECT SUM(m.g) FROM many m WHERE m.KEY = a.KEY) FROM few a WHERE a.g = 3",
	"SELECT SUM(a.id) FROM few a WHERE a.g < 3 AND a.g * 10 < (SELECT AVG(m.g) FROM many m WHERE m.KEY = a.KEY)",
	"SELECT a.id, x.n FROM few a JOIN (SELECT KEY AS k1, COUNT(*) AS n, MAX(t) FROM many GROUP BY KEY HAVING n > 1) x ON x.k1 = a.KEY WHERE a.g < 3",
	"SELECT a.id, x.n FROM few a LEFT JOIN (SELECT KEY AS k1, g, COUNT(*) AS n FROM many GROUP BY KEY, g) x ON x.k1 = a.KEY AND x.g < 20 WHERE a.g < 2",
	"SELECT a.id, COUNT(*), SUM(x.g) FROM few a JOIN (SELECT KEY AS k1, g FROM many UNION ALL SELECT KEY, id FROM many WHERE g < 9) x ON x.k1 = a.KEY WHERE a.g < 3 GROUP BY a.id",
	"SELECT a.id, COUNT(*) FROM few a JOIN (SELECT KEY AS k1, g FROM many UNION SELECT KEY, 1 FROM many WHERE g < 9) x ON x.k1 = a.KEY WHERE a.g < 3 GROUP BY a.id",
	"SELECT a.id, COUNT(*) FROM few a JOIN (SELECT KEY AS k1 FROM many EXCEPT SELECT KEY FROM many WHERE g < 9) x ON x.k1 = a.KEY WHERE a.g < 3 GROUP BY a.id",
	"SELECT a.id, COUNT(*), SUM(p.g), COUNT(q.id) FROM few a JOIN (many p LEFT JOIN many q ON q.id = p.id + 1 AND q.g < 5) ON p.KEY = a.KEY WHERE a.g < 2 GROUP BY a.id",
	"SELECT a.id, COUNT(*), SUM(p.g), COUNT(q.id) FROM few a JOIN (many p LEFT JOIN many q ON q.id = p.id + 1 AND q.g < 5) ON q.KEY = a.KEY WHERE a.g < 2 GROUP BY a.id",
	"SELECT a.id, COUNT(*), SUM(p.g), COUNT(q.id) FROM few a JOIN (many p LEFT JOIN many q ON q.KEY = p.KEY AND q.g < 5) ON q.KEY <=> a.KEY WHERE a.g < 2 GROUP BY a.id",
	"SELECT a.id, COUNT(*), SUM(p.g), COUNT(q.id) FROM few a JOIN (many p LEFT JOIN many q ON q.KEY = p.KEY AND q.g < 5) ON p.KEY <=> a.KEY WHERE a.g < 2 GROUP BY a.id",
	"SELECT a.id, COUNT(*), SUM(p.g), COUNT(q.id) FROM few a JOIN (many p FULL JOIN many q ON q.id = p.id + 1 AND q.g < 5) ON q.KEY <=> a.KEY WHERE a.g < 2 GROUP BY a.id",
	"SELECT a.id, COUNT(*), SUM(p.g), COUNT(q.id) FROM few a JOIN (many p FULL JOIN many q ON q.id = p.id + 1 AND q.g < 5) ON p.KEY = a.KEY AND p.id + q.id > 0 WHERE a.g < 2 GROUP BY a.id",
	"SELECT COUNT(*), COUNT(a.id), SUM(m.g) FROM few a FULL JOIN many m ON m.KEY = a.KEY AND a.g < 2",
	"SELECT a.id, COUNT(*), SUM(p.g) FROM few a JOIN many p ON p.KEY = a.KEY WHERE a.g < 2 AND NOT EXISTS (SELECT * FROM many q WHERE q.KEY = p.KEY AND q.g = p.g + 1) GROUP BY a.id",
	"SELECT a.id, p.g, ROW_NUMBER() OVER (PARTITION BY a.id ORDER BY p.id) FROM few a JOIN many p ON p.KEY = a.KEY WHERE a.g < 2",
	"SELECT a.id, x.r FROM few a JOIN (SELECT KEY AS k1, ROW_NUMBER() OVER (ORDER BY id) AS r FROM many) x ON x.k1 = a.KEY WHERE a.g = 1",
	"SELECT a.id, x.r FROM few a JOIN (SELECT KEY AS k1, id AS r FROM many ORDER BY id DESC LIMIT 30000) x ON x.k1 = a.KEY WHERE a.g = 1",
	"SELECT a.id, x.r FROM few a JOIN (SELECT -p.g AS r, p.KEY AS k1 FROM many p JOIN many q ON p.id = q.id WHERE q.g > 3) x ON x.k1 = a.KEY WHERE a.g = 1",
	"SELECT COUNT(*), SUM(m.g) FROM few a JOIN many m ON m.KEY = a.KEY WHERE a.g > 100",
	"SELECT COUNT(*), SUM(n.g) FROM few a JOIN many m ON m.KEY = a.KEY JOIN many n ON n.id = m.id + a.g WHERE a.g < 2",
}

// compareDynamic runs a query with and without dynamic filters, and reports whether it had
// some.
func compareDynamic(t *testing.T, s *gsql.Session, sql string) int {
	t.Helper()
	got := sqltest.Sorted(sqltest.Rows(t, s, sql))
	plan := fmt.Sprint(sqltest.Rows(t, s, "EXPLAIN ANALYZE "+sql))
	sqltest.Run(t, s, "SET gsql_memory_limit = '3MB'")
	tight, err := sqltest.TryRows(s, sql)
	sqltest.Run(t, s, "SET gsql_memory_limit = DEFAULT")
	sqltest.Run(t, s, "SET gsql_disable_rules = 'DynamicFilters'")
	want := sqltest.Sorted(sqltest.Rows(t, s, sql))
	sqltest.Run(t, s, "SET gsql_disable_rules = ''")
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%.500q, without dynamic filters\n%.500q", sql, got, want)
	}
	if tight := sqltest.Sorted(tight); err == nil && !slices.Equal(tight, want) {
		t.Errorf("%s, with little memory:\n%.500q, without dynamic filters\n%.500q", sql, tight, want)
	}
	if !strings.Contains(plan, "makes dynamic filter") {
		return 0
	}
	if !strings.Contains(plan, "dropped by dynamic filters") && !strings.Contains(plan, "by key: ") && !strings.Contains(sql, "a.g > 100") { // then nothing is read
		t.Errorf("%s: no row was dropped", sql)
	}
	return 1
}

// TestDynamicBounds compares top-Ns that tell scans what they have no more use for with the
// same without that. The orders are total, so that the rows are the same.
func TestDynamicBounds(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{Workers: 2})
	sqltest.Run(t, s, "CREATE TABLE line (id INT, k INT, u BIGINT UNSIGNED, d DECIMAL(12,2), f DOUBLE, s VARCHAR(20), t DATE, e ENUM('x', 'a', 'm'))")
	sqltest.Run(t, s, "CREATE TABLE side (ref INT, v INT)")
	sqltest.Run(t, s, `INSERT INTO line WITH RECURSIVE seq AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM seq WHERE n < 299), many AS (SELECT a.n * 300 + b.n AS n FROM seq a, seq b)
		SELECT n, NULLIF(n * 7919 % 40001, 17), IF(n % 9000 = 5, NULL, 18446744073709551615 - n * 31 % 50003), (n * 13 % 49999) / 4 - 100, IF(n % 3 = 0, NULL, (n * 17 % 45007) / 8 - 50),
		CONCAT('key ', n * 11 % 40003), DATE_ADD('2000-01-01', INTERVAL n * 3 % 3001 DAY), ELT(1 + n % 3, 'x', 'a', 'm') FROM many`)
	sqltest.Run(t, s, "INSERT INTO side SELECT id * 3, id FROM line WHERE id < 5000")
	bounded := 0
	queries := []string{
		"SELECT * FROM line ORDER BY KEY LIMIT 5",
		"SELECT * FROM line ORDER BY KEY LIMIT 7 OFFSET 100",
		"SELECT id, KEY, k + 1 AS x FROM line WHERE id % 7 > 1 ORDER BY KEY, t LIMIT 20",
		"SELECT l.*, v FROM line l JOIN side ON side.ref = l.id ORDER BY KEY, v DESC LIMIT 10",
		"SELECT l.*, v FROM line l LEFT JOIN side ON side.ref = l.id ORDER BY KEY LIMIT 10",
		"SELECT l.*, v FROM side LEFT JOIN line l ON side.ref = l.id + 100000 ORDER BY KEY LIMIT 10",
		"SELECT * FROM line l WHERE NOT EXISTS (SELECT * FROM side WHERE side.ref = l.id) ORDER BY KEY LIMIT 10",
		"SELECT KEY2, COUNT(*) FROM line GROUP BY KEY2 ORDER BY KEY LIMIT 10",
		"SELECT id, SUM(id) OVER (PARTITION BY t) FROM line ORDER BY KEY LIMIT 10",
	}
	for _, k := range []string{"id", "k", "u", "d", "f", "s", "t", "e"} {
		for i, q := range queries {
			if i > 1 && (i+len(k))%3 == 0 {
				continue
			}
			for _, desc := range []string{"", " DESC"} {
				sql := strings.ReplaceAll(strings.ReplaceAll(q, "KEY2", k), "ORDER BY KEY", "ORDER BY "+k+desc)
				switch sql = strings.ReplaceAll(sql, "KEY", k); {
				case strings.Contains(sql, "l.*, v"):
					sql = strings.Replace(sql, " LIMIT", ", id, v LIMIT", 1)
				case !strings.Contains(sql, "GROUP BY"):
					sql = strings.Replace(sql, " LIMIT", ", id LIMIT", 1)
				}
				bounded += compareBound(t, s, sql)
			}
		}
	}
	if bounded < 30 {
		t.Errorf("%d queries had dynamic bounds", bounded)
	}
}

// compareBound runs a query with and without dynamic bounds, and reports whether it had one.
func compareBound(t *testing.T, s *gsql.Session, sql string) int {
	t.Helper()
	got := sqltest.Rows(t, s, sql)
	plan := fmt.Sprint(sqltest.Rows(t, s, "EXPLAIN "+sql))
	sqltest.Run(t, s, "SET gsql_disable_rules = 'DynamicFilters'")
	want := sqltest.Rows(t, s, sql)
	sqltest.Run(t, s, "SET gsql_disable_rules = ''")
	if !slices.EqualFunc(got, want, func(a, b []string) bool { return slices.Equal(a, b) }) {
		t.Errorf("%s:\n%.500q, without dynamic bounds\n%.500q", sql, got, want)
	}
	if strings.Contains(plan, "dynamic bound") {
		return 1
	}
	return 0
}
