package memory_test

import (
	"fmt"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
)

// TestFunctionsOfFewRows computes functions of huge texts, of which a batch has several: together their
// values exceed the memory limit, but not one at a time. The order of the rows stays.
func TestFunctionsOfFewRows(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{Workers: 2})
	sqltest.Run(t, s, "CREATE TABLE h AS "+sqltest.Series(1, 9)+" SELECT i, REPEAT(CHAR(96 + i USING utf8mb4), 2000000 + i) AS v FROM r")
	sqltest.Run(t, s, "SET gsql_memory_limit = '12MB'")
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
