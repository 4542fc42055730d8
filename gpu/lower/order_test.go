package lower_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gsql"
	"gsql/gpu/lower"
	"gsql/gpu/pipeline/pipelinetest"
	"gsql/internal/sqltest"
)

const manyRows = 30000

// fillMany makes a table m of manyRows rows with NULLs, and a table k of its keys.
func fillMany(t *testing.T, s *gsql.Session) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	null := func(x any) string { return sqltest.OrNull(r, x) }
	sqltest.Run(t, s, `CREATE TABLE m (id INT NOT NULL, g TINYINT NOT NULL, j INT, d DECIMAL(10,2), f DOUBLE, t VARCHAR(10), day DATE, big BIGINT, far BIGINT NOT NULL);
		CREATE TABLE k (id INT NOT NULL PRIMARY KEY, v INT)`)
	var rows, keys []string
	for id := range manyRows {
		rows = append(rows, fmt.Sprintf("(%d, %d, %s, %s, %s, %s, %s, %s, %d)", id, r.IntN(10), null(r.IntN(2000)), null(fmt.Sprintf("%d.%02d", r.IntN(2000)-1000, r.IntN(100))),
			null(fmt.Sprint(float64(r.IntN(4000)-2000)/8)), null(fmt.Sprintf("'%c%c'", 'a'+r.IntN(26), 'A'+r.IntN(26))), null(fmt.Sprintf("'2020-%02d-%02d'", 1+r.IntN(12), 1+r.IntN(28))),
			null(r.Int64N(9)-4), r.Int64N(5)*(1<<61)-(1<<62)-(1<<61)+r.Int64N(3)))
		if id%3 == 0 {
			keys = append(keys, fmt.Sprintf("(%d, %s)", id, null(r.IntN(50))))
		}
	}
	for part := range slices.Chunk(rows, 5000) {
		sqltest.Run(t, s, "INSERT INTO m VALUES "+strings.Join(part, ","))
	}
	sqltest.Run(t, s, "INSERT INTO k VALUES "+strings.Join(keys, ","))
}

