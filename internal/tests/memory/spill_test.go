package memory_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/inside"
	"gsql/internal/mem"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// fillSpilling makes 256 K rows: a is a permutation of 0 to 262143, b has 1000 values.
func fillSpilling(t *testing.T, s *gsql.Session) {
	sqltest.Run(t, s, "CREATE TABLE t (a BIGINT, b INT, c VARCHAR(20))")
	sqltest.Run(t, s, "INSERT INTO t VALUES (0, 0, 'x')")
	for n := 1; n < 1<<18; n *= 2 {
		sqltest.Run(t, s, fmt.Sprintf("INSERT INTO t SELECT (a + %d) * 25173 %% 262144, a %% 1000, CONCAT('c', a %% 77) FROM t", n))
	}
	// The generator need not be a permutation: numbers make it one.
	sqltest.Run(t, s, "CREATE TABLE u AS SELECT CAST(ROW_NUMBER() OVER () AS SIGNED) - 1 AS a, b, c FROM t")
	sqltest.Run(t, s, "DROP TABLE t")
	sqltest.Run(t, s, "CREATE TABLE t AS SELECT a * 25173 % 262144 AS a, b, c FROM u")
	sqltest.Run(t, s, "DROP TABLE u")
}

// spilling are queries, and limits in which they spill.
var spilling = map[string]string{
	"SELECT a, c FROM t ORDER BY a DESC":                                                                                 "2MB",
	"SELECT CONCAT(c, a), SUM(b) FROM t GROUP BY CONCAT(c, a) ORDER BY 2 DESC, 1 LIMIT 20":                               "2MB",
	"SELECT c, b, a FROM t ORDER BY c, b DESC, a":                                                                        "2MB",
	"SELECT * FROM t ORDER BY a + b, a LIMIT 300000 OFFSET 262130":                                                       "2MB",
	"SELECT a, COUNT(*), SUM(b), MIN(c), COUNT(DISTINCT b) FROM t GROUP BY a ORDER BY a LIMIT 20":                        "16MB",
	"SELECT COUNT(*), SUM(n), MIN(a), MAX(c) FROM (SELECT a DIV 2 AS a, c, COUNT(*) AS n FROM t GROUP BY a DIV 2, c) x":  "8MB",
	"SELECT MEDIAN(a), MEDIAN(b), MEDIAN(a / 7), MEDIAN(CAST(a AS DECIMAL(30, 2))), MEDIAN(NULLIF(a * 0.5e0, 1)) FROM t": "4MB",
	"SELECT b % 3, MEDIAN(a) FROM t GROUP BY b % 3 ORDER BY 1":                                                           "2MB",
	"SELECT MD5(GROUP_CONCAT(a ORDER BY b, a DESC)), MD5(GROUP_CONCAT(DISTINCT c ORDER BY c DESC)) FROM t":               "6MB",
	"SELECT MD5(JSON_ARRAYAGG(c)) FROM (SELECT 'c' AS c FROM t) x":                                                       "4MB",
	"SELECT COUNT(*) FROM (SELECT DISTINCT a, b, c FROM t) x":                                                            "8MB",
	"SELECT COUNT(*), SUM(x.b), MAX(y.c) FROM t x JOIN t y ON x.a = y.a":                                                 "4MB",
	"SELECT /*+ RADIX_JOIN(y) */ COUNT(*), SUM(x.b), MAX(y.c) FROM t x LEFT JOIN t y ON x.a = y.a + 1000":                "6MB",
	"SELECT SUM(r), SUM(s), MAX(f) FROM (SELECT RANK() OVER (PARTITION BY c ORDER BY b) AS r, SUM(b) OVER (PARTITION BY c ORDER BY a ROWS 3 PRECEDING) AS s, FIRST_VALUE(a) OVER (PARTITION BY c ORDER BY a DESC) AS f FROM t) w": "12MB",
	"SELECT COUNT(*), SUM(x.a - y.b), MAX(y.c) FROM t x JOIN t y ON x.a >= y.a AND x.a < y.a + 3 AND (x.b + y.b) % 7 < 5":                                                                                                         "6MB",
	"SELECT COUNT(*), SUM(b) FROM t x WHERE NOT EXISTS (SELECT 1 FROM t y WHERE x.a < y.a AND x.b > y.b + 990)":                                                                                                                   "6MB",
	"SELECT COUNT(*), COUNT(x.a), COUNT(y.a), SUM(COALESCE(x.b, 3) * COALESCE(y.b, 7)), MAX(y.c) FROM t x FULL JOIN t y ON x.a = y.a + 1000":                                                                                      "4MB",
	"SELECT COUNT(*), COUNT(x.a), COUNT(y.a), SUM(COALESCE(x.b, 3) - COALESCE(y.b, 7)) FROM t x FULL JOIN t y ON x.a >= y.a * 2 AND x.a < y.a * 2 + 3 AND x.b <> y.b":                                                             "6MB",
	"SELECT COUNT(*), SUM(b) FROM t WHERE a NOT IN (SELECT a + 1000 FROM t)":                                                                                                                                                      "3MB",
	"SELECT COUNT(*), SUM(b) FROM t WHERE (NULLIF(a, 77), c) NOT IN (SELECT NULLIF(a, 78) + 1000, c FROM t)":                                                                                                                      "6MB",
	"SELECT COUNT(*), SUM(x.b - COALESCE(y.b, 7)) FROM t x LEFT JOIN t y ON LPAD(x.a, 6, '0') >= LPAD(y.a, 6, '0') AND LPAD(x.a, 6, '0') < CONCAT(LPAD(y.a, 6, '0'), '1') AND y.a < 18000 WHERE x.a < 20000":                      "2MB",
	"SELECT COUNT(m), SUM(m) FROM (SELECT (SELECT y.b FROM t y WHERE y.a > x.a - 1 AND y.a < x.a + 1) AS m FROM t x) z":                                                                                                           "6MB",
	"SELECT /*+ MERGE_JOIN(y) */ COUNT(*), SUM(x.b) FROM t x WHERE EXISTS (SELECT 1 FROM t y WHERE x.a = y.a * 2)":                                                                                                                "4MB",
}

