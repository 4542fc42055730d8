package cancel_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gsql"
	"gsql/internal/sqltest"
)

// cancelled are statements that would run for long over b, which has 200,000 rows, and over
// files of it. They are stopped one after the other in one session.
var cancelled = []struct{ name, sql string }{
	{"scan and filter", "SELECT COUNT(*) FROM b x, b y WHERE x.i + y.i = x.i * y.i"},
	{"product", "SELECT COUNT(*), SUM(x.d + y.d) FROM b x, b y WHERE MOD(x.i * y.i, 7) = MOD(x.i, 3)"},
	{"equality join", "SELECT COUNT(*) FROM b x JOIN b y ON x.g = y.g WHERE x.i <> y.i + y.g"},
	{"join of a few keys", "SELECT COUNT(y.d + x.i) FROM b x JOIN b y ON x.g = y.g WHERE x.s < y.s OR x.i < y.i"},
	{"join by a range", "SELECT COUNT(*), SUM(x.d) FROM b x JOIN b y ON x.i < y.i AND x.d > y.d WHERE x.s <> y.s"},
	{"full join", "SELECT COUNT(*), SUM(x.d + y.d) FROM b x FULL JOIN b y ON x.g = y.g AND x.i + y.i <> 7"},
	{"full join of any condition", "SELECT COUNT(*) FROM b x FULL JOIN b y ON x.i * y.i = 7 OR x.s > CONCAT(y.s, x.i)"},
	{"join by a pattern", "SELECT COUNT(*) FROM b x JOIN b y ON x.s LIKE CONCAT('%', y.s, '%')"},
	{"rows that leave", "SELECT x.i, y.i FROM b x, b y"},
	{"order by", "SELECT * FROM (SELECT x.i, y.s FROM b x JOIN b y ON x.g = y.g LIMIT 4000000) t ORDER BY s DESC, i"},
	{"group by", "SELECT x.i, y.i, COUNT(*) FROM b x JOIN b y ON x.g = y.g GROUP BY x.i, y.i"},
	{"distinct", "SELECT COUNT(DISTINCT x.i, y.i) FROM b x JOIN b y ON x.g = y.g"},
	{"group_concat", "SELECT LENGTH(GROUP_CONCAT(x.s ORDER BY y.i)) FROM b x JOIN b y ON x.g = y.g GROUP BY x.g"},
	{"windows", "SELECT SUM(r) FROM (SELECT RANK() OVER (PARTITION BY x.g ORDER BY y.d) AS r FROM b x JOIN b y ON x.g = y.g) t"},
	{"a window's frames", "SELECT SUM(m) FROM (SELECT MAX(y.d) OVER (ORDER BY x.i ROWS BETWEEN 5000 PRECEDING AND 5000 FOLLOWING) AS m FROM b x JOIN b y ON x.g = y.g) t"},
	{"recursion", "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 900000000) SELECT COUNT(*) FROM r"},
	{"recursion, distinct", "WITH RECURSIVE r(n) AS (SELECT i FROM b UNION SELECT n + 1 FROM r WHERE n < 90000000) SELECT COUNT(*) FROM r"},
	{"recursion, growing", "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r JOIN few ON f < 3 WHERE n < 90000000) SELECT COUNT(*) FROM r"},
	{"subqueries", "SELECT COUNT(*) FROM b x WHERE (SELECT MAX(y.d * x.i) FROM b y WHERE y.i <> x.i AND y.d + x.d > 7) > 1"},
	{"union", "SELECT x.i, y.f FROM b x, few y UNION SELECT x.i, y.i FROM b x, b y"},
	{"repeat", "SELECT SUM(LENGTH(REPEAT(s, 3000 + i % 7))) FROM b"},
	{"a large text", "SELECT SUM(LENGTH(REVERSE(REPLACE(REPEAT(x.s, 100000), 'a', CONCAT('b', x.i))))) FROM b x"},
	{"digests", "SELECT COUNT(*) FROM b WHERE SHA2(REPEAT(s, 20000), 512) = 'x'"},
	{"compression", "SELECT SUM(LENGTH(COMPRESS(REPEAT(CONCAT(s, i), 20000)))) FROM b"},
	{"regular expressions", "SELECT COUNT(*) FROM b WHERE REGEXP_LIKE(REPEAT(s, 3000), '(a|b|ab)*c(d|e)*$')"},
	{"replacing by regular expressions", "SELECT SUM(LENGTH(REGEXP_REPLACE(REPEAT(s, 3000), '[a-f]+', 'xy'))) FROM b"},
	{"a long expression", "SELECT COUNT(*) FROM b WHERE 'x' IN (s" + strings.Repeat(", SHA2(CONCAT(s, i), 512)", 300) + ")"},
	{"compression of short texts", "SELECT SUM(LENGTH(UNCOMPRESS(COMPRESS(s)))), COUNT(*) FROM b x JOIN few y ON TRUE"},
	{"json", "SELECT SUM(JSON_LENGTH(CONCAT('[', REPEAT(CONCAT(i, ','), 3000), '1]'))) FROM b"},
	{"json aggregates", "SELECT LENGTH(JSON_ARRAYAGG(x.s)) FROM b x JOIN b y ON x.g = y.g"},
	{"insert", "INSERT INTO w SELECT x.i * 1000 + y.g, x.s FROM b x JOIN b y ON x.g = y.g"},
	{"create as", "CREATE TABLE made AS SELECT x.i, y.s FROM b x JOIN b y ON x.g = y.g"},
	{"update", "UPDATE b SET s = REPEAT(s, 2000 + i % 9)"},
	{"update by a join", "UPDATE b x JOIN b y ON x.g = y.g SET x.d = y.d"},
	{"delete", "DELETE FROM b WHERE LENGTH(REPEAT(s, 5000)) > i % 5"},
	{"delete by a join", "DELETE x FROM b x JOIN b y ON x.g = y.g WHERE x.d < y.d"},
	{"load a CSV file", "INSERT INTO w SELECT i, s FROM `b*.csv`"},
	{"load data", "LOAD DATA INFILE 'b1.csv' INTO TABLE l FIELDS TERMINATED BY ',' IGNORE 1 LINES"},
	{"count a CSV file", "SELECT SUM(i) FROM `b*.csv`"},
	{"load a Parquet file", "INSERT INTO w SELECT i, s FROM `b*.parquet`"},
	{"checks of inserted rows", "INSERT INTO checked (s) SELECT s FROM b"},
	{"write a CSV file", "SELECT x.i, y.s FROM b x JOIN b y ON x.g = y.g INTO OUTFILE 'out.csv'"},
	{"write a Parquet file", "SELECT x.i, y.s FROM b x JOIN b y ON x.g = y.g INTO OUTFILE 'out.parquet'"},
	{"analyze", "ANALYZE TABLE huge"},
	{"create index", "CREATE UNIQUE INDEX u ON huge (k)"},
	{"add a column", "ALTER TABLE huge ADD COLUMN x TEXT AS (REPEAT(s, 200)) STORED"},
	{"change a column", "ALTER TABLE huge MODIFY COLUMN i VARCHAR(20)"},
	{"add a check", "ALTER TABLE huge ADD CHECK (LENGTH(REPEAT(s, 3000)) > 2)"},
	{"plan of a star", "SELECT COUNT(*) FROM " + star(61)},
	{"plan of a clique", "SELECT COUNT(*) FROM " + clique(24)},
	{"sleep", "SELECT SLEEP(30)"},
	{"get_lock", "SELECT GET_LOCK('held', 30)"},
}

