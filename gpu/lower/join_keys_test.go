package lower_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
)

// fillWide makes two tables of columns of all kinds that keys can be of: among them doubles with -0,
// integers near the ends of 64 bits, and NULLs.
func fillWide(t *testing.T, s *gsql.Session) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	for _, name := range []string{"a", "b"} {
		sqltest.Run(t, s, "CREATE TABLE "+name+" (id INT NOT NULL, f DOUBLE, g DOUBLE NOT NULL, i INT, n INT NOT NULL, l BIGINT, h BIGINT NOT NULL, t VARCHAR(5), d DECIMAL(18,2))")
		var rows []string
		for id := range 150 {
			null := func(x string) string { return fmt.Sprint(sqltest.OrNull(r, x)) }
			f := []string{"0e0", "-0e0", "1.5e0", "-2e0", "3e0", "1e300", "-1e-300", "7e0"}
			l := []string{"9223372036854775807", "-9223372036854775806", "0", "-1", "5", "4294967296", "-4294967296", "1"}
			rows = append(rows, fmt.Sprintf("(%d, %s, %s, %s, %d, %s, %s, %s, %s)", id, null(f[r.IntN(8)]), f[r.IntN(8)], null(fmt.Sprint(r.IntN(8)-3)), r.IntN(5),
				null(l[r.IntN(8)]), l[r.IntN(8)], null(fmt.Sprintf("'%c'", rune('a'+r.IntN(5+len(rows)%3)))), null(fmt.Sprintf("%d.%02d", r.IntN(9)-4, 25*r.IntN(4)))))
		}
		sqltest.Run(t, s, "INSERT INTO "+name+" VALUES "+strings.Join(rows, ","))
	}
}

// TestJoinKeys joins by keys of all kinds.
func TestJoinKeys(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	fillWide(t, s)
	host := hostColumns{}
	hosts := []known{host, late{host}}
	for _, on := range []string{
		"a.f = b.f", "a.g = b.g", "a.f = b.g AND a.n = b.n", "a.f = b.i", "a.i = b.g", "a.l = b.l", "a.h = b.l", "a.l = b.i", "a.i = b.l", "a.l = b.l AND a.n = b.n",
		"a.f = b.f AND a.l = b.l", "a.f = b.g AND a.l = b.h AND a.i = b.i", "a.i <=> b.i", "a.f <=> b.f", "a.l <=> b.l", "a.t <=> b.t", "a.d <=> b.d AND a.n = b.n",
		"a.i <=> b.i AND a.t <=> b.t AND a.n = b.n", "a.i <=> b.n", "a.n <=> b.i", "a.t = b.t AND a.n = b.n", "a.d = b.d AND a.d > b.n", "a.d = b.i", "a.l = b.h AND a.i < b.n",
	} {
		for _, q := range []string{
			"SELECT a.id, b.id, b.f FROM a JOIN b ON %s", "SELECT a.id, b.id, b.t FROM a LEFT JOIN b ON %s", "SELECT a.id, a.f, b.id FROM a RIGHT JOIN b ON %s", "SELECT a.id FROM a WHERE EXISTS (SELECT 1 FROM b WHERE %s)",
			"SELECT a.id FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE %s)", "SELECT a.id FROM a WHERE EXISTS (SELECT 1 FROM b WHERE %s) OR a.n = 1",
			"SELECT a.id + b.id FROM a JOIN b ON %s WHERE b.n > 2",
		} {
			q = fmt.Sprintf(q, on)
			root := planOf(t, s, q)
			if _, refused := compare(t, root, hosts[len(q)%2]); len(refused) > 0 {
				t.Errorf("%s: %q", q, refused)
			}
		}
	}
}

