package joins_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gsql"
	"gsql/exec"
	"gsql/internal/mem"
	"gsql/internal/sqltest"
)

// fullConditions are conditions of joins of l and r, and the algorithms that can run them.
var fullConditions = []struct{ on, hints string }{
	{"l.k = r.k", "HASH RADIX MERGE NL"},
	{"l.k <=> r.k", "HASH RADIX MERGE NL"},
	{"l.k = r.k AND l.s <=> r.s", "HASH RADIX MERGE NL"},
	{"l.s = r.s AND l.v + r.v > 3", "HASH RADIX MERGE NL"},
	{"l.k = r.k AND l.v < 4 AND r.v > 2", "HASH RADIX MERGE NL"},
	{"l.k = r.k AND l.v < r.v", "HASH RADIX MERGE NL RANGE"},
	{"l.d = r.d AND l.id = r.id", "HASH RADIX MERGE NL"},
	{"l.v * 3 < r.v", "RANGE NL"},
	{"l.d >= r.d AND l.d < r.d + 2 AND l.v <> r.v", "RANGE NL"},
	{"l.s > r.s AND l.k > r.k + 20", "RANGE NL"},
	{"l.v > 5 AND l.k * r.v = 6", "NL"},
	{"l.k = 3 OR r.k = 4 AND l.v = r.v", "NL"},
	{"l.v IS NULL AND r.v = 1", "NL"},
}

// fillFull makes tables with keys that come often, keys of one table only, and NULLs.
func fillFull(t *testing.T, s *gsql.Session, r *rand.Rand, left, right int) {
	t.Helper()
	for table, rows := range map[string]int{"l": left, "r": right} {
		sqltest.Run(t, s, "DROP TABLE IF EXISTS "+table)
		sqltest.Run(t, s, "CREATE TABLE "+table+" (id INT NOT NULL PRIMARY KEY, k INT, s VARCHAR(20), d DECIMAL(8,2), v INT)")
		var values []string
		for id := range rows {
			null := func(text string) string {
				if r.IntN(10) == 0 {
					return "NULL"
				}
				return text
			}
			k := r.IntN(30)
			if table == "r" {
				k += 10
			}
			values = append(values, fmt.Sprintf("(%d, %s, %s, %s, %s)", id, null(fmt.Sprint(k)), null(fmt.Sprintf("'key of text %d'", r.IntN(25))),
				null(fmt.Sprintf("%d.5", r.IntN(40))), null(fmt.Sprint(r.IntN(8)))))
		}
		if rows > 0 {
			sqltest.Run(t, s, "INSERT INTO "+table+" VALUES "+strings.Join(values, ", "))
		}
	}
}

// byHalves writes a FULL JOIN as the left join and the right rows without partners.
func byHalves(on string) string {
	return "(SELECT l.id AS p, l.k AS pk, r.id AS q, r.v AS qv FROM l LEFT JOIN r ON " + on + " UNION ALL SELECT NULL, NULL, r.id, r.v FROM r WHERE NOT EXISTS (SELECT 1 FROM l WHERE " + on + "))"
}