// spilling are statements that run with little memory.
var spilling = []struct{ name, sql string }{
	{"order by on disk", "SELECT * FROM (SELECT x.i, y.s FROM b x JOIN b y ON x.g = y.g LIMIT 8000000) t ORDER BY s DESC, i"},
	{"group by on disk", "SELECT x.i, y.i, COUNT(*) FROM b x JOIN b y ON x.g = y.g GROUP BY x.i, y.i"},
	{"join on disk", "SELECT COUNT(*) FROM huge x JOIN huge y ON x.i = y.i AND x.s = y.s"},
	{"full join on disk", "SELECT COUNT(*) FROM huge x FULL JOIN huge y ON x.i < y.i AND x.i > y.i - 30 AND x.s <> y.s"},
	{"window on disk", "SELECT SUM(r) FROM (SELECT RANK() OVER (PARTITION BY x.s ORDER BY x.d) AS r FROM huge x) t"},
	{"distinct on disk", "SELECT COUNT(DISTINCT x.i, y.i) FROM b x JOIN b y ON x.g = y.g"},
}

// star joins tables with the first one, clique each with all before it.
func star(n int) string {
	out := "few t0"
	for i := 1; i < n; i++ {
		out += fmt.Sprintf(" JOIN few t%d ON t%d.f + %d = t0.f", i, i, i)
	}
	return out
}

