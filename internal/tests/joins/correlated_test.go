package joins_test

import (
	"fmt"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
)

// correlated has rows of which hardly a pair satisfies several comparisons that one by one half of
// all pairs do: s falls where e rises, and x + y + z is the same for all.
const correlated = `
CREATE TABLE d (i INT);
INSERT INTO d VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9);
CREATE TABLE iv (id BIGINT, s BIGINT, e BIGINT, k INT, x BIGINT, y BIGINT, z BIGINT);
INSERT INTO iv SELECT n, -n, 1000000+n, n%2, x, y, 100000-x-y FROM (SELECT n, n*48271%20011 AS x, n*n*7919%19997 AS y FROM
	(SELECT a.i+10*b.i+100*c.i+1000*e.i+10000*f.i AS n FROM d a, d b, d c, d e, d f WHERE f.i < 2) t) u;
`

// TestCorrelatedInequalities expects range joins in cases where counting each comparison separately
// would estimate hundreds of millions of pairs, and an estimate close to the few pairs that there
// are.
func TestCorrelatedInequalities(t *testing.T) {
	sqltest.NotForRaces(t)
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, correlated)
	for _, tt := range []struct{ from, where, details string }{
		{"iv a JOIN iv b ON a.s < b.s AND a.e < b.e AND b.id < a.id", "", "a.s < b.s; a.e < b.e; residual: a.id > b.id"},
		{"iv a JOIN iv b ON b.id < a.id AND a.s > b.s AND a.e > b.e", "", ""},
		{"iv a JOIN iv b ON a.k = b.k AND a.s < b.s AND a.e < b.e", "", "a.k = b.k; a.s < b.s; a.e < b.e"},
		{"iv a JOIN iv b ON a.x < b.x AND a.y < b.y AND a.z < b.z", "", "a.x < b.x; a.y < b.y; a.z < b.z"},
		{"iv a JOIN iv b ON a.k = b.k AND a.x < b.x AND a.y < b.y AND a.z < b.z", "", ""},
		{"iv a", " WHERE EXISTS (SELECT 1 FROM iv b WHERE a.k = b.k AND a.s < b.s AND a.e < b.e)", ""},
		{"iv a", " WHERE EXISTS (SELECT 1 FROM iv b WHERE a.k = b.k AND a.x < b.x AND a.y < b.y AND a.z < b.z)", ""},
		{"(SELECT DISTINCT s, e FROM iv) a JOIN (SELECT DISTINCT s, e FROM iv) b ON a.s < b.s AND a.e < b.e", "", ""},
	} {
		query := "SELECT a.s, a.e FROM " + tt.from + tt.where
		plan := sqltest.Rows(t, s, "EXPLAIN "+query)
		ranged := strings.HasPrefix(plan[0][0], "RangeJoin") || strings.Contains(plan[1][0], "RangeJoin")
		extreme := strings.Contains(tt.where, "EXISTS") && strings.Contains(sqltest.Lines(plan), "GroupJoin")
		if !ranged && !extreme || !strings.Contains(sqltest.Lines(plan), tt.details) {
			t.Errorf("%s\n%s", query, sqltest.Lines(plan))
		}
		if rows := sqltest.Rows(t, s, query); len(rows) != 0 {
			t.Errorf("%s: %d rows", query, len(rows))
		}
	}
	// Row n+1 of a pair comes after row n in all columns now: three pairs, one within a key.
	sqltest.Run(t, s, "INSERT INTO iv VALUES (100000, 1000, 1000, 7, 1, 1, 200000), (100001, 1001, 1001, 7, 2, 2, 200001), (100002, 1002, 1002, 8, 3, 3, 200002)")
	for _, tt := range []struct {
		on   string
		want int
	}{
		{"a.s < b.s AND a.e < b.e AND b.id > a.id", 3},
		{"a.k = b.k AND a.s < b.s AND a.e < b.e", 1},
	} {
		query := fmt.Sprintf("SELECT a.id, b.id FROM iv a JOIN iv b ON %s", tt.on)
		if rows := sqltest.Rows(t, s, query); len(rows) != tt.want {
			t.Errorf("%s: %d rows, want %d", query, len(rows), tt.want)
		}
	}
}
