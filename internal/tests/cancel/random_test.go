package cancel_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// randomTables creates big of n*n rows, eighth with each eighth of them, and tables for inserted rows.
func randomTables(t *testing.T, n int) *gsql.Session {
	t.Helper()
	s := sqltest.Open(t, gsql.Config{Dir: t.TempDir()})
	for _, sql := range []string{
		"SET cte_max_recursion_depth = 4294967295",
		fmt.Sprintf(`CREATE TABLE big AS WITH RECURSIVE d(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM d WHERE i + 1 < %[1]d),
			n AS (SELECT a.i * %[1]d + b.i AS k FROM d a JOIN d b)
			SELECT k, k * 104729 %% 1000 AS v, k * 7919 %% 4000037 AS r, CONCAT('s', k * 104729 %% 1000003) AS s, k * 104729 %% 1000003 / 7e0 AS d FROM n`, n),
		"CREATE TABLE eighth AS SELECT * FROM big WHERE k % 8 = 3",
		"CREATE TABLE keyed (k BIGINT PRIMARY KEY, s TEXT)", "INSERT INTO keyed SELECT k, s FROM big", "SET gsql_workers = 2",
		"CREATE TABLE pk (k BIGINT PRIMARY KEY, s TEXT)", "CREATE TABLE tpk (s VARCHAR(100) PRIMARY KEY)",
	} {
		sqltest.Run(t, s, sql)
	}
	return s
}

// side returns the square root of the rows of table big: few in short runs, and many where GSQL_FOR
// asks for a long run.
func side() int {
	switch {
	case os.Getenv("GSQL_FOR") != "":
		return 2000
	case testing.Short():
		return 300
	}
	return 1000
}

// undone removes what statements of anytime have committed, which define tables.
var undone = []string{"DROP TABLE IF EXISTS made", "DROP INDEX u ON big", "ALTER TABLE big DROP COLUMN g"}

// onDisk are statements over big whose rows do not fit in little memory.
var onDisk = []struct{ name, sql string }{
	{"hash join", "SELECT /*+ HASH_JOIN(b) */ SUM(a.v+b.v), MAX(b.s) FROM big a JOIN big b ON a.r = b.k"},
	{"radix join", "SELECT /*+ RADIX_JOIN(b) */ SUM(a.v+b.v), MAX(b.s) FROM big a JOIN big b ON a.r = b.r"},
	{"merge join", "SELECT /*+ MERGE_JOIN(b) */ SUM(a.v+b.v), MAX(b.s) FROM big a JOIN big b ON a.s = b.s"},
	{"range join", "SELECT /*+ RANGE_JOIN(b) */ SUM(b.v), MAX(a.s) FROM big a JOIN big b ON a.r BETWEEN b.r AND b.r+3 AND a.s <> b.s"},
	{"nested loop", "SELECT COUNT(*) FROM big a JOIN big b ON a.k * b.v % 7 = 3 AND a.s > b.s"},
	{"left join", "SELECT COUNT(b.k) FROM big a LEFT JOIN big b ON a.r = b.r AND a.v > b.v AND a.s > b.s"},
	{"full join", "SELECT COUNT(*) FROM big a FULL JOIN big b ON a.r = b.r AND a.v < b.v"},
	{"not exists", "SELECT COUNT(*) FROM big a WHERE NOT EXISTS (SELECT 1 FROM big b WHERE a.r = b.r AND a.v > b.v AND a.s > b.s)"},
	{"group join", "SELECT SUM(c) FROM (SELECT a.k, COUNT(*) c FROM big a JOIN big b ON a.r < b.r GROUP BY a.k) t"},
	{"sort", "SELECT * FROM big ORDER BY s, v LIMIT 10, 4000000"},
	{"top-n", "SELECT * FROM big ORDER BY s, v LIMIT 50000"},
	{"group by", "SELECT s, r, COUNT(*), SUM(v) FROM big GROUP BY s, r"},
	{"rollup", "SELECT r, s, COUNT(*) FROM big GROUP BY r, s WITH ROLLUP"},
	{"distinct values", "SELECT v % 3, COUNT(DISTINCT r), COUNT(DISTINCT s) FROM big GROUP BY v % 3"},
	{"medians", "SELECT v % 3, MEDIAN(r), MEDIAN(d) FROM big GROUP BY v % 3"},
	{"group_concat", "SELECT v % 100, GROUP_CONCAT(s ORDER BY r) FROM big GROUP BY v % 100"},
	{"windows of partitions", "SELECT SUM(x) FROM (SELECT RANK() OVER (PARTITION BY s ORDER BY r) x FROM big) t"},
	{"windows of one partition", "SELECT SUM(x), SUM(y), MAX(z) FROM (SELECT SUM(v) OVER (ORDER BY r) x, SUM(d) OVER (ORDER BY r ROWS BETWEEN 100 PRECEDING AND UNBOUNDED FOLLOWING) y, MAX(s) OVER (ORDER BY r ROWS BETWEEN 1000 PRECEDING AND 1000 FOLLOWING) z FROM big) t"},
	{"union", "SELECT COUNT(*) FROM (SELECT s FROM big UNION SELECT CONCAT(s, 'x') FROM big) t"},
	{"except all", "SELECT COUNT(*) FROM (SELECT s FROM big EXCEPT ALL SELECT s FROM big WHERE v < 100) t"},
	{"recursion", "WITH RECURSIVE c(n) AS (SELECT k FROM big UNION ALL SELECT n + 1 FROM c WHERE n < 40000000) SELECT COUNT(*) FROM c"},
	{"distinct recursion", "WITH RECURSIVE c(n) AS (SELECT k FROM big UNION SELECT n + 1 FROM c WHERE n < 40000000) SELECT COUNT(*) FROM c"},
	{"lateral rows", "SELECT COUNT(*), MAX(x.s) FROM eighth a, LATERAL (SELECT b.s, b.r FROM big b WHERE b.k > a.r AND b.v < a.v ORDER BY b.s LIMIT 100000) x"},
	{"shared", "WITH c AS (SELECT r, COUNT(*) n FROM big GROUP BY r) SELECT COUNT(*) FROM c x JOIN c y ON x.n = y.n AND x.r <> y.r"},
}