// TestOrders compares rows in their order. The last key of each order is unique.
func TestOrders(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	fillMany(t, s)
	host := hostColumns{}
	for _, c := range []struct {
		sql  string
		most int // rows that may reach the host
	}{
		{"SELECT id, g FROM m ORDER BY g, id", manyRows},
		{"SELECT id, j FROM m WHERE g = 3 ORDER BY j, id DESC", manyRows},
		{"SELECT id, j FROM m WHERE g = 3 ORDER BY j DESC, id", manyRows},
		{"SELECT id, f FROM m WHERE g = 3 ORDER BY f, id", manyRows},
		{"SELECT id, f FROM m WHERE g = 3 ORDER BY f DESC, id", manyRows},
		{"SELECT id, t, d FROM m WHERE g = 3 ORDER BY t DESC, d, id", manyRows},
		{"SELECT id FROM m ORDER BY id DESC LIMIT 5", 100},
		{"SELECT id, g, j FROM m ORDER BY g, j DESC, id LIMIT 10 OFFSET 3", 200},
		{"SELECT id, j + 1 FROM m ORDER BY j DESC, d, id LIMIT 100", 1000},
		{"SELECT id, f FROM m ORDER BY f DESC, id LIMIT 7", 1000},
		{"SELECT id, f FROM m ORDER BY f, id LIMIT 7", 1000}, // many NULLs first
		{"SELECT id, g, f FROM m ORDER BY g, f DESC, id LIMIT 20", 1000},
		{"SELECT id, t FROM m ORDER BY t DESC, day, id LIMIT 20", 1000},
		{"SELECT id, far, big FROM m ORDER BY far DESC, big, id LIMIT 20", 1000},
		{"SELECT id, g, far FROM m ORDER BY g DESC, far, id LIMIT 20", 1000},
		{"SELECT id, big, far FROM m ORDER BY big, far * 1.5, id DESC LIMIT 20", 1000}, // more than two words
		{"SELECT id, -d FROM m WHERE j < 1000 ORDER BY d - j, id LIMIT 30", 1000},
		{"SELECT id FROM m WHERE j < 100 ORDER BY id LIMIT 3", 3000},
		{"SELECT id FROM m WHERE j < -5 ORDER BY id LIMIT 3", 0},
		{"SELECT id, 5 FROM m ORDER BY 2, id LIMIT 2", 100},
		{"SELECT g, 0 * f FROM m WHERE g = 3 ORDER BY g, 0 * f DESC LIMIT 5", 500},
		{"SELECT g FROM m WHERE g < 4 ORDER BY g LIMIT 5", 500},
		{"SELECT id, SUM(far), AVG(f), COUNT(*) FROM m GROUP BY id ORDER BY SUM(far) DESC, id LIMIT 9", 1000},
		{"SELECT id, SUM(far) FROM m GROUP BY id ORDER BY SUM(far), id LIMIT 9", 1000},
		{"SELECT j, MAX(f), MIN(f) FROM m GROUP BY j ORDER BY 2 DESC, 3, 1 LIMIT 9", manyRows},
		{"SELECT id, AVG(f) FROM m GROUP BY id ORDER BY AVG(f) DESC, id LIMIT 9", 1000},
		{"SELECT j, COUNT(*), SUM(d), AVG(d) FROM m GROUP BY j ORDER BY COUNT(*) DESC, SUM(d), j LIMIT 9", manyRows},
		{"SELECT g, t, COUNT(*) n FROM m GROUP BY g, t ORDER BY n DESC, g, t LIMIT 9", 500},
		{"SELECT m.id, k.v FROM m JOIN k ON m.id = k.id ORDER BY k.v DESC, m.id LIMIT 12", 500},
		{"SELECT m.id, k.v FROM m LEFT JOIN k ON m.id = k.id ORDER BY k.v DESC, m.id DESC LIMIT 12", 500},
		{"SELECT m.g, k.v, COUNT(*) FROM m JOIN k ON m.id = k.id GROUP BY m.g, k.v ORDER BY 3 DESC, 1, 2", manyRows},
	} {
		n := bare(planOf(t, s, c.sql))
		compare(t, n, late{host})
		q, err := lower.Lower(n, host)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		columns, sent, full := pipelinetest.Run(q.Program, baseOf(q, host))
		for factor := 8.0; full && factor < 1e7; factor *= 8 {
			if q, err = lower.LowerFor(n, host, lower.Options{More: factor}); err != nil {
				t.Fatal(err)
			}
			columns, sent, full = pipelinetest.Run(q.Program, baseOf(q, host))
		}
		got := formatted(t, q, columns, sent)
		if want := inOrder(t, n); full || !slices.Equal(got, want) {
			t.Errorf("%s:\n%d rows %.300v\nwant\n%d rows %.300v", c.sql, len(got), got, len(want), want)
		}
		if sent > c.most {
			t.Errorf("%s: %d rows reach the host", c.sql, sent)
		}
		t.Logf("%d rows of %d pipelines: %s", sent, len(q.Program.Pipelines), c.sql)
	}
}

// TestLimits counts rows of queries that may return any of them.
func TestLimits(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	fillMany(t, s)
	host := hostColumns{}
	for sql, want := range map[string]int{
		"SELECT id FROM m WHERE g < 5 LIMIT 7":                                          7,
		"SELECT id FROM m WHERE g < 5 LIMIT 7 OFFSET 3":                                 7,
		"SELECT id FROM m WHERE id < 5 LIMIT 7 OFFSET 3":                                2,
		"SELECT DISTINCT g FROM m LIMIT 100":                                            10,
		"SELECT g, COUNT(*) FROM m GROUP BY g LIMIT 4":                                  4,
		"SELECT * FROM (SELECT id, d FROM m ORDER BY d LIMIT 20) x LIMIT 5":             5,
		"SELECT m.id, k.v FROM m JOIN k ON m.id = k.id AND k.v > 3 WHERE g = 2 LIMIT 9": 9,
	} {
		n := bare(planOf(t, s, sql))
		q, err := lower.Lower(n, host)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		if got, full := lines(t, q, host); full || len(got) != want {
			t.Errorf("%s: %d rows, want %d", sql, len(got), want)
		}
	}
}