// TestFullJoins runs FULL JOINs by all algorithms, over workers, batch sizes and memory limits,
// alone and below and above other operators, and compares them with what they mean.
func TestFullJoins(t *testing.T) {
	sqltest.NotForRaces(t)
	mem.PoisonFreed()
	exec.VerifyNotNull()
	rng := rand.New(rand.NewPCG(41, 42))
	over := []string{
		"SELECT * FROM %s x",
		"SELECT pk, COUNT(*), COUNT(p), COUNT(q), SUM(qv) FROM %s x GROUP BY pk",
		"SELECT COUNT(*), SUM(pk), MAX(qv) FROM %s x",
		"SELECT p, q FROM %s x WHERE p IS NULL OR q IS NULL",
		"SELECT p, q FROM %s x WHERE qv > 3",
		"SELECT p, q FROM %s x WHERE pk > 15 AND (qv < 6 OR qv IS NULL)",
		"SELECT x.p, x.q, r.id FROM %s x JOIN r ON r.k = x.pk AND r.v = x.qv",
		"SELECT x.p, x.q, l.id FROM l LEFT JOIN %s x ON l.id = x.p AND x.q IS NULL",
		"SELECT x.p, x.q, l.id FROM %s x FULL JOIN l ON l.id = x.q",
		"SELECT p, q FROM %s x ORDER BY pk, p, q LIMIT 20",
		"SELECT l.id FROM l WHERE l.id NOT IN (SELECT COALESCE(p, -q) FROM %s x)",
	}
	for round, rows := range [][2]int{{120, 90}, {0, 40}, {40, 0}, {0, 0}, {1, 300}, {300, 1}, {260, 240}} {
		s := sqltest.Open(t, gsql.Config{})
		fillFull(t, s, rng, rows[0], rows[1])
		for i, c := range fullConditions {
			for _, algo := range strings.Fields(c.hints) {
				query := over[rng.IntN(len(over))]
				if round == 0 {
					query = over[0]
				}
				sqltest.Run(t, s, fmt.Sprintf("SET gsql_workers = %d", 1+rng.IntN(4)))
				sqltest.Run(t, s, fmt.Sprintf("SET gsql_batch_size = %d", []int{1, 3, 64, 1024}[rng.IntN(4)]))
				full := fmt.Sprintf("(SELECT /*+ %s_JOIN(r) */ l.id AS p, l.k AS pk, r.id AS q, r.v AS qv FROM l FULL JOIN r ON %s)", algo, c.on)
				want := sqltest.Sorted(sqltest.Rows(t, s, fmt.Sprintf(query, byHalves(c.on))))
				sql := fmt.Sprintf(query, full)
				if got := sqltest.Sorted(sqltest.Rows(t, s, sql)); !slices.Equal(got, want) {
					t.Fatalf("condition %d, %v rows, %s:\n%.1000q, want\n%.1000q\n%s", i, rows, sql, got, want, sqltest.Rows(t, s, "EXPLAIN "+sql))
				}
			}
		}
	}
}

// TestFullJoinsAreChosen checks that the plan has the algorithm that a hint requests, and how
// filters transform a FULL JOIN below them.
func TestFullJoinsAreChosen(t *testing.T) {
	sqltest.NotForRaces(t)
	s := sqltest.Open(t, gsql.Config{})
	fillFull(t, s, rand.New(rand.NewPCG(43, 44)), 50, 50)
	names := map[string]string{"HASH": "HashJoin full", "RADIX": "RadixJoin full", "MERGE": "MergeJoin full", "NL": "NestedLoopJoin full", "RANGE": "RangeJoin full"}
	for _, c := range fullConditions {
		for _, algo := range strings.Fields(c.hints) {
			sql := fmt.Sprintf("EXPLAIN SELECT /*+ %s_JOIN(r) */ * FROM l FULL JOIN r ON %s", algo, c.on)
			if plan := fmt.Sprint(sqltest.Rows(t, s, sql)); !strings.Contains(plan, names[algo]) {
				t.Errorf("%s:\n%s", sql, plan)
			}
		}
	}
	for where, want := range map[string]string{
		"r.v > 1": "left", "l.v > 1": "left", "l.v = 1 AND r.v < 4": "inner", "l.id = r.id": "inner", "l.v IS NULL": "full", "l.v > 1 OR r.v > 1": "full", "COALESCE(l.v, r.v) = 1": "full",
	} {
		sql := "EXPLAIN SELECT * FROM l FULL JOIN r ON l.k = r.k WHERE " + where
		if plan := fmt.Sprint(sqltest.Rows(t, s, sql)); !strings.Contains(plan, "Join "+want) {
			t.Errorf("%s: no %s join in\n%s", sql, want, plan)
		}
	}
	plan := fmt.Sprint(sqltest.Rows(t, s, "EXPLAIN SELECT * FROM l FULL JOIN r USING (id) WHERE id = 7"))
	if strings.Count(plan, "Scan") != 2 || strings.Contains(plan, "Filter") {
		t.Errorf("a condition on a column of USING stays above the join:\n%s", plan)
	}
	plan = fmt.Sprint(sqltest.Rows(t, s, "EXPLAIN SELECT * FROM l FULL JOIN r ON FALSE"))
	if strings.Contains(plan, "Join") {
		t.Errorf("a join on FALSE looks at pairs:\n%s", plan)
	}
}