// anytime are statements over big, each of which keeps an operator, or a way of changing rows, busy.
var anytime = []struct{ name, sql string }{
	{"a range, a difference and texts", "SELECT COUNT(*) FROM big a JOIN big b ON a.k*2<b.v AND a.v<>b.k AND a.s>b.s"},
	{"hash join", "SELECT /*+ HASH_JOIN(b) */ SUM(a.v+b.v) FROM big a JOIN big b ON a.r = b.k"},
	{"hash text", "SELECT /*+ HASH_JOIN(b) */ SUM(a.v+b.v) FROM big a JOIN big b ON a.s = b.s"},
	{"radix join", "SELECT /*+ RADIX_JOIN(b) */ SUM(a.v+b.v) FROM big a JOIN big b ON a.r = b.r"},
	{"merge join", "SELECT /*+ MERGE_JOIN(b) */ SUM(a.v+b.v) FROM big a JOIN big b ON a.r = b.r"},
	{"merge text", "SELECT /*+ MERGE_JOIN(b) */ SUM(a.v+b.v) FROM big a JOIN big b ON a.s = b.s"},
	{"range join", "SELECT /*+ RANGE_JOIN(b) */ SUM(b.v) FROM big a JOIN big b ON a.r BETWEEN b.r AND b.r+3"},
	{"range of two", "SELECT COUNT(*) FROM big a JOIN big b ON a.r < b.r AND a.v > b.v AND a.k <> b.v"},
	{"range texts", "SELECT COUNT(*) FROM big a JOIN big b ON a.s < b.s AND a.k % 7 = b.v % 9"},
	{"nested loop", "SELECT COUNT(*) FROM big a JOIN big b ON a.k * b.v % 7 = 3"},
	{"left range", "SELECT COUNT(b.k) FROM big a LEFT JOIN big b ON a.r < b.r AND a.v > b.v AND a.s > b.s"},
	{"exists", "SELECT COUNT(*) FROM big a WHERE EXISTS (SELECT 1 FROM big b WHERE a.r < b.r AND a.v > b.v AND a.s > b.s)"},
	{"not exists", "SELECT COUNT(*) FROM big a WHERE NOT EXISTS (SELECT 1 FROM big b WHERE a.r = b.r AND a.v > b.v AND a.s > b.s)"},
	{"not in", "SELECT COUNT(*) FROM big a WHERE a.v NOT IN (SELECT b.r FROM big b WHERE b.v > a.r)"},
	{"semi join", "SELECT COUNT(*) FROM big a WHERE a.s IN (SELECT CONCAT(b.s, '') FROM big b)"},
	{"groupjoin", "SELECT SUM(c) FROM (SELECT a.k, COUNT(*) c FROM big a JOIN big b ON a.r < b.r GROUP BY a.k) t"},
	{"groupjoin of two", "SELECT SUM(b.v) FROM big a JOIN big b ON a.r < b.r AND a.v < b.v"},
	{"groupjoin max", "SELECT MAX(b.v), MIN(b.r) FROM big a JOIN big b ON a.r < b.r AND a.v < b.v"},
	{"groupjoin text", "SELECT COUNT(*) FROM big a JOIN big b ON a.s < b.s"},
	{"groupjoin band", "SELECT COUNT(*) FROM big a JOIN big b ON ABS(a.r - b.r) < 10 AND ABS(a.v - b.v) < 10"},
	{"groupjoin pairs", "SELECT COUNT(*) FROM big a JOIN big b ON a.r * b.v > a.v * b.r"},
	{"full join", "SELECT COUNT(*) FROM big a FULL JOIN big b ON a.r = b.r AND a.v < b.v"},
	{"asof", "SELECT SUM(b.v) FROM big a ASOF JOIN big b ON a.v = b.v AND a.r >= b.r"},
	{"sort", "SELECT * FROM big ORDER BY s, v LIMIT 10, 4000000"},
	{"sort ints", "SELECT * FROM big ORDER BY r, v"},
	{"top-n", "SELECT * FROM big ORDER BY r, v LIMIT 100000"},
	{"group by", "SELECT r, COUNT(*), SUM(v) FROM big GROUP BY r"},
	{"group text", "SELECT s, COUNT(*), SUM(v) FROM big GROUP BY s"},
	{"group many", "SELECT k, v, r, s, COUNT(*) FROM big GROUP BY k, v, r, s"},
	{"group distinct", "SELECT v, COUNT(DISTINCT r), COUNT(DISTINCT s) FROM big GROUP BY v"},
	{"distinct", "SELECT DISTINCT s, r FROM big"},
	{"median", "SELECT v, MEDIAN(r) FROM big GROUP BY v"},
	{"group_concat", "SELECT v, GROUP_CONCAT(s ORDER BY r) FROM big GROUP BY v"},
	{"window", "SELECT SUM(x) FROM (SELECT RANK() OVER (PARTITION BY v ORDER BY r) x FROM big) t"},
	{"window one", "SELECT SUM(x) FROM (SELECT SUM(v) OVER (ORDER BY r) x FROM big) t"},
	{"window frame", "SELECT SUM(x) FROM (SELECT MAX(v) OVER (ORDER BY r ROWS BETWEEN 1000 PRECEDING AND 1000 FOLLOWING) x FROM big) t"},
	{"window text", "SELECT MAX(x) FROM (SELECT LAG(s) OVER (ORDER BY s) x FROM big) t"},
	{"window distinct", "SELECT SUM(x) FROM (SELECT NTILE(7) OVER (PARTITION BY s ORDER BY r) x FROM big) t"},
	{"union", "SELECT COUNT(*) FROM (SELECT s FROM big UNION SELECT CONCAT(s, 'x') FROM big) t"},
	{"intersect", "SELECT COUNT(*) FROM (SELECT r FROM big INTERSECT SELECT v FROM big) t"},
	{"except all", "SELECT COUNT(*) FROM (SELECT s FROM big EXCEPT ALL SELECT s FROM big WHERE v < 100) t"},
	{"recursive", "WITH RECURSIVE c(n) AS (SELECT k FROM big UNION SELECT n + 1 FROM c WHERE n < 40000000) SELECT COUNT(*) FROM c"},
	{"apply", "SELECT SUM((SELECT b.v FROM big b WHERE b.k = a.r AND b.v < a.v ORDER BY b.s LIMIT 1)) FROM big a"},
	{"apply by inequalities", "SELECT SUM((SELECT b.v FROM big b WHERE b.k < a.r AND b.v < a.v ORDER BY b.s LIMIT 1)) FROM big a"},
	{"shared", "WITH c AS (SELECT r, COUNT(*) n FROM big GROUP BY r) SELECT COUNT(*) FROM c x JOIN c y ON x.n < y.n AND x.r <> y.r"},
	{"create as", "CREATE TABLE made AS SELECT * FROM big"},
	{"insert with a key", "INSERT INTO pk SELECT k, s FROM big"},
	{"insert with a key of texts", "INSERT INTO tpk SELECT CONCAT(s, '-', k) FROM big"},
	{"replace", "REPLACE INTO pk SELECT k, s FROM big"},
	{"upsert", "INSERT INTO pk SELECT k, s FROM big ON DUPLICATE KEY UPDATE s = 'x'"},
	{"insert ignore", "INSERT IGNORE INTO tpk SELECT s FROM big"},
	{"update", "UPDATE big SET v = v + 1"},
	{"delete", "DELETE FROM big WHERE r % 2 = 0"},
	{"update join", "UPDATE big a JOIN big b ON a.k = b.k SET a.v = b.v + 1"},
	{"create index", "CREATE UNIQUE INDEX u ON big (k, s)"},
	{"add a column", "ALTER TABLE big ADD COLUMN g INT AS (k + v) STORED"},
	{"analyze", "ANALYZE TABLE big"},
	{"write a CSV file", "SELECT * FROM big INTO OUTFILE 'o.csv'"},
	{"count distinct", "SELECT COUNT(DISTINCT s), COUNT(DISTINCT r) FROM big"},
	{"rollup", "SELECT v, r % 1000, COUNT(*) FROM big GROUP BY v, r % 1000 WITH ROLLUP"},
	{"a limit", "SELECT COUNT(*) FROM (SELECT k, s FROM big WHERE k % 2 = 0 LIMIT 400000 OFFSET 300000) t WHERE SHA1(s) <> 'x'"},
	{"a single row", "SELECT COUNT(*) FROM big WHERE k > (SELECT b.v FROM big b WHERE SHA1(b.k) = SHA1('7'))"},
	{"an index join", "SELECT /*+ INDEX_JOIN(b) */ COUNT(*) FROM big a JOIN keyed b ON b.k = a.r"},
	{"values", "SELECT COUNT(*) FROM (VALUES ROW(1), ROW(2), ROW(3)) x(i), big a, big b WHERE a.k * b.k % 7 = x.i"},
	{"json agg", "SELECT v, JSON_ARRAYAGG(s) FROM big GROUP BY v"},
}

