package memory_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// TestMemoryIsMonotone runs random joins, aggregates, windows and sorts under memory limits
// from small to large, on one worker and on four: where a statement has succeeded it must
// under every larger limit, with the same answer. GSQL_SEED=n repeats a run, and
// GSQL_FOR=10m makes it longer.
func TestMemoryIsMonotone(t *testing.T) {
	seed, statements, refused := sqltest.Seed(t), 0, 0
	for budget := sqltest.NewBudget(t, 3); !budget.Spent() && !t.Failed(); seed++ {
		w := newSweep(t, seed)
		for i := 0; i < 12 && !t.Failed() && budget.Next(); i++ {
			sql := w.statement()
			refused += w.sweep(sql, 1) + w.sweep(sql, 4)
			statements++
		}
	}
	t.Logf("%d statements, refused %d times", statements, refused)
}

// TestMemoryWasNotMonotone repeats runs of TestMemoryIsMonotone that failed: the groups of a batch
// left no memory for its texts, whose MIN they had.
func TestMemoryWasNotMonotone(t *testing.T) {
	for _, seed := range []uint64{1795479711239535539} {
		w := newSweep(t, seed)
		for range 2 {
			sql := w.statement()
			w.sweep(sql, 1)
			w.sweep(sql, 4)
		}
	}
}

// sweep is a database with tables n, c and o, each some times as long as the one before,
// whose keys lead from o to c and from c to n.
type sweep struct {
	t    *testing.T
	seed uint64
	s    *gsql.Session
	r    *rand.Rand
	rows int // of n
}

func newSweep(t *testing.T, seed uint64) *sweep {
	r := rand.New(rand.NewPCG(seed, 0))
	w := &sweep{t: t, seed: seed, s: sqltest.Open(t, gsql.Config{}), r: r, rows: 2000 + r.IntN(8000)}
	sqltest.Run(t, w.s, "SET cte_max_recursion_depth = 1000000")
	longer := func() int { return w.rows * (2 + r.IntN(4)) }
	c, o := longer(), longer()*2
	number := func(n int) string { return " " + sqltest.Series(0, n) + " SELECT" }
	factor := []int{1, 1000, 7}[r.IntN(3)] // keys that lie close and such that do not
	sqltest.Run(t, w.s, "CREATE TABLE n (nk BIGINT, name VARCHAR(40), v INT)")
	sqltest.Run(t, w.s, "CREATE TABLE c (ck BIGINT, nk BIGINT, v INT, text VARCHAR(60))")
	sqltest.Run(t, w.s, "CREATE TABLE o (ck BIGINT, v INT, price DECIMAL(12,2))")
	sqltest.Run(t, w.s, "INSERT INTO n"+number(w.rows)+" i, CONCAT('NM_', i), i % 17 FROM r")
	sqltest.Run(t, w.s, fmt.Sprintf("INSERT INTO c%s i * %d, i %% %d, i %% 23, REPEAT(CHAR(97 + i %% 26 USING utf8mb4), i %% 50) FROM r", number(c), factor, w.rows))
	sqltest.Run(t, w.s, fmt.Sprintf("INSERT INTO o%s (i %% %d) * %d, i %% 31, i / 8 FROM r", number(o), c, factor))
	return w
}

// statement makes a query that needs memory.
func (w *sweep) statement() string {
	pick := func(from ...string) string { return from[w.r.IntN(len(from))] }
	join := func() string { return pick(" JOIN ", " JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " FULL JOIN ") }
	from := pick("n"+join()+"c ON n.nk = c.nk"+join()+"o ON o.ck = c.ck", "o"+join()+"c ON o.ck = c.ck"+join()+"n ON n.nk = c.nk", "c"+join()+"o ON c.ck = o.ck"+join()+"n ON c.nk = n.nk AND c.v <> n.v")
	switch w.r.IntN(6) {
	case 0, 1:
		return "SELECT COUNT(*), COUNT(DISTINCT " + pick("n.name", "c.text", "o.price", "c.ck") + ") FROM " + from
	case 2:
		return "SELECT " + pick("n.name", "c.text", "c.ck") + " AS g, COUNT(*), SUM(o.price), MIN(c.text) FROM " + from + " GROUP BY g"
	case 3:
		return "SELECT COUNT(*), SUM(r) FROM (SELECT " + pick("RANK()", "ROW_NUMBER()", "SUM(o.v)", "COUNT(*)") + " OVER (PARTITION BY " + pick("n.name", "c.nk", "o.v", "c.v") + " ORDER BY o.price, c.ck) AS r FROM " + from + ") AS d"
	case 4:
		return "SELECT c.ck, n.name, o.price FROM " + from + " ORDER BY " + pick("n.name, o.price, c.ck", "o.price DESC, c.ck, n.name") + " LIMIT 3000"
	}
	return "SELECT COUNT(*), MAX(x.text) FROM c AS x WHERE x.nk " + pick("IN", "NOT IN") + " (SELECT n.nk FROM " + from + " WHERE o.v < " + pick("5", "20") + " AND n.nk IS NOT NULL)"
}

// sweep runs a query under growing limits, and returns how often it was refused.
func (w *sweep) sweep(sql string, workers int) (refused int) {
	sqltest.Run(w.t, w.s, fmt.Sprintf("SET gsql_workers = %d", workers))
	defer sqltest.Run(w.t, w.s, "SET gsql_memory_limit = DEFAULT, gsql_workers = DEFAULT")
	var want []string
	least := 0
	for limit := 512 << 10; limit < 64<<20; limit += limit / (2 + w.r.IntN(5)) {
		sqltest.Run(w.t, w.s, fmt.Sprintf("SET gsql_memory_limit = %d", limit))
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		got, err := sqltest.SortedLines(ctx, w.s, sql)
		cancel()
		switch {
		case errors.Is(err, sqlerr.OutOfMemory):
			if refused++; least > 0 {
				w.t.Errorf("seed %d: refused under %d KB on %d workers, not under %d KB: %v\n%s", w.seed, limit>>10, workers, least>>10, err, sql)
				return refused
			}
		case errors.Is(err, sqlerr.QueryTimeout), errors.Is(err, sqlerr.QueryInterrupted):
			return refused
		case err != nil:
			w.t.Errorf("seed %d: under %d KB on %d workers: %v\n%s", w.seed, limit>>10, workers, err, sql)
			return refused
		case least == 0:
			least, want = limit, got
		case !slices.Equal(got, want):
			w.t.Errorf("seed %d: under %d KB on %d workers %.200s, under %d KB %.200s\n%s", w.seed, limit>>10, workers, strings.Join(got, ";"), least>>10, strings.Join(want, ";"), sql)
			return refused
		}
	}
	return refused
}
