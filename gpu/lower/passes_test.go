package lower_test

import (
	"slices"
	"testing"

	"gsql"
	"gsql/gpu/lower"
	"gsql/internal/sqltest"
)

// TestPasses compares joins that take passes with those that do not, and the size of their indexes.
func TestPasses(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	fillKeyed(t, s)
	host := hostColumns{}
	for _, sql := range []string{
		"SELECT m.x, p.v FROM m JOIN p ON m.a = p.k",
		"SELECT m.x, q.v FROM m LEFT JOIN q ON m.b = q.k",
		"SELECT m.x, q.w FROM m JOIN q ON m.b = q.k",
		"SELECT q.c, COUNT(*), SUM(m.x) FROM m JOIN q ON m.b = q.k GROUP BY q.c",
		"SELECT m.x, n.x FROM m JOIN m n ON m.b = n.b",
		"SELECT m.x FROM m WHERE EXISTS (SELECT 1 FROM r WHERE m.b = r.k)",
		"SELECT m.x FROM m WHERE NOT EXISTS (SELECT 1 FROM r WHERE m.b - 30000000000 = r.k - 30000000000)",
		"SELECT m.x FROM m WHERE m.b NOT IN (SELECT k FROM q) OR m.x > 700",
		"SELECT m.x, q.v, p.w FROM m JOIN q ON m.b = q.k LEFT JOIN p ON m.a = p.k",
		"SELECT m.x, q.v FROM m FULL JOIN q ON m.b = q.k AND m.x < 500",
	} {
		root := planOf(t, s, sql)
		compare(t, root, host)
		whole, err := lower.LowerFor(root, host, lower.Options{More: 1})
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		want, _ := lines(t, whole, host)
		for _, passes := range []int{2, 3, 16} {
			q, err := lower.LowerFor(root, host, lower.Options{More: 1, Passes: passes})
			if err != nil {
				t.Errorf("%s: %v", sql, err)
				continue
			}
			if p := q.Program.Passes; p == nil || p.Count != passes {
				t.Errorf("%s: passes %+v, want %d", sql, p, passes)
			}
			got, full := lines(t, q, host)
			if full || !slices.Equal(got, want) || len(want) == 0 {
				t.Errorf("%s in %d passes: full %t, %d rows %.300v, want %d %.300v", sql, passes, full, len(got), got, len(want), want)
			}
		}
	}
	root := planOf(t, s, "SELECT SUM(x) FROM m WHERE x > 5")
	compare(t, root, host)
	if _, err := lower.LowerFor(root, host, lower.Options{More: 1, Passes: 2}); err == nil {
		t.Error("passes without a join")
	}
}

// TestSources checks which columns may come in pieces, and which tables in any order.
func TestSources(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	fillKeyed(t, s)
	host := hostColumns{}
	for _, tt := range []struct {
		sql       string
		unordered string // tables
		whole     string // tables with columns that are read at rows of other pipelines
	}{
		{"SELECT SUM(m.x) FROM m JOIN q ON m.b = q.k", "mq", ""},
		{"SELECT SUM(m.x), SUM(q.v) FROM m JOIN q ON m.b = q.k", "mq", ""},
		{"SELECT SUM(m.x), SUM(q.w) FROM m JOIN q ON m.b = q.k", "m", "q"},
		{"SELECT SUM(m.x), SUM(n.v + n.k) FROM m JOIN (SELECT k + 1 k, v FROM n) n ON m.a = n.k", "n", "m"},
		{"SELECT m.x, p.v FROM m FULL JOIN p ON m.a = p.k", "m", "p"},
	} {
		root := planOf(t, s, tt.sql)
		compare(t, root, host)
		q, err := lower.Lower(root, host)
		if err != nil {
			t.Errorf("%s: %v", tt.sql, err)
			continue
		}
		unordered, whole := "", ""
		for i, r := range q.Relations {
			if q.Program.Unordered(i) {
				unordered += r.Table.Name()
			}
			if slices.ContainsFunc(r.Ordinals, func(o int) bool { return !q.Program.SourceOnly(i, o) }) {
				whole += r.Table.Name()
			}
		}
		if sorted(unordered) != sorted(tt.unordered) || whole != tt.whole {
			t.Errorf("%s: in any order %q, want %q; whole %q, want %q\n%s", tt.sql, unordered, tt.unordered, whole, tt.whole, contents(q.Program))
		}
	}
}

func sorted(s string) string {
	b := []byte(s)
	slices.Sort(b)
	return string(b)
}
