//go:build sim || cuda

package device_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
)

// windowQueries run on the device as a whole. Orders on which a function depends are unique.
var windowQueries = []string{
	"SELECT id, ROW_NUMBER() OVER (PARTITION BY p ORDER BY o, id), RANK() OVER (PARTITION BY p ORDER BY o), DENSE_RANK() OVER (PARTITION BY p ORDER BY o) FROM w",
	"SELECT id, RANK() OVER (ORDER BY t DESC, d), PERCENT_RANK() OVER (ORDER BY o), CUME_DIST() OVER (PARTITION BY p, q ORDER BY x DESC) FROM w",
	"SELECT id, NTILE(3) OVER (PARTITION BY p ORDER BY o, id), LAG(o) OVER (PARTITION BY p ORDER BY id), LEAD(t, 2) OVER (ORDER BY id DESC) FROM w",
	"SELECT id, FIRST_VALUE(d) OVER (PARTITION BY p ORDER BY id), LAST_VALUE(x) OVER (PARTITION BY p ORDER BY o, id), NTH_VALUE(t, 2) OVER (PARTITION BY q ORDER BY id) FROM w",
	"SELECT id, SUM(o) OVER (PARTITION BY p ORDER BY id), COUNT(d) OVER (PARTITION BY p ORDER BY id), AVG(d) OVER (PARTITION BY p ORDER BY o) FROM w",
	"SELECT id, SUM(d) OVER (PARTITION BY p ORDER BY o, id ROWS BETWEEN 3 PRECEDING AND 2 FOLLOWING), SUM(far) OVER (PARTITION BY q ORDER BY id), AVG(far) OVER (ORDER BY id) FROM w",
	"SELECT id, MIN(x) OVER (PARTITION BY p), MAX(t) OVER (PARTITION BY q), SUM(o) OVER (), COUNT(*) OVER (PARTITION BY t), STDDEV(o) OVER (PARTITION BY p) FROM w",
	"SELECT p, q, SUM(d), SUM(SUM(d)) OVER (PARTITION BY p ORDER BY q), RANK() OVER (ORDER BY COUNT(*) DESC, p, q) FROM w GROUP BY p, q",
	"SELECT * FROM (SELECT id, t, o, ROW_NUMBER() OVER (PARTITION BY p ORDER BY o DESC, id) r FROM w) v WHERE r <= 2",
	"SELECT r, COUNT(*), SUM(o) FROM (SELECT o, RANK() OVER (PARTITION BY p ORDER BY t) r FROM w WHERE q < 3) v GROUP BY r",
	"SELECT id, s FROM (SELECT id, SUM(o) OVER (PARTITION BY p ORDER BY id) s FROM w) v ORDER BY s DESC, id LIMIT 5",
}

// fillWindows makes a table w of a number of rows, whose id is unique.
func fillWindows(t *testing.T, s *gsql.Session, n int) {
	t.Helper()
	r := rand.New(rand.NewPCG(11, uint64(n)))
	null := func(x any) string { return sqltest.OrNull(r, x) }
	execute(t, s, "CREATE TABLE w (id INT NOT NULL, p INT, q TINYINT NOT NULL, o INT, d DECIMAL(10,2), x DOUBLE, t VARCHAR(10), far BIGINT NOT NULL)")
	var rows []string
	for id := range n {
		rows = append(rows, fmt.Sprintf("(%d, %s, %d, %s, %s, %s, %s, %d)", id*7%n, null(r.IntN(9)-4), r.IntN(6), null(r.IntN(40)-20), null(fmt.Sprintf("%d.%02d", r.IntN(200)-100, r.IntN(100))),
			null(float64(r.IntN(40)-20)/8), null(fmt.Sprintf("'%c'", 'a'+r.IntN(5))), r.Int64N(1<<61)-1<<60))
	}
	if n > 0 {
		execute(t, s, "INSERT INTO w VALUES "+strings.Join(rows, ","))
	}
}

// TestWindows compares windows with the CPU's, and checks that nothing of them stays there.
func TestWindows(t *testing.T) {
	for _, n := range []int{0, 1, 3001} {
		s := deviceSession(t)
		fillWindows(t, s, n)
		for _, q := range windowQueries {
			compare(t, s, q)
			if plan := sqltest.Rows(t, s, "EXPLAIN "+q); n > 1000 && !strings.HasPrefix(plan[0][0], "Pipelines") {
				t.Errorf("%s: %v", q, sqltest.Lines(plan))
			}
		}
	}
}

// groupJoinQueries run on the device as a whole.
var groupJoinQueries = []string{
	"SELECT a.p, COUNT(*), SUM(b.d), AVG(b.d) FROM w a JOIN w b ON a.o < b.o GROUP BY a.p",
	"SELECT a.id, COUNT(b.id), SUM(b.far) FROM w a LEFT JOIN w b ON a.d >= b.d GROUP BY a.id",
	"SELECT a.id, COUNT(*), SUM(b.o) FROM w a JOIN w b ON a.p = b.p AND b.d BETWEEN a.d - 3 AND a.d + 5 GROUP BY a.id",
	"SELECT a.id, COUNT(*), SUM(b.o) FROM w a JOIN w b ON a.t = b.t AND a.o < b.o WHERE b.q > 2 GROUP BY a.id ORDER BY 3 DESC, 1 LIMIT 10",
	"SELECT COUNT(*), SUM(b.d) FROM w a JOIN w b ON a.x > b.x",
}

// TestGroupJoins compares aggregates over joins by comparisons with the CPU's.
func TestGroupJoins(t *testing.T) {
	for _, n := range []int{0, 1, 3001} {
		s := deviceSession(t)
		fillWindows(t, s, n)
		for _, q := range groupJoinQueries {
			compare(t, s, q)
			plan := sqltest.Rows(t, s, "EXPLAIN "+q)
			if text := sqltest.Lines(plan); n > 1000 && (!strings.HasPrefix(plan[0][0], "Pipelines") || !strings.Contains(text, "GroupJoin")) {
				t.Errorf("%s: %v", q, text)
			}
		}
	}
}

// TestWindowsRefused checks that EXPLAIN says why a window stays on the CPU.
func TestWindowsRefused(t *testing.T) {
	s := deviceSession(t)
	fillWindows(t, s, 100)
	const q = "SELECT id, SUM(x) OVER (ORDER BY id) FROM w"
	compare(t, s, q)
	if plan := sqltest.Lines(sqltest.Rows(t, s, "EXPLAIN "+q)); !strings.Contains(plan, "SUM(w.x) over frames has no device form") {
		t.Error(plan)
	}
}
