//go:build sim || cuda

package device_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gsql"
	"gsql/gpu/engine"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// orderQueries have a unique last key.
var orderQueries = []string{
	"SELECT id, a FROM o ORDER BY a, id",
	"SELECT id, b, c FROM o WHERE a < 4 ORDER BY c DESC, b, id",
	"SELECT id, x FROM o WHERE a = 2 ORDER BY x DESC, id",
	"SELECT id, x FROM o ORDER BY x, id LIMIT 9",
	"SELECT a, b, id FROM o ORDER BY a, b, id LIMIT 10",
	"SELECT a, b + 1, UPPER(c) FROM o ORDER BY b DESC, id DESC LIMIT 7 OFFSET 4",
	"SELECT id, c FROM o ORDER BY c DESC, d, id LIMIT 25",
	"SELECT id, d, p FROM o WHERE a <> 3 ORDER BY d DESC, p, id LIMIT 40",
	"SELECT id, SUM(p), AVG(x), COUNT(*) FROM o GROUP BY id ORDER BY SUM(p) DESC, id LIMIT 11",
	"SELECT b, COUNT(*), SUM(p) FROM o GROUP BY b ORDER BY 2 DESC, 3, 1 LIMIT 10",
	"SELECT c, COUNT(*), AVG(p) FROM o GROUP BY c ORDER BY c",
	"SELECT id, SUM(w) FROM o GROUP BY id ORDER BY SUM(w), id DESC LIMIT 5",
	"SELECT q.id, o.b FROM o JOIN o q ON o.id = q.b WHERE q.a < 5 ORDER BY o.b DESC, q.id, o.id LIMIT 15",
	"SELECT id FROM o WHERE b > 100000 ORDER BY id LIMIT 3",
	"SELECT id, c FROM o ORDER BY c COLLATE utf8mb4_general_ci, id LIMIT 30",
	"SELECT id, c FROM o ORDER BY id LIMIT 5 OFFSET 5990",
}

func fillOrders(t *testing.T, s *gsql.Session) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 8))
	null := func(x any) string { return sqltest.OrNull(r, x) }
	execute(t, s, "CREATE TABLE o (id INT NOT NULL, a TINYINT NOT NULL, b INT, c VARCHAR(10), d DATE, p DECIMAL(12,2), x DOUBLE, w BIGINT)")
	var rows []string
	for id := range 6000 {
		rows = append(rows, fmt.Sprintf("(%d,%d,%s,%s,%s,%s,%s,%s)", id, r.IntN(8), null(r.IntN(900)), null(fmt.Sprintf("'%c%c'", 'a'+r.IntN(5)-32*r.IntN(2), 'a'+r.IntN(20))),
			null(fmt.Sprintf("'2021-%02d-%02d'", 1+r.IntN(12), 1+r.IntN(28))), null(fmt.Sprintf("%d.%02d", r.IntN(1000)-500, r.IntN(100))), null(float64(r.IntN(4000)-2000)/16),
			null(r.Int64N(7)*(1<<60)-(1<<61))))
	}
	execute(t, s, "INSERT INTO o VALUES "+strings.Join(rows, ","))
}

// TestOrders compares rows in their order, twice, and checks that nothing stays on the CPU, unless the plan
// joins: the joins of other plans may be cheaper.
func TestOrders(t *testing.T) {
	s := deviceSession(t)
	fillOrders(t, s)
	for _, q := range orderQueries {
		execute(t, s, "SET gsql_device = cpu")
		want := sqltest.Rows(t, s, q)
		execute(t, s, "SET gsql_device = "+device)
		for range 2 {
			if got := sqltest.Rows(t, s, q); !reflect.DeepEqual(got, want) {
				t.Errorf("%s\n%d rows %.300v\nwant %d %.300v", q, len(got), got, len(want), want)
			}
			if f := s.Fallbacks(); len(f) > 0 {
				t.Errorf("%s: %v ran on the CPU: %v", q, f, s.Warnings())
			}
		}
		if plan := sqltest.Rows(t, s, "EXPLAIN "+q); !strings.HasPrefix(plan[0][0], "Pipelines") && !strings.Contains(q, "JOIN") {
			t.Errorf("%s: %v", q, sqltest.Lines(plan))
		}
	}
}

// TestLimits checks limits of rows in no order: their number, and that they are rows of the table.
func TestLimits(t *testing.T) {
	s := deviceSession(t)
	fillOrders(t, s)
	execute(t, s, "SET gsql_device = cpu")
	all := mustAnswer(t, s, "SELECT id, c, p FROM o WHERE a < 5")
	execute(t, s, "SET gsql_device = "+device)
	for _, limit := range []int{1, 100, 5000} {
		got := mustAnswer(t, s, fmt.Sprintf("SELECT id, c, p FROM o WHERE a < 5 LIMIT %d OFFSET 3", limit))
		if len(got) != min(limit, len(all)-3) || len(slices.Compact(got)) != len(got) {
			t.Errorf("%d rows of %d for LIMIT %d OFFSET 3", len(got), len(all), limit)
		}
		for _, row := range got {
			if _, ok := slices.BinarySearch(all, row); !ok {
				t.Errorf("row %s", row)
			}
		}
		if f := s.Fallbacks(); len(f) > 0 {
			t.Errorf("%v ran on the CPU: %v", f, s.Warnings())
		}
	}
}

// TestOrdersFallback orders rows on the CPU because the device has less memory than the plan expects, and
// because the query has.
func TestOrdersFallback(t *testing.T) {
	s := deviceSession(t)
	fillOrders(t, s)
	ctx := context.Background()
	shrink := func(bytes int64) { // unlike SET, it keeps the plan
		t.Helper()
		if err := engine.SetLimit(ctx, bytes); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { shrink(0) })
	const q = "SELECT id, b FROM o WHERE a < 7 ORDER BY b DESC, id"
	execute(t, s, "SET gsql_device = cpu")
	want := sqltest.Rows(t, s, q)
	execute(t, s, "SET gsql_device = "+device)
	fallsBack := func(why string) {
		t.Helper()
		if got := sqltest.Rows(t, s, q); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %d rows, want %d", why, len(got), len(want))
		}
		if f := s.Fallbacks(); len(f) != 1 {
			t.Errorf("%s: %v ran on the CPU", why, f)
		}
	}
	sqltest.Rows(t, s, q)
	shrink(3000)
	fallsBack("memory of the device")
	execute(t, s, "SET gsql_on_fallback = error")
	if _, err := sqltest.SortedLines(ctx, s, q); !errors.Is(err, sqlerr.OutOfMemory) {
		t.Errorf("error %v", err)
	}
	execute(t, s, "SET gsql_on_fallback = DEFAULT")
	shrink(0)
	execute(t, s, "SET gsql_memory_limit = '50KB'")
	fallsBack("memory of the query")
}
