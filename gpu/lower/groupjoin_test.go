package lower_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gsql"
	"gsql/gpu/lower"
	"gsql/internal/sqltest"
	"gsql/planner/physical"
)

// groupJoinQueries join tables a and b of rows with a key k, and values x, d, f and t.
var groupJoinQueries = []string{
	"SELECT a.id, COUNT(*), SUM(b.x) FROM a JOIN b ON a.x < b.x GROUP BY a.id",
	"SELECT a.k, COUNT(*), SUM(b.d), AVG(b.d), COUNT(b.f) FROM a JOIN b ON a.x >= b.x GROUP BY a.k",
	"SELECT a.id, COUNT(b.id), SUM(b.d) FROM a LEFT JOIN b ON a.d <= b.d GROUP BY a.id",
	"SELECT a.id, COUNT(*), SUM(b.x) FROM a LEFT JOIN b ON a.x > b.x GROUP BY a.id",
	"SELECT a.id, COUNT(*), SUM(b.id) FROM a JOIN b ON a.k = b.k AND a.x < b.x GROUP BY a.id",
	"SELECT a.id, COUNT(*), SUM(b.id) FROM a JOIN b ON a.k = b.k AND b.x <= a.x GROUP BY a.id",
	"SELECT a.id, COUNT(*), SUM(b.d) FROM a JOIN b ON b.x BETWEEN a.x - 3 AND a.x + 5 GROUP BY a.id",
	"SELECT a.id, COUNT(*), SUM(b.d) FROM a LEFT JOIN b ON a.k = b.k AND b.x > a.x - 3 AND b.x < a.x + 5 GROUP BY a.id",
	"SELECT a.id, COUNT(*), SUM(b.x) FROM a JOIN b ON a.f < b.f GROUP BY a.id",
	"SELECT a.id, COUNT(*), SUM(b.x) FROM a JOIN b ON a.t < b.t GROUP BY a.id",
	"SELECT a.id, COUNT(*), SUM(b.x) FROM a JOIN b ON a.t = b.t AND a.x > b.x WHERE a.k > 0 AND b.d > -50 GROUP BY a.id",
	"SELECT a.id, COUNT(*), SUM(b.x) FROM a JOIN b ON a.x < b.d GROUP BY a.id",
	"SELECT COUNT(*), SUM(b.x) FROM a JOIN b ON a.x < b.x",
	"SELECT a.id, (SELECT SUM(b.x) FROM b WHERE b.x < a.x) s FROM a",
}

func fillGroupJoin(t *testing.T, s *gsql.Session, n, m int) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(n), uint64(m)))
	null := func(x any) string { return sqltest.OrNull(r, x) }
	for name, rows := range map[string]int{"a": n, "b": m} {
		sqltest.Run(t, s, fmt.Sprintf("CREATE TABLE %s (id INT NOT NULL, k INT, x INT, d DECIMAL(8,2), f DOUBLE, t VARCHAR(5))", name))
		var lines []string
		for id := range rows {
			lines = append(lines, fmt.Sprintf("(%d, %s, %s, %s, %s, %s)", id, null(r.IntN(8)-2), null(r.IntN(60)-30+len(lines)%3), null(fmt.Sprintf("%d.%02d", r.IntN(100)-50, r.IntN(100))),
				null(float64(r.IntN(80)-40)/4), null(fmt.Sprintf("'%c'", 'a'+r.IntN(9)))))
		}
		if rows > 0 {
			sqltest.Run(t, s, fmt.Sprintf("INSERT INTO %s VALUES %s", name, strings.Join(lines, ",")))
		}
	}
}

func hasGroupJoin(n *physical.Node) bool {
	_, found := n.Op.(*physical.GroupJoin)
	for _, in := range n.In {
		found = found || hasGroupJoin(in)
	}
	return found
}

// TestGroupJoins compares group joins with the CPU's, whose plans they must be.
func TestGroupJoins(t *testing.T) {
	for _, size := range [][2]int{{0, 5}, {5, 0}, {1, 1}, {70, 60}, {300, 1200}} {
		s := sqltest.Open(t, gsql.Config{})
		fillGroupJoin(t, s, size[0], size[1])
		for _, sql := range groupJoinQueries {
			n := bare(planOf(t, s, sql))
			if size[0] > 100 && !hasGroupJoin(n) {
				t.Errorf("no group join: %s", sql)
			}
			if _, refused := compare(t, n, hostColumns{}); len(refused) > 0 && hasGroupJoin(n) {
				t.Errorf("%v rows: %s: %v", size, sql, refused)
			}
			if t.Failed() {
				t.Fatal(sql)
			}
		}
	}
}

// TestGroupJoinsRefused checks the reasons for group joins that have no device form.
func TestGroupJoinsRefused(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	fillGroupJoin(t, s, 300, 1200)
	for sql, why := range map[string]string{
		"SELECT a.id, MAX(b.d) FROM a JOIN b ON a.x < b.x GROUP BY a.id":               "in a group join has no device form",
		"SELECT a.id, SUM(b.f) FROM a JOIN b ON a.x < b.x GROUP BY a.id":               "in a group join has no device form",
		"SELECT a.id, COUNT(*) FROM a JOIN b ON a.x < b.x AND a.d > b.d GROUP BY a.id": "ranges of several columns",
	} {
		n := bare(planOf(t, s, sql))
		if _, err := lower.Lower(n, hostColumns{}); err == nil || !strings.Contains(err.Error(), why) || !hasGroupJoin(n) {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
