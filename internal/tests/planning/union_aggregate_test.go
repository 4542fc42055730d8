package planning_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
)

// unionTables are small enough to compute with by hand.
const unionTables = `CREATE TABLE a (k INT, v INT);
CREATE TABLE b (k INT, x INT);
CREATE TABLE c (k INT, x INT);
INSERT INTO a VALUES (1, 1), (2, 25), (3, 3), (NULL, 8), (1, 1);
INSERT INTO b VALUES (1, 10), (1, 10), (2, 20), (NULL, 7), (1, NULL);
INSERT INTO c VALUES (1, 10), (1, 30), (2, 5), (NULL, 8), (2, NULL)`

// TestAggregatesOverUnions checks subqueries that aggregate a correlated set operation for empty groups,
// NULLs and duplicates, by answers computed by hand.
func TestAggregatesOverUnions(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{Workers: 2})
	for _, sql := range strings.Split(unionTables, ";\n") {
		sqltest.Run(t, s, sql)
	}
	for _, test := range []struct{ sub, want string }{
		// For k = 1: 10 10 NULL and 10 30; k = 2: 20 and 5 NULL; k = 3 and NULL: nothing.
		{"SELECT SUM(x) FROM (SELECT x FROM b WHERE b.k = a.k UNION ALL SELECT x FROM c WHERE c.k = a.k) u", "60|25|NULL|NULL|60"},
		{"SELECT COUNT(x) FROM (SELECT x FROM b WHERE b.k = a.k UNION ALL SELECT x FROM c WHERE c.k = a.k) u", "4|2|0|0|4"},
		{"SELECT COUNT(*) FROM (SELECT x FROM b WHERE b.k = a.k UNION SELECT x FROM c WHERE c.k = a.k) u", "3|3|0|0|3"},
		{"SELECT COUNT(*) FROM (SELECT x FROM b WHERE b.k = a.k INTERSECT ALL SELECT x FROM c WHERE c.k = a.k) u", "1|0|0|0|1"},
		{"SELECT COUNT(*) FROM (SELECT x FROM b WHERE b.k = a.k EXCEPT ALL SELECT x FROM c WHERE c.k = a.k) u", "2|1|0|0|2"},
		{"SELECT COUNT(*) FROM (SELECT x FROM b WHERE b.k = a.k INTERSECT ALL SELECT x FROM c) u", "2|0|0|0|2"},
		{"SELECT COUNT(*) FROM (SELECT x FROM c EXCEPT ALL SELECT x FROM b WHERE b.k = a.k) u", "3|5|5|5|3"},
		// Branches that differ: c has 53 in four values and a NULL.
		{"SELECT SUM(x) FROM (SELECT x FROM b WHERE b.k = a.k UNION ALL SELECT x FROM c) u", "73|73|53|53|73"},
		{"SELECT COUNT(*) FROM (SELECT x FROM b WHERE b.k = a.k UNION ALL SELECT x FROM c) u", "8|6|5|5|8"},
		// c.x > 1: 10 30 5 8; > 25: 30; > 3: 10 30 5 8; > 8: 10 30.
		{"SELECT COUNT(x) FROM (SELECT x FROM b WHERE b.k = a.k UNION ALL SELECT x FROM c WHERE c.x > a.v) u", "6|2|4|2|6"},
		{"SELECT MIN(x) FROM (SELECT x FROM b WHERE b.k = a.k UNION SELECT x FROM c WHERE c.x > a.v) u", "5|20|5|10|5"},
		{"SELECT MAX(x) FROM (SELECT x FROM b WHERE b.k = a.k UNION ALL SELECT x FROM c WHERE c.x < a.v) u", "10|20|NULL|5|10"},
		{"SELECT SUM(x) FROM (SELECT x FROM b WHERE b.k = a.k UNION ALL SELECT x FROM c WHERE c.x = a.v) u", "20|20|NULL|8|20"},
		{"SELECT SUM(x + a.v) FROM (SELECT x FROM b WHERE b.k = a.k UNION ALL SELECT x FROM c WHERE c.x = a.v) u", "22|45|NULL|16|22"},
		{"SELECT SUM(x) FROM (SELECT x FROM b WHERE b.k = a.k UNION ALL SELECT x FROM c UNION ALL SELECT v FROM a WHERE v > 100) u HAVING COUNT(*) > 6", "73|NULL|NULL|NULL|73"},
	} {
		var got []string
		for _, row := range sqltest.Rows(t, s, "SELECT ("+test.sub+") FROM a ORDER BY v <> 1, v <> 25, v <> 3") {
			got = append(got, row[0])
		}
		want := strings.Split(test.want, "|")
		want = append([]string{want[0], want[4]}, want[1:4]...) // both rows of 1 come first
		if !slices.Equal(got, want) {
			t.Errorf("%s\ngot %v, want %v", test.sub, got, want)
		}
	}
}