func clique(n int) string {
	out := "few t0"
	for i := 1; i < n; i++ {
		out += fmt.Sprintf(" JOIN few t%d ON TRUE", i)
		for j := range i {
			out += fmt.Sprintf(" AND t%d.f <= t%d.f + %d", i, j, j)
		}
	}
	return out
}

// TestCancel cancels statements while they run and measures how long they continue.
func TestCancel(t *testing.T) {
	dir := t.TempDir()
	s := sqltest.Open(t, gsql.Config{Dir: dir})
	for _, sql := range []string{"CREATE TABLE few (f INT)", "INSERT INTO few VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10)",
		`CREATE TABLE b AS SELECT a.f + 10 * (c.f + 10 * (d.f + 10 * (e.f + 10 * (g.f + 10 * h.f)))) AS i, a.f * c.f AS g, e.f / (1 + d.f) + 0e0 AS d,
		 CONCAT('abcde', a.f, e.f) AS s FROM few a, few c, few d, few e, few g, few h WHERE h.f < 3`,
		"CREATE TABLE huge AS SELECT b.*, i * 10 + f AS k FROM b, few WHERE f < 5", "CREATE TABLE w (i BIGINT PRIMARY KEY, s TEXT)", "CREATE TABLE l LIKE b", "CREATE TABLE checked (s TEXT, n INT AS (LENGTH(REVERSE(REPEAT(s, 30000)))) STORED, CHECK (SHA1(REPEAT(s, 30000)) <> 'x'))", "SET cte_max_recursion_depth = 4294967295", "SET gsql_workers = 2"} {
		sqltest.Run(t, s, sql)
	}
	for i := range 4 {
		sqltest.Run(t, s, fmt.Sprintf("SELECT * FROM b INTO OUTFILE 'b%d.csv'", i))
		sqltest.Run(t, s, fmt.Sprintf("SELECT * FROM b INTO OUTFILE 'b%d.parquet'", i))
	}
	other := s.DB().NewSession()
	defer other.Close()
	sqltest.Run(t, other, "SELECT GET_LOCK('held', 1)")
	for _, c := range cancelled {
		t.Run(c.name, func(t *testing.T) {
			err := cancelOne(t, s, c.sql)
			made, _ := filepath.Glob(filepath.Join(dir, "*out*"))
			if err != nil && len(made) > 0 {
				t.Errorf("%v was left behind", made)
			}
			for _, path := range made {
				os.Remove(path)
			}
		})
	}
	sqltest.Run(t, s, "SET gsql_memory_limit = '24MB'")
	for _, c := range spilling {
		t.Run(c.name, func(t *testing.T) { cancelOne(t, s, c.sql) })
	}
}

// cancelOne runs a statement to its end or for a short time.
func cancelOne(t *testing.T, s *gsql.Session, sql string) error {
	_, err := endsSoonAfter(t, s, t.Name(), sql, 30*time.Millisecond, func() {})
	return err
}