// TestCancelAnytime cancels each statement at random times, in enough memory and in little. GSQL_SEED=n
// sets the times, and GSQL_FOR makes the table longer.
func TestCancelAnytime(t *testing.T) {
	r := rand.New(rand.NewPCG(sqltest.Seed(t), 0))
	n := side()
	s := randomTables(t, n)
	defer func(start time.Time) { t.Log(time.Since(start)) }(time.Now())
	worst, slowest := time.Duration(0), ""
	once := func(name, sql string) {
		after := time.Duration(r.Int64N(int64(n))) * time.Millisecond / 3
		sqltest.Run(t, s, "BEGIN")
		late, err := endsSoonAfter(t, s, name, sql, after, func() {
			sqltest.Run(t, s, "ROLLBACK")
			for _, undo := range undone {
				_, _, _ = s.Exec(t.Context(), undo) // there may be nothing to undo
			}
			sqltest.Run(t, s, "BEGIN")
		})
		sqltest.Run(t, s, "ROLLBACK")
		if err != nil && !errors.Is(err, sqlerr.QueryInterrupted) {
			t.Errorf("%s: %v", name, err)
		}
		if late > worst {
			worst, slowest = late, name
		}
	}
	for _, c := range anytime {
		once(c.name, c.sql)
		once(c.name, c.sql)
	}
	sqltest.Run(t, s, "SET gsql_memory_limit = '16MB'")
	for _, c := range onDisk {
		once(c.name+" on disk", c.sql)
	}
	t.Logf("at most %v of processor time: %s", worst, slowest)
}

