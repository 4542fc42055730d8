package memory_test

import (
	"fmt"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
)

// fewRows returns a session with little memory and a table h of nine texts of 2 MB, the first of a and the last of i.
func fewRows(t *testing.T) *gsql.Session {
	t.Helper()
	s := sqltest.Open(t, gsql.Config{Workers: 2})
	sqltest.Run(t, s, "CREATE TABLE h AS "+sqltest.Series(1, 9)+" SELECT i, REPEAT(CHAR(96 + i USING utf8mb4), 2000000 + i) AS v FROM r")
	sqltest.Run(t, s, "SET gsql_memory_limit = '12MB'")
	return s
}

// TestFunctionsOfFewRows computes functions of huge texts, of which a batch has several: together their
// values exceed the memory limit, but not one at a time. The order of the rows stays.
func TestFunctionsOfFewRows(t *testing.T) {
	s := fewRows(t)
	got := sqltest.Rows(t, s, "SELECT i, LENGTH(REVERSE(v)), LEFT(UPPER(v), 2) FROM h")
	for n, row := range got {
		letter := string(rune('A' + n))
		if want := []string{fmt.Sprint(n + 1), fmt.Sprint(2000001 + n), letter + letter}; fmt.Sprint(row) != fmt.Sprint(want) {
			t.Errorf("%v, want %v", row, want)
		}
	}
	if len(got) != 9 {
		t.Errorf("%d rows", len(got))
	}
}

// TestConditionsOfFewRows does the same with conditions, keys and arguments that are functions of such texts.
func TestConditionsOfFewRows(t *testing.T) {
	s := fewRows(t)
	for text, want := range map[string]string{
		"SELECT COUNT(*) FROM h WHERE REVERSE(v) LIKE 'b%'":                                                                "[[1]]",
		"SELECT i FROM (SELECT i, v FROM h LIMIT 100) x WHERE REVERSE(v) > 'g' OR UPPER(v) LIKE 'B%' ORDER BY i":           "[[2] [7] [8] [9]]",
		"SELECT i FROM h WHERE i <> 4 AND REVERSE(v) BETWEEN 'c' AND 'f' ORDER BY i":                                       "[[3] [5]]",
		"SELECT SUM(LENGTH(REVERSE(v))), COUNT(*), MAX(LEFT(UPPER(v), 1)) FROM h":                                          "[[18000045 9 I]]",
		"SELECT LENGTH(CONCAT(v, 'x')) % 2 AS k, COUNT(*), MIN(LEFT(REVERSE(v), 2)) FROM h GROUP BY k ORDER BY k":          "[[0 5 aa] [1 4 bb]]",
		"SELECT LEFT(UPPER(v), 1) AS k, SUM(LENGTH(REVERSE(v))) FROM h GROUP BY k ORDER BY k LIMIT 2":                      "[[A 2000001] [B 2000002]]",
		"SELECT i FROM h ORDER BY LEFT(REVERSE(v), 1) DESC LIMIT 3":                                                        "[[9] [8] [7]]",
		"SELECT i, ROW_NUMBER() OVER (ORDER BY LEFT(REVERSE(v), 1) DESC) AS n FROM h ORDER BY i LIMIT 2":                   "[[1 9] [2 8]]",
		"SELECT COUNT(DISTINCT LEFT(REVERSE(v), 1)), GROUP_CONCAT(LEFT(UPPER(v), 1) ORDER BY i SEPARATOR '') FROM h":       "[[9 ABCDEFGHI]]",
		"SELECT COUNT(*) FROM h x JOIN h y ON x.i = y.i AND LENGTH(CONCAT(x.v, 'a')) > LENGTH(y.v) WHERE UPPER(x.v) < 'D'": "[[3]]",
	} {
		if got := fmt.Sprint(sqltest.Rows(t, s, text)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
