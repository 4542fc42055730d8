package lower_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gsql"
	"gsql/gpu/lower"
	"gsql/internal/sqltest"
)

// windowQueries are over a table w whose id is unique.
var windowQueries = []string{
	"SELECT id, ROW_NUMBER() OVER (PARTITION BY p ORDER BY o, id), RANK() OVER (PARTITION BY p ORDER BY o), DENSE_RANK() OVER (PARTITION BY p ORDER BY o) FROM w",
	"SELECT id, RANK() OVER (ORDER BY o DESC), DENSE_RANK() OVER (ORDER BY o DESC), PERCENT_RANK() OVER (ORDER BY o), CUME_DIST() OVER (ORDER BY o) FROM w",
	"SELECT id, PERCENT_RANK() OVER (PARTITION BY p, q ORDER BY x), CUME_DIST() OVER (PARTITION BY p, q ORDER BY x DESC) FROM w",
	"SELECT id, NTILE(3) OVER (PARTITION BY p ORDER BY o, id), NTILE(7) OVER (ORDER BY id DESC), NTILE(100000) OVER (PARTITION BY q ORDER BY id) FROM w",
	"SELECT id, LAG(o) OVER (PARTITION BY p ORDER BY id), LEAD(d, 2) OVER (PARTITION BY p ORDER BY id), LAG(t, 1, 'none') OVER (ORDER BY id DESC) FROM w",
	"SELECT id, FIRST_VALUE(o) OVER (PARTITION BY p ORDER BY id), LAST_VALUE(x) OVER (PARTITION BY p ORDER BY o, id), NTH_VALUE(t, 2) OVER (PARTITION BY p ORDER BY id) FROM w",
	"SELECT id, LAST_VALUE(d) OVER (PARTITION BY p ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING), FIRST_VALUE(d) OVER (PARTITION BY p ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING) FROM w",
	"SELECT id, SUM(o) OVER (PARTITION BY p ORDER BY id), COUNT(*) OVER (PARTITION BY p ORDER BY id), COUNT(d) OVER (PARTITION BY p ORDER BY id), AVG(d) OVER (PARTITION BY p ORDER BY id) FROM w",
	"SELECT id, SUM(d) OVER (PARTITION BY p ORDER BY o), COUNT(x) OVER (PARTITION BY p ORDER BY o), AVG(o) OVER (PARTITION BY p ORDER BY o DESC) FROM w",
	"SELECT id, SUM(d) OVER (PARTITION BY p ORDER BY o, id ROWS UNBOUNDED PRECEDING), AVG(d) OVER (ORDER BY q, id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM w",
	"SELECT id, SUM(o) OVER (PARTITION BY p ORDER BY id ROWS BETWEEN 3 PRECEDING AND 2 FOLLOWING), COUNT(o) OVER (PARTITION BY p ORDER BY id ROWS BETWEEN 5 PRECEDING AND 3 PRECEDING) FROM w",
	"SELECT id, SUM(big) OVER (PARTITION BY p ORDER BY id), AVG(big) OVER (PARTITION BY q ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM w",
	"SELECT id, SUM(far) OVER (PARTITION BY p ORDER BY id), AVG(far) OVER (ORDER BY id) FROM w",
	"SELECT id, SUM(x) OVER (PARTITION BY p), MIN(x) OVER (PARTITION BY p), MAX(t) OVER (PARTITION BY q), AVG(x) OVER (PARTITION BY p, q), STDDEV(o) OVER (PARTITION BY p) FROM w",
	"SELECT id, SUM(o) OVER (), COUNT(*) OVER (), MAX(d) OVER (), AVG(x) OVER () FROM w",
	"SELECT id, o - AVG(o) OVER (PARTITION BY p), SUM(SUM(o)) OVER (ORDER BY id) FROM w GROUP BY id, p, o",
	"SELECT p, q, SUM(d), SUM(SUM(d)) OVER (PARTITION BY p ORDER BY q), RANK() OVER (ORDER BY COUNT(*) DESC, p, q) FROM w GROUP BY p, q",
	"SELECT * FROM (SELECT id, t, o, ROW_NUMBER() OVER (PARTITION BY p ORDER BY o DESC, id) r FROM w) v WHERE r <= 2",
	"SELECT r, COUNT(*), SUM(o) FROM (SELECT o, RANK() OVER (PARTITION BY p ORDER BY t) r FROM w WHERE q < 3) v GROUP BY r",
	"SELECT w.id, w.o, SUM(w.o) OVER (PARTITION BY j.t ORDER BY w.id, j.id) FROM w JOIN w j ON w.id = j.q",
	"SELECT id, RANK() OVER (PARTITION BY t ORDER BY d DESC, x, o), COUNT(*) OVER (PARTITION BY t ORDER BY d DESC), ROW_NUMBER() OVER (ORDER BY x, id) FROM w",
	"SELECT id, s FROM (SELECT id, SUM(o) OVER (PARTITION BY p ORDER BY id) s FROM w) v ORDER BY s DESC, id LIMIT 5",
}

// fillWindows makes a table w of a number of rows.
func fillWindows(t *testing.T, s *gsql.Session, n int) {
	t.Helper()
	r := rand.New(rand.NewPCG(11, uint64(n)))
	null := func(x any) string { return sqltest.OrNull(r, x) }
	sqltest.Run(t, s, "CREATE TABLE w (id INT NOT NULL, p INT, q TINYINT NOT NULL, o INT, d DECIMAL(10,2), x DOUBLE, t VARCHAR(10), big BIGINT, far BIGINT NOT NULL)")
	var rows []string
	for id := range n {
		rows = append(rows, fmt.Sprintf("(%d, %s, %d, %s, %s, %s, %s, %s, %d)", id*7%n, null(r.IntN(9)-4), r.IntN(6), null(r.IntN(40)-20), null(fmt.Sprintf("%d.%02d", r.IntN(200)-100, r.IntN(100))),
			null(float64(r.IntN(40)-20)/8), null(fmt.Sprintf("'%c'", 'a'+r.IntN(5))), null(r.Int64N(1<<50)-1<<49), r.Int64N(1<<61)-1<<60))
	}
	if n > 0 {
		sqltest.Run(t, s, "INSERT INTO w VALUES "+strings.Join(rows, ","))
	}
}

// TestWindows compares windows with the CPU's.
func TestWindows(t *testing.T) {
	for _, n := range []int{0, 1, 50, 601} {
		s := sqltest.Open(t, gsql.Config{})
		fillWindows(t, s, n)
		for _, sql := range windowQueries {
			if _, refused := compare(t, bare(planOf(t, s, sql)), hostColumns{}); len(refused) > 0 {
				t.Errorf("%d rows: %s: %v", n, sql, refused)
			}
			if t.Failed() {
				t.Fatal(sql)
			}
		}
	}
}

// TestWindowsRefused checks the reasons for windows that have no device form.
func TestWindowsRefused(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	fillWindows(t, s, 50)
	for sql, why := range map[string]string{
		"SELECT SUM(o) OVER (ORDER BY o RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM w":    "a frame of values or groups near a row has no device form",
		"SELECT SUM(x) OVER (ORDER BY id) FROM w":                                             "over frames has no device form",
		"SELECT MAX(o) OVER (PARTITION BY p ORDER BY id) FROM w":                              "over frames has no device form",
		"SELECT STDDEV(o) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM w": "over frames has no device form",
	} {
		if _, err := lower.Lower(bare(planOf(t, s, sql)), hostColumns{}); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
