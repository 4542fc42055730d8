package random_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
)

// sequence returns the first numbers of MySQL's RAND(seed), as its manual and sources define them.
func sequence(seed uint32, n int) []float64 {
	const most = 0x3FFFFFFF
	a, b := (uint64(seed)*0x10001+55555555)&0xFFFFFFFF%most, uint64(seed)*0x10000001&0xFFFFFFFF%most
	out := make([]float64, n)
	for i := range out {
		a = (a*3 + b) % most
		b = (a + b + 33) % most
		out[i] = float64(a) / most
	}
	return out
}

// TestSequencesFollowTheRows checks that RAND(n) numbers rows in their order, however many
// workers read them, and that changes in the order of RAND(n) take the rows that it puts first.
func TestSequencesFollowTheRows(t *testing.T) {
	const rows = 60_000
	s := sqltest.Open(t, gsql.Config{Workers: 4})
	for _, sql := range []string{"SET cte_max_recursion_depth = 100000", "CREATE TABLE s (a INT)",
		"INSERT INTO s WITH RECURSIVE c (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE n < 59999) SELECT n FROM c",
		"CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, a INT)", "INSERT INTO t (a) SELECT a FROM s ORDER BY RAND(5)",
		"CREATE TABLE u (id INT PRIMARY KEY AUTO_INCREMENT, a INT) SELECT a FROM s ORDER BY RAND(6) LIMIT 40000"} {
		sqltest.Run(t, s, sql)
	}
	numbers := sequence(7, rows)
	weighted, large := int64(0), 0
	for i, x := range numbers {
		weighted += int64(i) * int64(x*1e6)
		if x > 0.75 {
			large++
		}
	}
	one := func(sql, want string) {
		t.Helper()
		if got := sqltest.Rows(t, s, sql); len(got) != 1 || strings.Join(got[0], "|") != want {
			t.Errorf("%s: %v, want %s", sql, got, want)
		}
	}
	one("SELECT SUM(a * TRUNCATE(r * 1e6, 0)) FROM (SELECT a, RAND(7) AS r FROM s) q", fmt.Sprint(weighted))
	one("SELECT COUNT(*) FROM s WHERE RAND(7) > 0.75", fmt.Sprint(large))
	order := func(of []int, by []float64) []int {
		at := make([]int, len(of))
		for i := range at {
			at[i] = i
		}
		slices.SortStableFunc(at, func(x, y int) int {
			if by[x] < by[y] {
				return -1
			}
			return 1
		})
		for i, x := range at {
			at[i] = of[x]
		}
		return at
	}
	all := make([]int, rows)
	for i := range all {
		all[i] = i
	}
	compare := func(sql string, want []int) {
		t.Helper()
		got := sqltest.Rows(t, s, sql)
		if len(got) != len(want) {
			t.Fatalf("%s: %d rows, want %d", sql, len(got), len(want))
		}
		for i := range want {
			if got[i][0] != fmt.Sprint(want[i]) {
				t.Fatalf("%s: row %d is %s, want %d", sql, i, got[i][0], want[i])
			}
		}
	}
	inserted := order(all, sequence(5, rows))
	compare("SELECT a FROM t ORDER BY id", inserted)
	compare("SELECT a FROM u ORDER BY id", order(all, sequence(6, rows))[:40_000])
	one("SELECT COUNT(DISTINCT a) FROM t WHERE id BETWEEN 1 AND 60000", fmt.Sprint(rows))
	deleted := order(inserted, sequence(8, rows))[:10_000]
	sqltest.Run(t, s, "DELETE FROM t ORDER BY RAND(8) LIMIT 10000")
	sum := 0
	for _, a := range deleted {
		sum += a
	}
	one("SELECT SUM(a) FROM t", fmt.Sprint(rows*(rows-1)/2-sum))
	sqltest.Run(t, s, "UPDATE u SET a = -1 - a ORDER BY RAND() LIMIT 500")
	one("SELECT COUNT(*), SUM(a < 0) FROM u", "40000|500")
}