// TestCancelRecursion cancels a recursive expression all through its first iterations, which each add
// four million rows to a set.
func TestCancelRecursion(t *testing.T) {
	sqltest.NotForRaces(t)
	s := randomTables(t, 1000)
	const sql = `WITH RECURSIVE c(n) AS (SELECT a.k * 4 + d.i FROM big a JOIN (VALUES ROW(0), ROW(1), ROW(2), ROW(3)) d(i) UNION SELECT n + 4000000 FROM c WHERE n < 40000000)
		SELECT COUNT(*) FROM c`
	for after := 100 * time.Millisecond; after < 1500*time.Millisecond; after += 100 * time.Millisecond {
		if _, err := endsSoonAfter(t, s, after.String(), sql, after, func() {}); err != nil && !errors.Is(err, sqlerr.QueryInterrupted) {
			t.Error(err)
		}
	}
}

// TestCancelsAreSoon cancels random joins at random times, some of them in little memory. GSQL_SEED=n
// repeats a run as far as clocks allow, and GSQL_FOR=10m lengthens it and the tables.
func TestCancelsAreSoon(t *testing.T) {
	seed := sqltest.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	s := randomTables(t, side())
	slowest, runs, stopped := time.Duration(0), 0, 0
	for budget := sqltest.NewBudget(t, 24); budget.Next(); runs++ {
		sql := cancelledJoin(r)
		sqltest.Run(t, s, "SET gsql_memory_limit = '"+[]string{"0", "0", "64MB"}[r.IntN(3)]+"'")
		late, err := endsSoonAfter(t, s, "a join", sql, time.Duration(r.IntN(500))*time.Millisecond, func() {})
		switch {
		case errors.Is(err, sqlerr.QueryInterrupted):
			stopped++
		case err != nil && !errors.Is(err, sqlerr.OutOfMemory):
			t.Errorf("seed %d: %v\n%s", seed, err, sql)
		}
		slowest = max(slowest, late)
	}
	t.Logf("%d joins, %d cancelled; the slowest used %v of processor time after it", runs, stopped, slowest)
}

