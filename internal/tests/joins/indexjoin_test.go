package joins_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
)

// keyedJoins are the conditions by which rows of kept, whose keys they fix, are joined to those
// of few.
var keyedJoins = []string{
	"k.a = f.a AND k.b = f.b", "k.b = f.b AND k.a = f.a + 1 AND k.v > f.w", "k.a = f.a AND k.b <=> f.b", "k.c = f.c", "k.c <=> f.c", "k.c = f.n COLLATE utf8mb4_0900_ai_ci",
	"k.g = f.c COLLATE utf8mb4_general_ci AND k.d = f.d", "k.d = f.d AND k.g <=> f.g", "k.u = f.a", "k.u <=> f.b", "k.e = f.d", "k.t = f.t", "k.n = f.n",
	"k.c = f.n COLLATE utf8mb4_bin", "k.n = f.c", "k.a = f.a", "k.d = f.d AND k.g = f.n COLLATE utf8mb4_bin",
}

var keyedQueries = []string{
	"SELECT /*+ INDEX_JOIN(k) */ f.w, k.v FROM few f JOIN kept k ON ",
	"SELECT /*+ INDEX_JOIN(k) */ f.w, k.v FROM few f LEFT JOIN kept k ON ",
	"SELECT f.w FROM few f WHERE EXISTS (SELECT 1 FROM kept k WHERE ",
	"SELECT f.w FROM few f WHERE NOT EXISTS (SELECT 1 FROM kept k WHERE ",
	"SELECT f.w, k.v, h.v FROM few f, kept h, kept k WHERE h.v = f.w AND ",
}

// TestIndexJoins compares joins that look up rows by keys of all kinds with joins that do not, in
// transactions that add, change and delete rows.
func TestIndexJoins(t *testing.T) {
	sqltest.NotForRaces(t)
	s := sqltest.Open(t, gsql.Config{Workers: 2})
	sqltest.Run(t, s, `CREATE TABLE kept (a INT UNSIGNED NOT NULL, b BIGINT, c VARCHAR(20) COLLATE utf8mb4_0900_ai_ci UNIQUE, g VARCHAR(20) COLLATE utf8mb4_general_ci, n VARCHAR(20) UNIQUE,
		d DECIMAL(8,2), u SMALLINT UNSIGNED UNIQUE, e DOUBLE UNIQUE, t DATETIME, v INT PRIMARY KEY, UNIQUE KEY (a, b), UNIQUE KEY (d, g), UNIQUE KEY (t))`)
	sqltest.Run(t, s, "CREATE TABLE few (w INT, a BIGINT, b INT, c VARCHAR(20) COLLATE utf8mb4_0900_ai_ci, g VARCHAR(20) COLLATE utf8mb4_general_ci, n VARCHAR(20), d DECIMAL(8,2), t DATETIME)")
	sqltest.Run(t, s, `INSERT INTO kept WITH RECURSIVE r AS (SELECT 0 AS x UNION ALL SELECT x + 1 FROM r WHERE x < 99), s AS (SELECT p.x * 100 + q.x AS i FROM r p, r q)
		SELECT i DIV 50, NULLIF(i % 50 - 25, 3), CONCAT('Straße ', i), IF(i % 7 = 0, NULL, CONCAT('é', i DIV 40)), CONCAT('n', i), i % 40 - 20.25, i, i / 2 - 500, DATE_ADD('2001-01-01', INTERVAL i MINUTE), i FROM s`)
	rng := rand.New(rand.NewPCG(3, 4))
	found := 0
	for round := range 4 {
		sqltest.Run(t, s, "DELETE FROM few")
		for w := range 40 {
			sqltest.Run(t, s, randomFew(rng, w))
		}
		if round > 0 {
			sqltest.Run(t, s, "START TRANSACTION")
			sqltest.Run(t, s, fmt.Sprintf("DELETE FROM kept WHERE v %% 9 = %d", round))
			sqltest.Run(t, s, fmt.Sprintf("UPDATE kept SET c = CONCAT('STRASSE ', v + 20000), b = b + 100, d = d + 5000, t = NULL WHERE v %% 11 = %d", round))
			sqltest.Run(t, s, fmt.Sprintf("INSERT INTO kept (a, b, c, v) SELECT a + 1, b + 1000 * %[1]d, CONCAT(c, ' again', %[1]d), v + 30000 * %[1]d FROM kept WHERE v < 300", round))
		}
		for i, on := range keyedJoins {
			for j, q := range keyedQueries {
				if (i+j+round)%2 == 0 {
					found += compareKeyed(t, s, q+on+strings.Repeat(")", strings.Count(q, "(SELECT")))
				}
			}
		}
		if round > 0 {
			sqltest.Run(t, s, []string{"COMMIT", "ROLLBACK"}[round%2])
		}
	}
	if found < 60 {
		t.Errorf("%d joins looked rows up", found)
	}
	for _, c := range []struct{ sql, arg, want string }{
		{"SELECT v FROM kept WHERE c = ?", "STRASSE 1236", "[[1236]]"}, {"SELECT v FROM kept WHERE c = ?", "strasse 17", "[[17]]"}, {"SELECT v FROM kept WHERE n = ?", "N17", "[]"},
		{"SELECT v FROM kept WHERE c IN (?, 'x', NULL)", "STRASSE 5", "[[5]]"},
	} {
		if got := fmt.Sprint(sqltest.Rows(t, s, c.sql, c.arg)); got != c.want {
			t.Errorf("%s with %s: %s, want %s", c.sql, c.arg, got, c.want)
		}
	}
}

// randomFew inserts a row of few: most values are those of some row of kept, some of none.
func randomFew(rng *rand.Rand, w int) string {
	i := rng.IntN(10_000)
	or := func(value, other string) string {
		switch rng.IntN(12) {
		case 0:
			return "NULL"
		case 1:
			return other
		}
		return value
	}
	return fmt.Sprintf("INSERT INTO few VALUES (%d, %s, %s, %s, %s, %s, %s, %s)", w, or(fmt.Sprint(i/50), "-1"), or(fmt.Sprint(i%50-25), "9999"),
		or(fmt.Sprintf("'STRASSE %d'", i), "'é7'"), or(fmt.Sprintf("'E%d'", i/40), "'é5 '"), or(fmt.Sprintf("'n%d'", i), fmt.Sprintf("'strasse %d'", i)),
		or(fmt.Sprintf("%d - 20.25", i%40), "0.5"), or(fmt.Sprintf("DATE_ADD('2001-01-01', INTERVAL %d MINUTE)", i), "'1999-01-01'"))
}

// compareKeyed runs a query with lookups and without, and reports whether it had some.
func compareKeyed(t *testing.T, s *gsql.Session, sql string) int {
	t.Helper()
	plan := fmt.Sprint(sqltest.Rows(t, s, "EXPLAIN "+sql))
	got := sqltest.Sorted(sqltest.Rows(t, s, sql))
	sqltest.Run(t, s, "SET gsql_disable_rules = 'DynamicFilters'")
	want := sqltest.Sorted(sqltest.Rows(t, s, sql))
	sqltest.Run(t, s, "SET gsql_disable_rules = ''")
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%.500q, without lookups\n%.500q\n%s", sql, got, want, plan)
	}
	if strings.Contains(plan, "by key: ") {
		return 1
	}
	return 0
}