// TestSpilling runs queries that have less memory than they would take: they give the same,
// say what they put on disk, and leave nothing there.
func TestSpilling(t *testing.T) {
	mem.PoisonFreed()
	s := sqltest.Open(t, gsql.Config{})
	fillSpilling(t, s)
	dir := t.TempDir()
	sqltest.Run(t, s, "SET gsql_temp_directory = '"+dir+"'")
	for i, sql := range slices.Sorted(maps.Keys(spilling)) {
		if testing.Short() && i%4 > 0 {
			continue
		}
		limit := spilling[sql]
		want := sqltest.Rows(t, s, sql)
		sqltest.Run(t, s, "SET gsql_memory_limit = '"+limit+"'")
		got, err := sqltest.TryRows(s, sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: another result with little memory", sql)
		}
		if plan := fmt.Sprint(sqltest.Rows(t, s, "EXPLAIN ANALYZE "+sql)); !strings.Contains(plan, "on disk") {
			t.Errorf("%s: nothing was on disk: %s", sql, plan)
		}
		sqltest.Run(t, s, "SET gsql_memory_limit = DEFAULT")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestFirstRowsInLittleMemory requests the first rows of results that do not fit in memory, with so
// many workers that each could use all of it for its own table or rows.
func TestFirstRowsInLittleMemory(t *testing.T) {
	mem.PoisonFreed()
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE d (i INT NOT NULL)")
	sqltest.Run(t, s, "INSERT INTO d VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)")
	sqltest.Run(t, s, "CREATE TABLE t AS SELECT a.i + 10*b.i + 100*c.i + 1000*d.i + 10000*e.i AS x FROM d a, d b, d c, d, d e WHERE e.i < 5")
	for _, sql := range []string{
		"SELECT x, REPEAT(x, 20), SUM(x) FROM t GROUP BY x, REPEAT(x, 20) ORDER BY 3 DESC LIMIT 20",
		"SELECT a.x, SUM(b.x) FROM t a JOIN t b ON a.x = b.x GROUP BY a.x, REPEAT(b.x, 20) ORDER BY a.x % 1000, a.x LIMIT 5 OFFSET 3",
		"SELECT x, REPEAT(x, 50) FROM t ORDER BY x % 1000, x LIMIT 5000",
		"SELECT x, REPEAT(x, 50), COUNT(*) OVER (PARTITION BY x DIV 10) FROM t ORDER BY x % 1000, x LIMIT 200",
	} {
		sqltest.Run(t, s, "SET gsql_memory_limit = DEFAULT, gsql_workers = DEFAULT")
		want := fmt.Sprint(sqltest.Rows(t, s, sql))
		for _, workers := range []int{1, 4, 7} {
			sqltest.Run(t, s, fmt.Sprintf("SET gsql_memory_limit = '%dMB', gsql_workers = %d", workers, workers))
			got, err := sqltest.TryRows(s, sql)
			if err != nil {
				t.Errorf("%d workers: %s: %v", workers, sql, err)
			} else if fmt.Sprint(got) != want {
				t.Errorf("%d workers: %s: another result with little memory", workers, sql)
			}
		}
	}
}

// TestGroupJoinInLittleMemory aggregates the next 50 numbers of each of 262144, of which neither
// side fits into memory; sums are what arithmetic says.
func TestGroupJoinInLittleMemory(t *testing.T) {
	sqltest.NotForRaces(t)
	s := sqltest.Open(t, gsql.Config{Workers: 2})
	fillSpilling(t, s)
	sqltest.Run(t, s, "SET gsql_memory_limit = '6MB'")
	const sql = "SELECT COUNT(*), SUM(n), SUM(s) FROM (SELECT x.a, COUNT(*) AS n, SUM(y.a) AS s FROM t x JOIN t y ON y.a > x.a AND y.a <= x.a + 50 GROUP BY x.a) z"
	rows, partners, sum := 0, 0, 0
	const n = 1 << 18
	for a := range n - 1 {
		last := min(a+50, n-1)
		rows, partners, sum = rows+1, partners+last-a, sum+(last*(last+1)-a*(a+1))/2
	}
	if got, want := fmt.Sprint(sqltest.Rows(t, s, sql)[0]), fmt.Sprint([]int{rows, partners, sum}); got != want {
		t.Errorf("%s, not %s", got, want)
	}
	plan := fmt.Sprint(sqltest.Rows(t, s, "EXPLAIN ANALYZE "+sql))
	if !strings.Contains(plan, "GroupJoin") || strings.Count(plan, "on disk") < 2 {
		t.Errorf("another plan, or nothing on disk: %s", plan)
	}
}

// TestRecursionInLittleMemory makes rows that double with each iteration, and numbers that are
// met over and over, one at a time or all at once; what comes of them is known.
func TestRecursionInLittleMemory(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{Workers: 2})
	dir := t.TempDir()
	sqltest.Run(t, s, "SET gsql_temp_directory = '"+dir+"', gsql_memory_limit = '2MB', cte_max_recursion_depth = 100000")
	const two = "(SELECT 0 AS b UNION ALL SELECT 1) two"
	doubled, sum := 0, 0
	for a := 1; a <= 16; a++ {
		doubled, sum = doubled+1<<(a-1), sum+a<<(a-1)
	}
	for sql, want := range map[string][]int{
		"SELECT 1 AS a, CAST('x' AS CHAR(40)) AS s UNION ALL SELECT a + 1, CONCAT(s, 'yy') FROM r JOIN " + two + " WHERE a < 16":                                                    {doubled, sum},
		"SELECT 0 AS a UNION SELECT (2 * a + b) % 100000 FROM r JOIN " + two:                                                                                                        {100000, 100000 * 99999 / 2},
		"SELECT 0 AS a, REPEAT('x', 100) COLLATE utf8mb4_0900_ai_ci AS s UNION SELECT (2 * a + b) % 20000, IF(b, UPPER(s), LOWER(s)) COLLATE utf8mb4_0900_ai_ci FROM r JOIN " + two: {20000, 20000 * 19999 / 2},
		"SELECT 1 AS a, REPEAT('x', 100) AS s UNION SELECT a + 1, s FROM r WHERE a < 15000":                                                                                         {15000, 15000 * 15001 / 2},
		"SELECT 1 AS a UNION ALL SELECT a + 1 FROM r JOIN " + two + " LIMIT 100000 OFFSET 3":                                                                                        {100000, 0},
	} {
		got := sqltest.Rows(t, s, "WITH RECURSIVE r AS ("+sql+") SELECT COUNT(*), SUM(a) FROM r")[0]
		if got[0] != fmt.Sprint(want[0]) || want[1] > 0 && got[1] != fmt.Sprint(want[1]) {
			t.Errorf("%s: %v, not %v", sql, got, want)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestDistinctInLittleMemory counts distinct values in as little memory as there may be: it
// succeeds or ends with error 1037.
func TestDistinctInLittleMemory(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{Workers: 2})
	sqltest.Run(t, s, "CREATE TABLE t (a INT, b VARCHAR(20))")
	sqltest.Run(t, s, "INSERT INTO t WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT i % 300, IF(i % 4 = 0, NULL, CONCAT('a text of ', i % 200)) FROM n")
	for kb := 2; kb < 120; kb++ {
		sqltest.Run(t, s, fmt.Sprintf("SET gsql_memory_limit = '%dKB'", kb))
		got, err := sqltest.TryRows(s, "SELECT COUNT(DISTINCT a), COUNT(DISTINCT b), COUNT(DISTINCT a + 1) FROM t")
		switch {
		case err != nil && !errors.Is(err, sqlerr.OutOfMemory):
			t.Errorf("%d KB: %v", kb, err)
		case err == nil && fmt.Sprint(got[0]) != "[300 150 300]":
			t.Errorf("%d KB: %v", kb, got)
		}
	}
}

// TestBatchesInLittleMemory keeps rows of aggregates under limits below what a batch of them takes:
// where a limit is enough, so is every larger one, and the least are what they have been.
func TestBatchesInLittleMemory(t *testing.T) {
	mem.PoisonFreed()
	s := sqltest.Open(t, gsql.Config{Workers: 1})
	sqltest.Run(t, s, "SET cte_max_recursion_depth = 100000, group_concat_max_len = 30")
	sqltest.Run(t, s, "CREATE TABLE t AS "+sqltest.Series(0, 12_000)+" SELECT i, i % 5 AS g, CONCAT('text ', i % 7000) AS s FROM r")
	for _, c := range []struct {
		sql  string
		want [][]string
		most int // KB with which it succeeds
	}{
		{"SELECT COUNT(DISTINCT i, s), COUNT(DISTINCT s) FROM t", [][]string{{"12000", "7000"}}, 16},
		{"SELECT g, COUNT(DISTINCT s, i) FROM t GROUP BY g ORDER BY g", [][]string{{"0", "2400"}, {"1", "2400"}, {"2", "2400"}, {"3", "2400"}, {"4", "2400"}}, 32},
		{"SELECT GROUP_CONCAT(DISTINCT s ORDER BY i DESC) FROM t", [][]string{{"text 4999,text 4998,text 4997,"}}, 16},
		{"SELECT GROUP_CONCAT(s ORDER BY i) FROM t WHERE i % 3 = 0", [][]string{{"text 0,text 3,text 6,text 9,te"}}, 16},
	} {
		enough := 0
		for kb := 8; kb < 260; kb += 4 {
			sqltest.Run(t, s, fmt.Sprintf("SET gsql_memory_limit = '%dKB'", kb))
			got, err := sqltest.TryRows(s, c.sql)
			switch {
			case errors.Is(err, sqlerr.OutOfMemory) && enough == 0 && kb < c.most:
			case err != nil:
				t.Errorf("%s: under %d KB, %d KB were enough: %v", c.sql, kb, enough, err)
			case fmt.Sprint(got) != fmt.Sprint(c.want):
				t.Errorf("%s: under %d KB %v, not %v", c.sql, kb, got, c.want)
			case enough == 0:
				enough = kb
			}
		}
		t.Logf("%s: %d KB are enough", c.sql, enough)
	}
}

// TestWhoLacksMemory: error 1037 names the function that makes texts, and the aggregate whose one
// result does not fit.
func TestWhoLacksMemory(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{Workers: 1})
	sqltest.Run(t, s, "CREATE TABLE t AS WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT i, CONCAT('text ', i) AS s FROM n")
	for _, c := range []struct{ limit, sql, who string }{
		{"2MB", "SELECT LENGTH(REPEAT(s, 400000)) FROM t WHERE i = 900", "; REPEAT() needs "},
		{"100KB", "SELECT LENGTH(JSON_OBJECTAGG(s, i)) FROM t", "; HashAggregate, for one group's JSON_OBJECTAGG, needs "},
		{"300KB", "SELECT LENGTH(GROUP_CONCAT(DISTINCT REPEAT(s, 20))) FROM t", "; HashAggregate, for one group's GROUP_CONCAT, needs "},
	} {
		sqltest.Run(t, s, "SET gsql_memory_limit = '"+c.limit+"', group_concat_max_len = 100000000")
		if _, err := sqltest.TryRows(s, c.sql); !errors.Is(err, sqlerr.OutOfMemory) || !strings.Contains(err.Error(), c.who) {
			t.Errorf("%s: %v", c.sql, err)
		}
		sqltest.Run(t, s, "SET gsql_memory_limit = DEFAULT")
		if _, err := sqltest.TryRows(s, c.sql); err != nil {
			t.Errorf("%s: %v", c.sql, err)
		}
	}
	if n := inside.Of(s.DB()).MemoryUsed(); n != 0 {
		t.Errorf("%d bytes are held", n)
	}
}

// TestConstantsCount: texts of constant expressions count as those of other ones do, although planning
// computes short ones.
func TestConstantsCount(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{Workers: 1})
	sqltest.Run(t, s, "CREATE TABLE t AS SELECT 1 AS i, 'x' AS s UNION ALL SELECT 2, 'y'")
	sqltest.Run(t, s, "SET gsql_memory_limit = '16MB'")
	for _, sql := range []string{
		"SELECT LENGTH(HEX(REPEAT('a', 10000000)))",
		"SELECT LENGTH(TIME_FORMAT('10:11:12', REPEAT('%r', 3000000)))",
		"SELECT i FROM t WHERE LENGTH(CONCAT(REPEAT('a', 9000000), REPEAT('b', 9000000))) = i",
		"SELECT i, REPLACE(REPEAT('a', 1000000), 'a', REPEAT('b', 20)) FROM t",
		"SELECT i FROM t WHERE LENGTH(CONCAT(s, REPEAT('a', 9000000), REPEAT('b', 9000000))) = i",
		"SELECT LENGTH(QUOTE(REPEAT('''', 10000000)))",
	} {
		outOfMemory(t, s, sql)
	}
	for sql, want := range map[string]string{
		"SELECT LENGTH(REPEAT('a', 6000000))":                             "6000000",
		"SELECT COUNT(*) FROM t WHERE LENGTH(REPEAT('a', 6000000)) > i":   "2",
		"SELECT LENGTH(HEX(REPEAT('a', 100000))) FROM t WHERE i = 2":      "200000",
		"SELECT COUNT(*) FROM t WHERE REPEAT('x', 5000000) LIKE '%x%x%x'": "2",
	} {
		if got := sqltest.Rows(t, s, sql)[0][0]; got != want {
			t.Errorf("%s: %s, not %s", sql, got, want)
		}
	}
}

// TestLongResults: texts beyond max_allowed_packet are NULL with warning 1301, whether the arguments
// are known before the rows or not.
func TestLongResults(t *testing.T) {
	sqltest.NotForRaces(t)
	s := sqltest.Open(t, gsql.Config{Workers: 1})
	sqltest.Run(t, s, "CREATE TABLE t AS SELECT 8000000 AS n, '2020-01-01' AS s, DATE '2020-01-01' AS d, '10:11:12' AS h")
	for _, sql := range []string{
		"SELECT LENGTH(DATE_FORMAT('2020-01-01', REPEAT('%W', 8000000)))",
		"SELECT LENGTH(DATE_FORMAT(s, REPEAT('%W', n))) FROM t",
		"SELECT LENGTH(DATE_FORMAT(d, REPEAT('%W', 8000000))) FROM t",
		"SELECT LENGTH(TIME_FORMAT(h, REPEAT('%r', n))) FROM t",
	} {
		if got := sqltest.Rows(t, s, sql)[0][0]; got != "NULL" {
			t.Errorf("%s: %s, not NULL", sql, got)
		}
		if w := sqltest.Rows(t, s, "SHOW WARNINGS"); len(w) != 1 || w[0][1] != "1301" {
			t.Errorf("%s: warnings %v", sql, w)
		}
	}
	for _, sql := range []string{ // 33,554,433 bytes are one too many to be doubled
		"SELECT HEX(REPEAT('a', 33554433))", "SELECT TO_BASE64(REPEAT('a', 50000000))", "SELECT QUOTE(REPEAT('''', 33554432))", "SELECT INSERT(REPEAT('a', 40000000), 2, 0, REPEAT('b', 40000000))",
		"SELECT JSON_QUOTE(REPEAT('\"', 33554432))", "SELECT JSON_ARRAY(REPEAT('a', 67108861))", "SELECT JSON_OBJECT('k', REPEAT('a', 67108860))", "SELECT REPLACE(REPEAT('a', 10000000), 'a', '1234567')",
		"SELECT REGEXP_REPLACE('aa', 'a', REPEAT('$0b', 20000000))", "SELECT LOWER(REPEAT('Ⱥ', 33554432))", "SELECT MAKE_SET(3, REPEAT('a', 40000000), REPEAT('b', 40000000))", "SELECT CAST('a' AS BINARY(67108865))",
		"SELECT JSON_PRETTY(JSON_ARRAY(REPEAT('a', 67108858)))",
	} {
		if got := sqltest.Rows(t, s, sql)[0][0]; got != "NULL" {
			t.Errorf("%s: %.20s, not NULL", sql, got)
		}
		if w := sqltest.Rows(t, s, "SHOW WARNINGS"); len(w) != 1 || w[0][1] != "1301" {
			t.Errorf("%s: warnings %v", sql, w)
		}
	}
	for sql, want := range map[string]string{ // Wednesday has 9 letters, "10:11:12 AM" 11
		"SELECT LENGTH(DATE_FORMAT(d, REPEAT('%W', 7000000))) FROM t": "63000000",
		"SELECT LENGTH(DATE_FORMAT(d, REPEAT('%W', 1000))) FROM t":    "9000",
		"SELECT LENGTH(TIME_FORMAT(h, REPEAT('%r', 6000000))) FROM t": "66000000",
		"SELECT LENGTH(HEX(REPEAT('a', 33554432)))":                   "67108864",
		"SELECT LENGTH(JSON_ARRAY(REPEAT('a', 67108860)))":            "67108864",
	} {
		if got := sqltest.Rows(t, s, sql)[0][0]; got != want {
			t.Errorf("%s: %s, not %s", sql, got, want)
		}
	}
}