// cancelledJoin returns a join by random comparisons, which may run for hours.
func cancelledJoin(r *rand.Rand) string {
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	side := func(x string) string {
		return pick(x+".k", x+".k", x+".r", x+".k * 2", x+".r + "+x+".k", x+".s", x+".d", x+".k % 1000")
	}
	on := side("x") + pick(" < ", " <= ", " = ", " > ") + side("y")
	for range r.IntN(3) {
		on += " AND " + side("x") + pick(" < ", " > ", " <> ", " <> ", " >= ") + side("y")
	}
	left, right := pick("big", "big", "eighth"), pick("big", "eighth")
	switch r.IntN(7) {
	case 0:
		return "SELECT COUNT(*) FROM " + left + " AS x LEFT JOIN " + right + " AS y ON " + on
	case 1:
		return "SELECT COUNT(*) FROM " + left + " AS x WHERE " + pick("", "NOT ") + "EXISTS (SELECT 1 FROM " + right + " AS y WHERE " + on + ")"
	case 2:
		return "SELECT x.r % 100, COUNT(*), MAX(y.d) FROM " + left + " AS x JOIN " + right + " AS y ON " + on + " GROUP BY 1"
	case 3:
		return "SELECT COUNT(*), SUM(r) FROM (SELECT RANK() OVER (PARTITION BY x.r % 1000 ORDER BY x.s, x.d) AS r FROM " + left + " AS x) AS z"
	case 4:
		return "SELECT x.s, y.d FROM " + left + " AS x JOIN " + right + " AS y ON " + on + " ORDER BY 2, 1 LIMIT 10"
	}
	return "SELECT COUNT(*) FROM " + left + " AS x JOIN " + right + " AS y ON " + on
}
