//go:build sim || cuda

package device_test

import (
	"fmt"
	"strings"
	"testing"

	"gsql"
)

// fillKeyed makes u, whose keys are unique as far as statistics tell, r, among whose keys one repeats, and
// m with many rows for a key. Keys are far apart.
func fillKeyed(t *testing.T, s *gsql.Session, rows int) {
	t.Helper()
	execute(t, s, "CREATE TABLE u (k BIGINT NOT NULL, v INT, c VARCHAR(10), w BIGINT)")
	execute(t, s, "CREATE TABLE r (k BIGINT NOT NULL, v INT, c VARCHAR(10), w BIGINT)")
	execute(t, s, "CREATE TABLE m (k BIGINT, x INT NOT NULL)")
	var u, r, m []string
	for i := range rows {
		rest := fmt.Sprintf("%d, '%c', %d", i%90-40, 'a'+i%7, int64(i)<<34)
		if i%11 == 3 {
			rest = "NULL, NULL, NULL"
		}
		u = append(u, fmt.Sprintf("(%d, %s)", i*791999, rest))
		r = append(r, fmt.Sprintf("(%d, %s)", max(i, 1)*791999, rest))
		for j := range 3 {
			m = append(m, fmt.Sprintf("(%d, %d)", (i*7+j)%(rows+rows/3+1)*791999, i*3+j))
		}
	}
	m = append(m, "(NULL, -1)")
	for name, rows := range map[string][]string{"u": u, "r": r, "m": m} {
		execute(t, s, "INSERT INTO "+name+" VALUES "+strings.Join(rows, ","))
	}
}

// keyedQueries join m with a table of keys.
var keyedQueries = []string{
	"SELECT COUNT(*), SUM(m.x) FROM m JOIN %s t ON m.k = t.k",
	"SELECT SUM(m.x * 2 + t.v), COUNT(t.c) FROM m JOIN %s t ON m.k = t.k",
	"SELECT t.v, COUNT(*), SUM(m.x) FROM m JOIN %s t ON m.k = t.k GROUP BY t.v",
	"SELECT m.x, t.v, t.c, t.w FROM m LEFT JOIN %s t ON m.k = t.k AND t.v < m.x",
	"SELECT m.x, t.c FROM m LEFT JOIN %s t ON m.k = t.k",
	"SELECT SUM(m.x), COUNT(t.v), SUM(t.v) FROM m LEFT JOIN %s t ON m.k = t.k AND t.v < m.x",
	"SELECT m.x FROM m WHERE EXISTS (SELECT 1 FROM %s t WHERE m.k = t.k)",
	"SELECT m.x FROM m WHERE NOT EXISTS (SELECT 1 FROM %s t WHERE m.k = t.k AND t.v > 0)",
}

// TestJoinsWithNulls joins by doubles and long integers, with NULLs, in ways that return them.
func TestJoinsWithNulls(t *testing.T) {
	s := deviceSession(t)
	fillFacts(t, s, 600)
	execute(t, s, "CREATE TABLE n (x DOUBLE, b BIGINT, k INT)")
	execute(t, s, "INSERT INTO n SELECT x, b, k FROM f WHERE id % 3 = 0")
	execute(t, s, "INSERT INTO n VALUES (-0e0, NULL, NULL), (0e0, 1, NULL), (NULL, 9223372036854775807, 5)")
	some := 0
	for _, q := range []string{
		"SELECT f.id, n.k FROM f JOIN n ON f.x = n.x", "SELECT f.id, n.k FROM f LEFT JOIN n ON f.x = n.x AND f.b = n.b", "SELECT f.id, n.k FROM f JOIN n ON f.b = n.b",
		"SELECT f.id, n.b FROM f JOIN n ON f.k <=> n.k AND f.x <=> n.x", "SELECT f.id, n.k, n.x FROM f FULL JOIN n ON f.k = n.k AND n.x > 0", "SELECT COUNT(*), SUM(f.id), COUNT(n.x) FROM f FULL JOIN n ON f.b = n.b",
		"SELECT f.id FROM f WHERE f.k NOT IN (SELECT k FROM n)", "SELECT f.id FROM f WHERE f.k NOT IN (SELECT k FROM n WHERE k > 30)", "SELECT f.id, f.k IN (SELECT k FROM n WHERE x > 2) FROM f",
	} {
		if compare(t, s, q) {
			some++
		}
	}
	if some == 0 {
		t.Error("no plan has pipelines")
	}
}

// TestJoinedKeys joins by keys that are unique, and by keys of which that turns out to be wrong.
func TestJoinedKeys(t *testing.T) {
	some := 0
	for _, rows := range []int{1, 2, 1500} {
		s := deviceSession(t)
		fillKeyed(t, s, rows)
		for _, table := range []string{"u", "r", "m"} {
			for _, q := range keyedQueries {
				if q = fmt.Sprintf(q, table); table == "m" {
					q = strings.NewReplacer("t.v", "t.x", "t.c", "t.x", "t.w", "t.x").Replace(q)
				}
				if compare(t, s, q) && rows > 100 {
					some++
				}
			}
		}
	}
	if some < 5 {
		t.Errorf("only %d plans with pipelines", some)
	}
}
