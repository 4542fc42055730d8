package joins_test

import (
	"fmt"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
)

// TestNullKeysEndJoins joins rows whose keys are all NULL with a large table. It must not be read,
// whichever operator joins and whatever stands between.
func TestNullKeysEndJoins(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{Workers: 2})
	sqltest.Run(t, s, "SET cte_max_recursion_depth = 1000000")
	sqltest.Run(t, s, "CREATE TABLE b (k INT, l INT, v INT NOT NULL, s VARCHAR(200)); CREATE TABLE p (k INT, v INT NOT NULL)")
	sqltest.Run(t, s, "INSERT INTO b "+sqltest.Series(0, 20_000)+" SELECT NULL, NULL, i, REPEAT('x', 100) FROM r")
	sqltest.Run(t, s, "INSERT INTO p "+sqltest.Series(0, 100_000)+" SELECT i * 7 % 50000, i FROM r")
	const (
		few     = "(SELECT * FROM b WHERE v < 100) f"
		grouped = "(SELECT k, SUM(v) AS n FROM p GROUP BY k) g"
		topRows = "(SELECT k, v FROM p ORDER BY v, k LIMIT 1000) g"
		ranked  = "(SELECT k, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS n FROM p) g"
		small   = "SET gsql_memory_limit = '600KB'"
	)
	for _, tt := range []struct{ before, query string }{
		{"", "SELECT f.v, g.n FROM " + few + " JOIN " + grouped + " ON g.k = f.k"},
		{"", "SELECT f.v, g.v FROM " + few + " JOIN " + topRows + " ON g.k = f.k"},
		{"", "SELECT /*+ MERGE_JOIN(f, p) */ f.v, p.v FROM " + few + " JOIN p ON p.k = f.k"},
		{"", "SELECT /*+ RADIX_JOIN(f, p) */ f.v, p.v FROM " + few + " JOIN p ON p.k = f.k"},
		{"", "SELECT /*+ RANGE_JOIN(f, p) */ f.v, p.v FROM " + few + " JOIN p ON p.k < f.k AND p.v > f.v"},
		{"", "SELECT g.k FROM " + grouped + " WHERE g.k IN (SELECT k FROM " + few + ")"},
		{"", "SELECT f.v, (SELECT SUM(p.v) FROM p WHERE p.k < f.k AND p.v < f.l) FROM " + few},
		{"", "SELECT f.v, (SELECT SUM(g.v) FROM " + ranked + " WHERE g.k < f.k) FROM " + few},
		{"", "SELECT g.k, SUM(f.v) FROM " + few + " JOIN " + grouped + " ON g.n BETWEEN f.k AND f.l GROUP BY g.k"},
		{"", "SELECT g.k FROM " + grouped + " WHERE g.k NOT IN (SELECT k FROM " + few + ")"},
		{small, "SELECT b.s, g.n FROM b JOIN " + grouped + " ON g.k = b.k"},
		{small, "SELECT b.s FROM " + grouped + " JOIN b ON g.k = b.k"},
	} {
		sqltest.Run(t, s, "SET gsql_memory_limit = DEFAULT; "+tt.before)
		plan := sqltest.Rows(t, s, "EXPLAIN ANALYZE "+tt.query)
		for _, row := range plan {
			if strings.HasSuffix(row[0], "Scan p") && row[4] != "NULL" && row[4] != "" && row[4] != "0" {
				t.Errorf("%s: %s rows of p were read\n%s", tt.query, row[4], sqltest.Lines(plan))
			}
		}
		if rows := sqltest.Rows(t, s, tt.query); strings.Contains(tt.query, "(SELECT SUM") != (len(rows) > 0) {
			t.Errorf("%s: %s", tt.query, fmt.Sprint(rows))
		}
	}
}
