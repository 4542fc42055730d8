package planning_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
)

// TestUnionsInSubqueries compares subqueries over correlated UNIONs, which are taken apart, with
// the same statements that run the subquery for each outer row.
func TestUnionsInSubqueries(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{Workers: 2})
	rnd := rand.New(rand.NewSource(7))
	value := func() string {
		if rnd.Intn(5) == 0 {
			return "NULL"
		}
		return fmt.Sprint(rnd.Intn(6))
	}
	for _, name := range []string{"t", "u", "v"} {
		sqltest.Run(t, s, "CREATE TABLE "+name+" (a INT, b INT, c INT)")
		var rows []string
		for range 25 {
			rows = append(rows, "("+value()+","+value()+","+value()+")")
		}
		sqltest.Run(t, s, "INSERT INTO "+name+" VALUES "+strings.Join(rows, ","))
	}
	conditions := []string{"%[1]s.a = t.a", "%[1]s.b > t.b", "%[1]s.c <=> t.c", "%[1]s.a = t.a AND %[1]s.b <> t.c", "%[1]s.a < 2", "%[1]s.c = t.b"}
	forms := []string{"%s", "NOT %s", "(%s) IS NULL", "(%s) OR t.a = 1"}
	subqueries := []string{"EXISTS (%s)", "NOT EXISTS (%s)", "t.b IN (%s)", "t.b NOT IN (%s)", "t.c > ALL (%s)", "t.c <= ANY (%s)", "t.c <> ALL (%s)"}
	answer := func(query string) string { return strings.Join(sqltest.Sorted(sqltest.Rows(t, s, query)), "\n") }
	filled := 0
	for range 150 {
		var branches []string
		for i := range 2 + rnd.Intn(2) {
			from := []string{"u", "v"}[i%2]
			branches = append(branches, "SELECT "+from+".c FROM "+from+" WHERE "+fmt.Sprintf(conditions[rnd.Intn(len(conditions))], from))
		}
		set := []string{" UNION ", " UNION ALL "}[rnd.Intn(2)]
		p := fmt.Sprintf(subqueries[rnd.Intn(len(subqueries))], strings.Join(branches, set))
		query := "SELECT * FROM t WHERE " + fmt.Sprintf(forms[rnd.Intn(len(forms))], p)
		if rnd.Intn(3) == 0 {
			query = "SELECT t.*, " + p + " FROM t"
		}
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
	if filled < 75 {
		t.Errorf("only %d of the statements have rows", filled)
	}
}