// TestFullJoinsInLittleMemory compares joins that go to disk with their halves.
func TestFullJoinsInLittleMemory(t *testing.T) {
	mem.PoisonFreed()
	s := sqltest.Open(t, gsql.Config{})
	const rows = "WITH RECURSIVE a (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM a WHERE n < 139), b AS (SELECT x.n * 140 + y.n AS n FROM a x, a y) "
	sqltest.Run(t, s, "CREATE TABLE l (id INT NOT NULL PRIMARY KEY, k INT, s VARCHAR(20), v INT)")
	sqltest.Run(t, s, "CREATE TABLE r LIKE l")
	sqltest.Run(t, s, "INSERT INTO l "+rows+"SELECT n, NULLIF(n * 7919 % 30011, 5), CONCAT('text ', n * 31 % 40009), n % 100 FROM b")
	sqltest.Run(t, s, "INSERT INTO r "+rows+"SELECT n, NULLIF(n * 6007 % 30011, 7) + 9000, CONCAT('text ', n * 37 % 50021), n % 90 FROM b")
	workers := []string{"1", "3"}
	if testing.Short() {
		workers = workers[1:]
	}
	const sums = "SELECT COUNT(*), COUNT(p), COUNT(q), SUM(p), SUM(q), SUM(COALESCE(p, 3) * COALESCE(q, 7)), MAX(t) FROM "
	for _, c := range []struct{ on, hints, limit string }{
		{"l.k = r.k", "HASH RADIX MERGE", "450KB"},
		{"l.s <=> r.s AND l.v < r.v", "HASH RADIX MERGE", "1MB"},
		{"l.id > r.id * 4 AND l.id < r.id * 4 + 9 AND l.v <> r.v", "RANGE", "800KB"},
		{"l.s >= r.s AND l.s < CONCAT(r.s, '1') AND r.id < 90", "RANGE", "2MB"},
		{"(l.id * 3 + r.v) % 997 = 1 AND r.id % 1000 = 1", "NL", "450KB"},
	} {
		halves := "(SELECT l.id AS p, r.id AS q, l.s AS t FROM l LEFT JOIN r ON " + c.on + " UNION ALL SELECT NULL, r.id, NULL FROM r WHERE NOT EXISTS (SELECT 1 FROM l WHERE " + c.on + "))"
		want := fmt.Sprint(sqltest.Rows(t, s, sums+halves+" x"))
		for _, algo := range strings.Fields(c.hints) {
			for _, workers := range workers {
				sql := sums + fmt.Sprintf("(SELECT /*+ %s_JOIN(r) */ l.id AS p, r.id AS q, l.s AS t FROM l FULL JOIN r ON %s) x", algo, c.on)
				sqltest.Run(t, s, "SET gsql_workers = "+workers)
				sqltest.Run(t, s, "SET gsql_memory_limit = '"+c.limit+"'")
				plan := fmt.Sprint(sqltest.Rows(t, s, "EXPLAIN ANALYZE "+sql))
				got, err := sqltest.TryRows(s, sql)
				sqltest.Run(t, s, "SET gsql_memory_limit = DEFAULT")
				if err != nil || fmt.Sprint(got) != want {
					t.Errorf("%s, %s workers: %v, %v, want %s", sql, workers, got, err, want)
				}
				if !strings.Contains(plan, "on disk") {
					t.Errorf("%s, %s workers: nothing was on disk: %s", sql, workers, plan)
				}
			}
		}
	}
}
