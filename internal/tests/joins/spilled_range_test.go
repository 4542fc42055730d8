package joins_test

import (
	"fmt"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/cputime"
	"gsql/internal/mem"
	"gsql/internal/sqltest"
)

// TestRangeJoinsWithKeysOnDisk compares joins by equalities and ranges that go to disk with the same
// joins in memory. Keys may be NULL and need not have partners.
func TestRangeJoinsWithKeysOnDisk(t *testing.T) {
	mem.PoisonFreed()
	s := sqltest.Open(t, gsql.Config{Workers: 3})
	sqltest.Run(t, s, "SET cte_max_recursion_depth = 1000000")
	sqltest.Run(t, s, "CREATE TABLE l (id INT NOT NULL PRIMARY KEY, k INT, a INT, b INT, s VARCHAR(20))")
	sqltest.Run(t, s, "CREATE TABLE r LIKE l")
	const rows = " SELECT i, NULLIF(i * 31 %% 997 + %d, 500), NULLIF(i * 7919 %% 60013, 3), i * 104729 %% 60029, CONCAT('text ', i * 31 %% 997) FROM r"
	for table, shift := range map[string]int{"l": 0, "r": 90} {
		sqltest.Run(t, s, "INSERT INTO "+table+" "+sqltest.Series(1, 15_000)+fmt.Sprintf(rows, shift))
	}
	const (
		ranges = "r.a BETWEEN l.a + 1 AND l.a + 2000 AND r.b < l.b"
		near   = "r.k = l.k AND " + ranges
		safe   = "r.k <=> l.k AND " + ranges
		byText = "r.s = l.s AND " + ranges
	)
	for i, on := range []string{near, safe, byText} {
		for j, sql := range []string{
			"SELECT COUNT(*), SUM(l.id), SUM(r.id) FROM l JOIN r ON " + on,
			"SELECT COUNT(*), COUNT(r.id), SUM(l.id), SUM(r.id) FROM l LEFT JOIN r ON " + on,
			"SELECT COUNT(*), COUNT(l.id), SUM(l.id), SUM(r.id) FROM l RIGHT JOIN r ON " + on,
			"SELECT COUNT(*), COUNT(l.id), SUM(l.id), SUM(r.id) FROM l FULL JOIN r ON " + on,
			"SELECT COUNT(*), SUM(l.id) FROM l WHERE EXISTS (SELECT 1 FROM r WHERE " + on + ")",
			"SELECT COUNT(*), SUM(l.id) FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE " + on + ")",
			"SELECT COUNT(*), SUM(l.id) FROM l WHERE (l.k, l.a) NOT IN (SELECT r.k, r.b FROM r WHERE " + ranges + " AND r.s = l.s)",
			"SELECT COUNT(*), SUM(l.id), l.s NOT IN (SELECT r.s FROM r WHERE " + ranges + " AND (r.id + l.id) % 3 = 0) AS m FROM l GROUP BY m ORDER BY m",
		} {
			if testing.Short() && (i+j)%3 > 0 { // a third is enough to look for races
				continue
			}
			sql = strings.Replace(sql, "SELECT ", "SELECT /*+ RANGE_JOIN(l, r) */ ", 1)
			want := fmt.Sprint(sqltest.Rows(t, s, sql))
			sqltest.Run(t, s, "SET gsql_memory_limit = '800KB'")
			got, err := sqltest.TryRows(s, sql)
			plan := fmt.Sprint(sqltest.Rows(t, s, "EXPLAIN ANALYZE "+sql))
			sqltest.Run(t, s, "SET gsql_memory_limit = DEFAULT")
			if err != nil || fmt.Sprint(got) != want {
				t.Errorf("%s: %v, %v, in memory %s", sql, got, err, want)
			}
			if !strings.Contains(plan, "on disk") {
				t.Errorf("%s: nothing was on disk: %s", sql, plan)
			}
		}
	}
}

// TestRangeJoinsMeetWithinKeys checks that joins by an equality and ranges do not read all right
// rows for each block of left rows that fits in memory. NOT EXISTS took 75 times the processor time
// of the join in memory. Rows with NULL keys have no partners, except in NOT IN.
func TestRangeJoinsMeetWithinKeys(t *testing.T) {
	sqltest.NotForRaces(t)
	s := sqltest.Open(t, gsql.Config{Workers: 2})
	sqltest.Run(t, s, "SET cte_max_recursion_depth = 1000000")
	sqltest.Run(t, s, "CREATE TABLE t (id INT NOT NULL PRIMARY KEY, h INT, a INT NOT NULL, b INT NOT NULL, g INT)")
	sqltest.Run(t, s, "INSERT INTO t "+sqltest.Series(0, 100_000)+" SELECT i, i * 31 % 997, i * 7919 % 1000003, i * 104729 % 1000033, IF(i % 3 = 0, i * 31 % 997, NULL) FROM r")
	const ranges = " AND u.a BETWEEN t.a + 1 AND t.a + 1000 AND u.b < t.b AND u.id > t.id"
	for _, sql := range []string{
		"SELECT COUNT(*) FROM t WHERE NOT EXISTS (SELECT 1 FROM t u WHERE u.h = t.h" + ranges + ")",
		"SELECT COUNT(*), COUNT(t.id), COUNT(u.id) FROM t FULL JOIN t u ON u.h = t.h" + ranges,
		"SELECT COUNT(*), COUNT(t.id), COUNT(u.id) FROM t FULL JOIN t u ON u.g = t.g" + ranges,
		"SELECT COUNT(*) FROM t WHERE NOT EXISTS (SELECT 1 FROM t u WHERE u.g = t.g" + ranges + ")",
		"SELECT COUNT(*) FROM t WHERE t.h + 0 NOT IN (SELECT u.h + 0 FROM t u WHERE TRUE" + ranges + ")",
	} {
		took := func() (float64, string) {
			start := cputime.Used()
			rows := fmt.Sprint(sqltest.Rows(t, s, sql))
			return (cputime.Used() - start).Seconds(), rows
		}
		inMemory, want := took()
		inMemory = max(inMemory, 0.02)
		sqltest.Run(t, s, "SET gsql_memory_limit = '1100KB'")
		onDisk, got := took()
		plan := fmt.Sprint(sqltest.Rows(t, s, "EXPLAIN ANALYZE "+sql))
		sqltest.Run(t, s, "SET gsql_memory_limit = DEFAULT")
		if got != want || !strings.Contains(plan, "on disk") {
			t.Errorf("%s: %s on disk, %s in memory: %s", sql, got, want, plan)
		}
		if t.Logf("%.2f s on disk, %.3f s in memory: %s", onDisk, inMemory, sql); onDisk > 30*inMemory {
			t.Errorf("%s: left and right rows of different keys meet", sql)
		}
	}
}
