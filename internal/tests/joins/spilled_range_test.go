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
		near   = "r.k = l.k AND r.a BETWEEN l.a + 1 AND l.a + 2000 AND r.b < l.b"
		safe   = "r.k <=> l.k AND r.a BETWEEN l.a + 1 AND l.a + 2000 AND r.b < l.b"
		byText = "r.s = l.s AND r.a BETWEEN l.a + 1 AND l.a + 2000 AND r.b < l.b"
	)
	for _, on := range []string{near, safe, byText} {
		for _, sql := range []string{
			"SELECT COUNT(*), SUM(l.id), SUM(r.id) FROM l JOIN r ON " + on,
			"SELECT COUNT(*), COUNT(r.id), SUM(l.id), SUM(r.id) FROM l LEFT JOIN r ON " + on,
			"SELECT COUNT(*), COUNT(l.id), SUM(l.id), SUM(r.id) FROM l RIGHT JOIN r ON " + on,
			"SELECT COUNT(*), COUNT(l.id), SUM(l.id), SUM(r.id) FROM l FULL JOIN r ON " + on,
			"SELECT COUNT(*), SUM(l.id) FROM l WHERE EXISTS (SELECT 1 FROM r WHERE " + on + ")",
			"SELECT COUNT(*), SUM(l.id) FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE " + on + ")",
		} {
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

// TestRangeJoinsMeetWithinKeys checks that NOT EXISTS over an equality and ranges does not read all
// right rows for each block of left rows that fits in memory. That took 75 times the processor time
// of the join in memory.
func TestRangeJoinsMeetWithinKeys(t *testing.T) {
	sqltest.NotForRaces(t)
	s := sqltest.Open(t, gsql.Config{Workers: 2})
	sqltest.Run(t, s, "SET cte_max_recursion_depth = 1000000")
	sqltest.Run(t, s, "CREATE TABLE t (id INT NOT NULL PRIMARY KEY, h INT, a INT, b INT)")
	sqltest.Run(t, s, "INSERT INTO t "+sqltest.Series(0, 100_000)+" SELECT i, i * 31 % 997, i * 7919 % 1000003, i * 104729 % 1000033 FROM r")
	const sql = "SELECT COUNT(*) FROM t WHERE NOT EXISTS (SELECT 1 FROM t u WHERE u.h = t.h AND u.a BETWEEN t.a + 1 AND t.a + 1000 AND u.b < t.b AND u.id > t.id)"
	took := func() float64 {
		start := cputime.Used()
		sqltest.Rows(t, s, sql)
		return (cputime.Used() - start).Seconds()
	}
	inMemory := max(took(), 0.02)
	sqltest.Run(t, s, "SET gsql_memory_limit = '1100KB'")
	onDisk := took()
	if t.Logf("%.2f s on disk, %.3f s in memory", onDisk, inMemory); onDisk > 30*inMemory {
		t.Error("left and right rows of different keys meet")
	}
}
