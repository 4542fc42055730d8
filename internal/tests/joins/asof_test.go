package joins_test

import (
	"fmt"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
)

// TestAsofPlans looks at how the nearest rows are found: by their stretches where many rows
// share a key, by the keys where few do.
func TestAsofPlans(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{Workers: 2})
	sqltest.Run(t, s, "CREATE TABLE d (i INT NOT NULL)")
	sqltest.Run(t, s, "INSERT INTO d VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)")
	for _, name := range []string{"l", "r"} {
		sqltest.Run(t, s, "CREATE TABLE "+name+" (few INT, many INT, t INT, v INT)")
		sqltest.Run(t, s, "INSERT INTO "+name+" SELECT a.i, a.i + 10*b.i + 100*c.i + 1000*d.i, (a.i + 10*b.i + 100*c.i + 1000*d.i) * 7919 % 10007, b.i + 1 FROM d a, d b, d c, d")
	}
	for key, want := range map[string]string{"few": "RangeJoin", "many": "HashJoin"} {
		from := fmt.Sprintf("FROM l ASOF JOIN r ON l.%[1]s = r.%[1]s AND l.t >= r.t", key)
		plan := sqltest.Rows(t, s, "EXPLAIN SELECT MAX(l.v * r.v) "+from)
		if !strings.Contains(fmt.Sprint(plan), want) {
			t.Errorf("%s: no %s in %v", key, want, plan)
		}
		if got := sqltest.Rows(t, s, "SELECT COUNT(*), SUM(l.t - r.t) "+from)[0]; got[0] != "10000" || got[1] != "0" { // each finds itself
			t.Errorf("%s: %v", key, got)
		}
	}
}
