package joins_test

import (
	"fmt"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
)

// TestDistinctCountsOverBands counts the distinct rows of correlated UNIONs whose branches are bands, by a group
// join, nested loops, and a range join for each branch, and compares the sums of the counts with a double loop.
func TestDistinctCountsOverBands(t *testing.T) {
	const rows = 2000
	s := sqltest.Open(t, gsql.Config{Workers: 2})
	sqltest.Run(t, s, "SET cte_max_recursion_depth = 100000")
	tables := [][][3]int{make([][3]int, rows), make([][3]int, rows), make([][3]int, rows)} // -1: NULL
	for k, name := range []string{"o", "s", "u"} {
		var list []string
		for i := range rows {
			r := &tables[k][i]
			*r = [3]int{i * 31 % (997 - 6*k), i * 7 % 501, i * (5 - k) % 521}
			if r[0]%17 == 0 {
				r[0] = -1
			}
			list = append(list, fmt.Sprintf("(NULLIF(%d, -1), %d, %d)", r[0], r[1], r[2]))
		}
		sqltest.Run(t, s, "CREATE TABLE "+name+" (k INT, a INT, b INT)")
		sqltest.Run(t, s, "INSERT INTO "+name+" VALUES "+strings.Join(list, ", "))
	}
	inS := func(o, s [3]int) bool {
		return s[0] >= 0 && o[0] >= 0 && s[0] >= o[0] && s[0] <= o[0]+3 && s[2] != o[1]
	}
	inU := func(o, u [3]int) bool { return u[0] >= 0 && u[0] >= o[1] && u[0] <= o[1]+2 }
	want, present := 0, 0
	for _, o := range tables[0] {
		var seen [1000]bool
		for i := range rows {
			if x := tables[1][i]; inS(o, x) {
				seen[x[1]] = true
			}
			if x := tables[2][i]; inU(o, x) {
				seen[x[1]] = true
			}
		}
		for i := range seen {
			if seen[i] {
				want++
				if i%2 == 1 {
					present++
				}
			}
		}
	}
	const ofS, ofU = "FROM s WHERE s.k BETWEEN o.k AND o.k + 3 AND s.b <> o.a", "FROM u WHERE u.k BETWEEN o.a AND o.a + 2"
	for query, want := range map[string]int{
		"SELECT SUM((SELECT COUNT(*) FROM (SELECT s.a x " + ofS + " UNION SELECT u.a " + ofU + ") q)) FROM o":                                                      want,
		"SELECT SUM((SELECT COUNT(DISTINCT x) FROM (SELECT s.a x " + ofS + " UNION ALL SELECT u.a " + ofU + ") q)) FROM o":                                         want,
		"SELECT SUM((SELECT COUNT(*) FROM (SELECT CONCAT('x', s.a) x " + ofS + " UNION SELECT CONCAT('x', u.a) " + ofU + ") q)) FROM o":                            want,
		"SELECT SUM((SELECT COUNT(NULLIF(x, IF(x % 2 = 0, x, -1))) FROM (SELECT s.a x " + ofS + " UNION SELECT u.a " + ofU + ") q)) FROM o":                        present,
		"SELECT SUM((SELECT COUNT(*) FROM (SELECT s.a x " + ofS + " UNION SELECT u.a " + ofU + " UNION SELECT s.a " + ofS + " AND s.k BETWEEN 2 AND 5) q)) FROM o": want,
	} {
		for _, disabled := range []string{"", "SplitBranches", "GroupJoin"} {
			sqltest.Run(t, s, "SET gsql_disable_rules = '"+disabled+"'")
			if got := sqltest.Rows(t, s, query)[0][0]; got != fmt.Sprint(want) {
				t.Errorf("without %s, %s: %s, want %d", disabled, query, got, want)
			}
		}
		plan := sqltest.Lines(sqltest.Rows(t, s, "EXPLAIN FORMAT = 'tree' "+query)) // as range joins are cheaper than nested loops
		if !strings.Contains(plan, "RangeJoin") || !strings.Contains(plan, "(one join of all branches") {
			t.Errorf("%s does not have a join for each branch:\n%s", query, plan)
		}
	}
}