// TestAggregatesOverUnionsByRow compares subqueries that aggregate correlated set operations with the same
// statements that run the subquery for each outer row.
func TestAggregatesOverUnionsByRow(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{Workers: 2})
	rnd := rand.New(rand.NewSource(11))
	value := func() string {
		if rnd.Intn(5) == 0 {
			return "NULL"
		}
		return fmt.Sprint(rnd.Intn(6))
	}
	for _, name := range []string{"t", "u", "v"} {
		sqltest.Run(t, s, "CREATE TABLE "+name+" (a INT, b INT, c DECIMAL(8,2))")
		var rows []string
		for range 25 {
			rows = append(rows, "("+value()+","+value()+","+value()+")")
		}
		sqltest.Run(t, s, "INSERT INTO "+name+" VALUES "+strings.Join(rows, ","))
	}
	conditions := []string{"%[1]s.a = t.a", "%[1]s.b > t.b", "%[1]s.c <=> t.c", "%[1]s.a = t.a AND %[1]s.b <> t.c", "%[1]s.a < 2", "%[1]s.a = t.b", "%[1]s.a > 9"}
	aggregates := []string{"SUM(x)", "COUNT(x)", "COUNT(*)", "MIN(x)", "MAX(x + t.b)", "AVG(x)", "AVG(x) * 7", "COUNT(DISTINCT x)", "SUM(x) + COUNT(*)", "MIN(x) + t.a", "SUM(DISTINCT x)"}
	sets := []string{" UNION ALL ", " UNION ALL ", " UNION ", " INTERSECT ALL ", " EXCEPT ALL "}
	froms := []string{"t", "(SELECT a, b, ROW_NUMBER() OVER (ORDER BY a, b, c) c FROM t) t", "(SELECT * FROM t UNION ALL SELECT * FROM v) t"}
	forms := []string{"SELECT t.*, (%s) FROM %s", "SELECT * FROM %[2]s WHERE (%[1]s) > 2", "SELECT * FROM %[2]s WHERE t.b IN (%[1]s)"}
	answer := func(query string) string { return strings.Join(sqltest.Sorted(sqltest.Rows(t, s, query)), "\n") }
	filled := 0
	for range 200 {
		set := sets[rnd.Intn(len(sets))]
		var branches []string
		for i := range 2 + rnd.Intn(2) {
			from := []string{"u", "v"}[i%2]
			branches = append(branches, "SELECT "+from+"."+[]string{"c", "b"}[rnd.Intn(2)]+" AS x FROM "+from+" WHERE "+fmt.Sprintf(conditions[rnd.Intn(len(conditions))], from))
		}
		sub := "SELECT " + aggregates[rnd.Intn(len(aggregates))] + " FROM (" + strings.Join(branches, set) + ") w"
		query := fmt.Sprintf(forms[rnd.Intn(len(forms))], sub, froms[rnd.Intn(len(froms))])
		got := answer(query)
		sqltest.Run(t, s, "SET gsql_disable_rules = 'DecorrelateJoins'")
		want := answer(query)
		sqltest.Run(t, s, "SET gsql_disable_rules = ''")
		if got != want {
			t.Fatalf("%s\ngot:\n%s\nwant:\n%s", query, got, want)
		}
		if want != "" {
			filled++
		}
	}
	if filled < 100 {
		t.Errorf("only %d of the statements have rows", filled)
	}
}