// TestNotIn compares IN and NOT IN over values of which some, none or all are NULL, or over none.
func TestNotIn(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	fillWide(t, s)
	host := hostColumns{}
	for _, in := range []string{
		"a.i IN (SELECT b.i FROM b)", "a.i IN (SELECT b.i FROM b WHERE b.i > 1)", "a.n IN (SELECT b.i FROM b WHERE b.n = 2)", "a.i IN (SELECT b.n FROM b WHERE b.n > 2)",
		"a.i IN (SELECT b.i FROM b WHERE b.id > 1000)", "a.i IN (SELECT b.i FROM b WHERE b.i IS NULL)", "a.f IN (SELECT b.g FROM b WHERE b.n = 1)",
		"a.t IN (SELECT b.t FROM b WHERE b.t > 'b')", "a.l IN (SELECT b.l FROM b WHERE b.l > 5)", "a.n IN (SELECT b.n + b.i FROM b)",
	} {
		for _, q := range []string{
			"SELECT a.id FROM a WHERE %s", "SELECT a.id FROM a WHERE NOT %s", "SELECT a.id, %s FROM a", "SELECT a.id FROM a WHERE (%s) IS NULL OR a.n = 1",
		} {
			q = fmt.Sprintf(q, in)
			if _, refused := compare(t, planOf(t, s, q), host); len(refused) > 0 {
				t.Errorf("%s: %q", q, refused)
			}
		}
	}
}

// TestCorrelatedIn compares IN with conditions besides, and comparisons with ALL and ANY.
func TestCorrelatedIn(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	fillWide(t, s)
	host := hostColumns{}
	for _, q := range []string{
		"SELECT a.id, a.i IN (SELECT b.i FROM b WHERE b.l = a.l) FROM a", "SELECT a.id, (a.i, a.l) IN (SELECT b.i, b.l FROM b WHERE b.n = 2) FROM a WHERE a.n > 0",
		"SELECT a.id, a.i IN (SELECT b.i FROM b WHERE b.n = a.n AND b.id < a.id) FROM a", "SELECT a.id, a.i NOT IN (SELECT b.i FROM b WHERE b.n = a.n AND b.f > a.f) FROM a",
		"SELECT a.id FROM a WHERE a.i >= ALL (SELECT b.i FROM b WHERE b.n = 3)", "SELECT a.id, a.i > ALL (SELECT b.i FROM b WHERE b.n = 3) FROM a",
		"SELECT a.id, a.i <= ALL (SELECT b.i FROM b WHERE b.n = 3 AND b.i IS NOT NULL) FROM a", "SELECT a.id, a.i < ANY (SELECT b.i FROM b WHERE b.id < 20) FROM a",
		"SELECT a.id FROM a WHERE a.i <> ALL (SELECT b.i FROM b WHERE b.n = a.n)",
	} {
		if _, refused := compare(t, planOf(t, s, q), host); len(refused) > 0 {
			t.Errorf("%s: %q", q, refused)
		}
	}
}

// TestFullJoin compares FULL JOIN, whose conditions may leave all rows of a side without a partner.
func TestFullJoin(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	fillWide(t, s)
	fillKeyed(t, s)
	host := hostColumns{}
	hosts := []known{host, late{host}}
	for _, q := range []string{
		"SELECT a.id, a.t, a.f, b.id, b.d, b.t FROM a FULL JOIN b ON a.i = b.i", "SELECT a.id, b.id FROM a FULL JOIN b ON a.f = b.f AND a.id < b.id",
		"SELECT a.n, b.n, a.i IS NULL, b.i + 1 FROM a FULL JOIN b ON a.n = b.i AND b.t = 'a' WHERE a.id > 5 OR b.id > 5",
		"SELECT m.x, p.k, p.v FROM m FULL JOIN p ON m.a = p.k", "SELECT m.x, q.k, q.v FROM m FULL JOIN q ON m.b = q.k", "SELECT m.x, r.k, r.v FROM m FULL JOIN r ON m.b = r.k",
		"SELECT COUNT(*), COUNT(m.x), COUNT(p.k), SUM(m.x + p.v) FROM m FULL JOIN p ON m.a = p.k AND p.v > 0", "SELECT a.id, b.id FROM a FULL JOIN (SELECT * FROM b WHERE id > 1000) b ON a.i = b.i",
		"SELECT a.id, b.id FROM (SELECT * FROM a WHERE id > 1000) a FULL JOIN b ON a.i = b.i", "SELECT a.id, b.id, c.id FROM a FULL JOIN b ON a.i = b.i AND a.n = b.n FULL JOIN a c ON b.l = c.l AND b.n = c.n",
	} {
		for _, host := range hosts {
			if _, refused := compare(t, planOf(t, s, q), host); len(refused) > 0 {
				t.Errorf("%s: %q", q, refused)
			}
		}
	}
}
