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
	for _, on := range []string{
		"a.f = b.f", "a.g = b.g", "a.f = b.g AND a.n = b.n", "a.f = b.i", "a.i = b.g", "a.l = b.l", "a.h = b.l", "a.l = b.i", "a.i = b.l", "a.l = b.l AND a.n = b.n",
		"a.f = b.f AND a.l = b.l", "a.f = b.g AND a.l = b.h AND a.i = b.i", "a.i <=> b.i", "a.f <=> b.f", "a.l <=> b.l", "a.t <=> b.t", "a.d <=> b.d AND a.n = b.n",
		"a.i <=> b.i AND a.t <=> b.t AND a.n = b.n", "a.i <=> b.n", "a.n <=> b.i", "a.t = b.t AND a.n = b.n", "a.d = b.d AND a.d > b.n", "a.d = b.i", "a.l = b.h AND a.i < b.n",
	} {
		for _, q := range []string{
			"SELECT a.id, b.id, b.f FROM a JOIN b ON %s", "SELECT a.id, b.id, b.t FROM a LEFT JOIN b ON %s", "SELECT a.id FROM a WHERE EXISTS (SELECT 1 FROM b WHERE %s)",
			"SELECT a.id FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE %s)", "SELECT a.id FROM a WHERE EXISTS (SELECT 1 FROM b WHERE %s) OR a.n = 1",
			"SELECT a.id + b.id FROM a JOIN b ON %s WHERE b.n > 2",
		} {
			q = fmt.Sprintf(q, on)
			root := planOf(t, s, q)
			if _, refused := compare(t, root, host); len(refused) > 0 {
				t.Errorf("%s: %q", q, refused)
			}
		}
	}
}
