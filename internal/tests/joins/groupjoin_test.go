package joins_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// TestAggregatesWithoutPairs compares aggregates over joins that a group join computes
// with the same over the pairs of a join, and checks that it was planned.
func TestAggregatesWithoutPairs(t *testing.T) {
	sqltest.NotForRaces(t)
	s := sqltest.Open(t, gsql.Config{Workers: 2})
	r := rand.New(rand.NewPCG(3, 4))
	for _, name := range []string{"l", "r"} {
		sqltest.Run(t, s, "CREATE TABLE "+name+" (k INT, a INT, b BIGINT, d DECIMAL(10,2), f DOUBLE, s VARCHAR(9), u BIGINT UNSIGNED, n INT NOT NULL, t DATE)")
		var rows []string
		for range 160 {
			rows = append(rows, fmt.Sprintf("(%s, %s, %s, %s, %s, %s, %d, %d, '2024-01-%02d')", sqltest.OrNull(r, r.IntN(6)), sqltest.OrNull(r, r.IntN(90)-20), sqltest.OrNull(r, int64(1)<<62+int64(r.IntN(9))),
				sqltest.OrNull(r, fmt.Sprintf("%d.%02d", r.IntN(50)-9, r.IntN(100))), sqltest.OrNull(r, float64(r.IntN(40))/2), sqltest.OrNull(r, fmt.Sprintf("'%c%d'", 'a'+r.IntN(4), r.IntN(5))),
				^uint64(0)-uint64(r.IntN(3)), r.IntN(50), 1+r.IntN(31)))
		}
		sqltest.Run(t, s, "INSERT INTO "+name+" VALUES "+strings.Join(rows, ", "))
	}
	ons := []string{"l.a < r.a", "l.a >= r.a", "l.d > r.d", "l.f <= r.f", "l.s < r.s", "l.b < r.b", "l.u <= r.u", "l.t > r.t", "l.a <> r.a", "l.s <> r.s",
		"l.a BETWEEN r.a - 3 AND r.a + 9", "r.d BETWEEN l.d AND l.d + 7.5", "l.a < r.a AND l.k = r.k", "l.k <=> r.k AND l.f >= r.f", "l.s = r.s AND l.k <> r.k",
		"l.a <= r.a AND l.n >= r.n", "l.a BETWEEN r.a AND r.n", "l.a < r.n AND l.n > r.a AND l.k = r.k", "l.a + 1 < r.a * 2", "l.n BETWEEN r.n - 1 AND r.n + 1 AND l.f < r.f"}
	aggs := []string{"COUNT(*)", "COUNT(l.a), COUNT(r.b), COUNT(l.n)", "SUM(l.b), SUM(r.b)", "SUM(l.u), SUM(r.u), AVG(r.u)", "SUM(l.d), AVG(l.d), SUM(r.d), AVG(r.d)",
		"SUM(l.f), SUM(r.f)", "AVG(l.a), AVG(r.a), AVG(l.n)", "MIN(l.s), MAX(l.s), MIN(r.s), MAX(r.s)", "MIN(r.b), MAX(r.u), MIN(r.d), MAX(r.f), MAX(r.t), MIN(r.a)",
		"COUNT(DISTINCT l.a), SUM(r.a * 2 + 1), SUM(1), MAX(l.t), BIT_AND(l.u)"}
	planned, asked := 0, 0
	for i, on := range ons {
		for j, agg := range aggs {
			if (i+j)%3 == 0 {
				continue
			}
			asked++
			kind, by := "JOIN", ""
			if (i+j)%3 == 1 {
				kind = "LEFT JOIN"
			}
			if j%2 == 1 {
				by = []string{"l.k", "l.s", "l.n"}[i%3]
			}
			sql := "SELECT " + strings.TrimPrefix(by+", ", ", ") + agg + " FROM l " + kind + " r ON " + on
			if by != "" {
				sql += " GROUP BY " + by
			}
			planned += comparePlans(t, s, sql)
		}
	}
	for _, sql := range []string{
		"SELECT l.n DIV 5, COUNT(*), SUM(r.d) FROM l JOIN r ON l.a < r.a GROUP BY l.n DIV 5",
		"SELECT l.n, (SELECT COUNT(*) FROM r WHERE r.a < l.a), (SELECT SUM(r.d) FROM r WHERE r.a >= l.a AND r.k = l.k) FROM l",
		"SELECT COUNT(*) FROM l WHERE l.d > (SELECT AVG(r.d) FROM r WHERE r.f BETWEEN l.f - 2 AND l.f + 2)",
		"SELECT DISTINCT l.s FROM l JOIN r ON l.a > r.n",
		"SELECT l.s, COUNT(*), SUM(r.d), AVG(r.a), MIN(r.t), SUM(l.b) FROM l JOIN r ON l.k = r.k GROUP BY l.s",
		"SELECT COUNT(*), COUNT(r.a), SUM(l.u), MAX(r.s), AVG(l.d) FROM l JOIN r ON l.k = r.k",
	} {
		if comparePlans(t, s, sql) == 0 {
			t.Errorf("no group join: %s", sql)
		}
	}
	if planned < asked*3/4 {
		t.Errorf("%d of %d were group joins", planned, asked)
	}
	planned, asked = 0, 0
	for i, on := range ons { // groups of both sides
		by := []string{"l.k, r.k", "r.s, l.k", "l.k, r.k, l.s"}[i%3]
		for j, agg := range aggs {
			if (i+j)%4 != 0 {
				continue
			}
			asked++
			kind := []string{"JOIN", "JOIN", "LEFT JOIN"}[j%3]
			planned += comparePlans(t, s, "SELECT "+by+", "+agg+" FROM l "+kind+" r ON "+on+" GROUP BY "+by)
		}
	}
	if planned < asked/4 { // not left joins, nor where the pairs are few
		t.Errorf("%d of %d by columns of both sides were group joins", planned, asked)
	}
}

// TestStreamedGroupJoin compares what a small side makes of a large one that streams by with
// the same over pairs: windows that overlap, are empty, one-sided or equal, with NULLs.
func TestStreamedGroupJoin(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{Workers: 2})
	r := rand.New(rand.NewPCG(5, 6))
	fill := func(table string, rows int, row func() string) {
		var all []string
		for range rows {
			all = append(all, row())
		}
		sqltest.Run(t, s, "INSERT INTO "+table+" VALUES "+strings.Join(all, ", "))
	}
	sqltest.Run(t, s, "CREATE TABLE p (g INT, s INT, e INT, d DECIMAL(30,2), f DOUBLE, w VARCHAR(9), day DATE)")
	fill("p", 40, func() string {
		from := r.IntN(1000)
		return fmt.Sprintf("(%s, %s, %s, %s, %d.5, 'k%02d', '2024-01-%02d')", sqltest.OrNull(r, r.IntN(6)), sqltest.OrNull(r, from), sqltest.OrNull(r, from+r.IntN(200)-20),
			[]string{"5.25", "-1e20", "1e20", fmt.Sprint(r.IntN(1000))}[r.IntN(4)], r.IntN(1000), r.IntN(40), 1+r.IntN(31))
	})
	sqltest.Run(t, s, "CREATE TABLE big (k INT, t INT, v BIGINT, d DECIMAL(12,2), f DOUBLE, w VARCHAR(9), day DATE, u BIGINT UNSIGNED)")
	fill("big", 6000, func() string {
		return fmt.Sprintf("(%s, %s, %s, %s, %s, %s, '2024-01-%02d', %d)", sqltest.OrNull(r, r.IntN(6)), sqltest.OrNull(r, r.IntN(1000)), sqltest.OrNull(r, r.Int64()>>1), sqltest.OrNull(r, r.IntN(1000)), sqltest.OrNull(r, r.IntN(1000)),
			sqltest.OrNull(r, fmt.Sprintf("'k%02d'", r.IntN(50))), 1+r.IntN(31), ^uint64(0)-uint64(r.IntN(9)))
	})
	aggs := "COUNT(*), COUNT(v), SUM(v), AVG(v), MIN(v), MAX(big.f), SUM(big.f), SUM(big.d), MIN(big.d), MAX(big.w), MIN(big.day), SUM(u), MAX(u)"
	streamed := 0
	for _, on := range []string{"t BETWEEN s AND e", "t >= s AND t < e", "t > s AND t < e", "t >= s", "e > t", "big.d <= p.d", "big.f > p.f", "big.w <= p.w", "big.day > p.day",
		"t BETWEEN s AND e AND k = g", "k <=> g AND t <= e", "k = g", "t + 1 BETWEEN s - 5 AND s + 5", "s <= t"} {
		for _, join := range []string{"JOIN", "LEFT JOIN"} {
			sql := "SELECT g, e, p.day, " + aggs + " FROM p " + join + " big ON " + on + " GROUP BY g, e, p.day"
			comparePlans(t, s, sql)
			streamed += strings.Count(fmt.Sprint(sqltest.Rows(t, s, "EXPLAIN "+sql)), "streamed")
		}
	}
	if streamed < 22 {
		t.Errorf("%d of 28 were streamed", streamed)
	}
	if comparePlans(t, s, "SELECT g, (SELECT MAX(v) FROM big WHERE t BETWEEN s AND e), (SELECT COUNT(*) FROM big WHERE t < s) FROM p") == 0 {
		t.Error("no group join for subqueries")
	}
	testRowsWithoutDomain(t, s)
}

// testRowsWithoutDomain aggregates a small table for each row of a large one. No set of distinct
// values is computed, because the rows themselves are available.
func testRowsWithoutDomain(t *testing.T, s *gsql.Session) {
	t.Helper()
	sqltest.Run(t, s, "CREATE TABLE other AS SELECT k, t * 3 AS t FROM big")
	for sql, without := range map[string]bool{
		"SELECT v, (SELECT COUNT(*) FROM p WHERE t BETWEEN s AND e) FROM big":                                                                                                                              true,
		"SELECT v, (SELECT COUNT(g) FROM p WHERE t BETWEEN s AND e), (SELECT MAX(w) FROM p WHERE t < s) FROM big WHERE k > 2":                                                                              true,
		"SELECT COUNT(*) FROM big WHERE v > (SELECT SUM(g) FROM p WHERE t >= s)":                                                                                                                           true,
		"SELECT COUNT(*) FROM big WHERE big.d < (SELECT MIN(p.d) FROM p WHERE t >= s AND e > t) AND k = 3":                                                                                                 true,
		"SELECT x.k, (SELECT SUM(f) FROM p WHERE x.f <= p.f) FROM big x JOIN p y ON x.k = y.g":                                                                                                             true,
		"SELECT y.s, (SELECT COUNT(*) FROM p WHERE x.t <= s OR x.t IS NULL) FROM p y LEFT JOIN big x ON x.k = y.g AND x.t > y.s":                                                                           false,
		"SELECT big.t, n FROM big LEFT JOIN (SELECT x, COUNT(*) AS n FROM (SELECT DISTINCT t AS x FROM other) a JOIN p ON s < x GROUP BY x) b ON x <=> big.t":                                              false,
		"SELECT big.t, n FROM big LEFT JOIN (SELECT x, COUNT(*) AS n FROM (SELECT DISTINCT t AS x FROM big WHERE t > 300) a JOIN p ON s < x GROUP BY x) b ON x <=> big.t":                                  false,
		"SELECT big.t, n FROM big LEFT JOIN (SELECT x, COUNT(*) AS n FROM (SELECT DISTINCT t AS x FROM big) a JOIN p ON s < x GROUP BY x) b ON x <=> big.t AND big.k > 2":                                  false,
		"SELECT big.t, n FROM big JOIN (SELECT x, COUNT(*) AS n FROM (SELECT DISTINCT t AS x FROM big) a JOIN p ON s < x GROUP BY x) b ON x <=> big.t AND n > big.k":                                       true,
		"SELECT big.t, n FROM big LEFT JOIN (SELECT x, COUNT(*) AS n FROM (SELECT DISTINCT t AS x FROM big) a JOIN p ON s > x + 900 GROUP BY x) b ON x <=> big.t":                                          true,
		"SELECT big.t, n FROM big LEFT JOIN (SELECT x, COUNT(*) AS n FROM (SELECT DISTINCT k AS x FROM big) a JOIN p ON s < x GROUP BY x) b ON x <=> big.t":                                                false,
		"SELECT o.t, n FROM p LEFT JOIN big o ON o.k = g AND o.t > 990 LEFT JOIN (SELECT x, COUNT(*) AS n FROM (SELECT DISTINCT t AS x FROM big WHERE t > 0) a JOIN p ON s < x GROUP BY x) b ON x <=> o.t": false,
	} {
		comparePlans(t, s, sql)
		if plan := fmt.Sprint(sqltest.Rows(t, s, "EXPLAIN "+sql)); without && strings.Contains(plan, "HashDistinct") {
			t.Errorf("%s: %s", sql, plan)
		}
	}
}

// TestSumsBeyondDoubles adds up more than a DOUBLE holds: an error however it is done, not infinity.
func TestSumsBeyondDoubles(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE l (k INT, a INT, f DOUBLE)")
	sqltest.Run(t, s, "INSERT INTO l VALUES (1, 1, 1e308), (1, 2, 1e308), (2, 1, -1e308), (2, 2, -1.5e308), (3, 7, 1e308)")
	for _, sql := range []string{"SELECT SUM(f) FROM l WHERE k = 1", "SELECT AVG(f) FROM l WHERE k = 2", "SELECT k, SUM(f) FROM l GROUP BY k", "SELECT SUM(l.f) FROM l JOIN l r ON l.a <= r.a",
		"SELECT SUM(r.f) FROM l JOIN l r ON l.a >= r.a", "SELECT l.k, AVG(r.f) FROM l JOIN l r ON l.a <> r.a GROUP BY l.k", "SELECT l.k, (SELECT SUM(r.f) FROM l r WHERE r.a < l.a) FROM l",
		"SELECT SUM(r.f) FROM l JOIN l r ON l.k = r.k", "SELECT SUM(f) OVER (PARTITION BY k) FROM l", "SELECT AVG(f) OVER (ORDER BY k DESC, a ROWS 1 PRECEDING) FROM l"} {
		for _, off := range []string{"", "GroupJoin", "EagerAggregation", "GroupJoin,EagerAggregation"} {
			sqltest.Run(t, s, "SET gsql_disable_rules = '"+off+"'")
			if _, err := sqltest.TryRows(s, sql); !errors.Is(err, sqlerr.DataOutOfRange) {
				t.Errorf("%s without '%s': %v", sql, off, err)
			}
		}
	}
	if got := fmt.Sprint(sqltest.Rows(t, s, "SELECT SUM(f), AVG(f) FROM l WHERE k > 1 AND f > -1.2e308")); got != "[[0 0]]" {
		t.Errorf("%s", got)
	}
}

// comparePlans runs a query with and without group joins, and returns 1 if there was one.
func comparePlans(t *testing.T, s *gsql.Session, sql string) (planned int) {
	t.Helper()
	plan := fmt.Sprint(sqltest.Rows(t, s, "EXPLAIN "+sql))
	got := sqltest.Sorted(sqltest.Rows(t, s, sql))
	sqltest.Run(t, s, "SET gsql_disable_rules = 'GroupJoin,EagerAggregation'")
	want := sqltest.Sorted(sqltest.Rows(t, s, sql))
	sqltest.Run(t, s, "SET gsql_disable_rules = ''")
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%.500q, by pairs\n%.500q", sql, got, want)
	}
	if strings.Contains(plan, "GroupJoin") || strings.Count(plan, "HashAggregate") == 2 {
		return 1
	}
	return 0
}

// totals are COUNT(*), SUM(a.x), SUM(b.x), MIN(a.x) and MAX(b.x) of pairs.
type totals struct{ n, a, b, least, most int64 }

func (t totals) String() string { return fmt.Sprintf("%d|%d|%d|%d|%d", t.n, t.a, t.b, t.least, t.most) }

// add adds the pairs of b with lo, lo + step and so on up to hi.
func (t *totals) add(b, lo, hi, step int64) {
	if hi < lo {
		return
	}
	if t.n == 0 {
		t.least = lo
	}
	k := (hi-lo)/step + 1
	t.n, t.a, t.b = t.n+k, t.a+k*lo+step*(k*(k-1)/2), t.b+k*b
	t.least, t.most = min(t.least, lo), max(t.most, b)
}

// TestManyPairs aggregates up to 10^12 pairs of the numbers up to 10^6 by conditions of many forms,
// all of them in group joins: the values are sums of arithmetic series, one for each number.
func TestManyPairs(t *testing.T) {
	sqltest.NotForRaces(t)
	const n = 1_000_000
	s := sqltest.Open(t, gsql.Config{Workers: 2})
	sqltest.Run(t, s, "CREATE TABLE d (i INT NOT NULL)")
	sqltest.Run(t, s, "INSERT INTO d VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)")
	sqltest.Run(t, s, "CREATE TABLE x AS SELECT 1 + a.i + 10*b.i + 100*c.i + 1000*d.i + 10000*e.i + 100000*f.i AS x FROM d a, d b, d c, d, d e, d f")
	sqltest.Run(t, s, "CREATE TABLE t (x INT NOT NULL, y INT NOT NULL, g INT NOT NULL)")
	sqltest.Run(t, s, "INSERT INTO t SELECT x, 1000001 - x, x % 10 FROM x")
	check := func(sql string, want ...string) {
		t.Helper()
		if plan := fmt.Sprint(sqltest.Rows(t, s, "EXPLAIN "+sql)); !strings.Contains(plan, "GroupJoin") || strings.Contains(plan, "every pair") {
			t.Errorf("%s: pairs are tested: %s", sql, plan) // testing them all would take too long
		} else if got := sqltest.Sorted(sqltest.Rows(t, s, sql)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", sql, got, want)
		}
	}
	const all = "SELECT COUNT(*), SUM(a.x), SUM(b.x), MIN(a.x), MAX(b.x) FROM t a JOIN t b ON "
	for _, form := range []struct {
		on      []string
		lo, hi  int64 // of a.x - b.x
		sameEnd bool  // a.g = b.g
	}{
		{[]string{"a.x > b.x", "b.x < a.x", "NOT (a.x <= b.x)", "a.x - b.x > 0", "a.x >= b.x + 1", "2 * a.x > 2 * b.x", "a.y < b.y"}, 1, n, false},
		{[]string{"a.x BETWEEN b.x AND b.x + 700000", "b.x BETWEEN a.x - 700000 AND a.x", "a.x - b.x BETWEEN 0 AND 700000"}, 0, 700_000, false},
		{[]string{"ABS(a.x - b.x) <= 800000", "a.x >= b.x - 800000 AND a.x <= b.x + 800000"}, -800_000, 800_000, false},
		{[]string{"a.x >= b.x AND a.y + 500000 >= b.y"}, 0, 500_000, false},
		{[]string{"a.x < b.x AND a.g = b.g"}, -n, -1, true},
		{[]string{"a.x BETWEEN b.x - 300000 AND b.x + 5 AND a.g = b.g"}, -300_000, 5, true},
	} {
		var want totals
		for b := int64(1); b <= n; b++ {
			lo, hi, step := max(1, b+form.lo), min(n, b+form.hi), int64(1)
			if form.sameEnd {
				step = 10
				lo += ((b-lo)%10 + 10) % 10
			}
			want.add(b, lo, hi, step)
		}
		for _, on := range form.on {
			check(all+on, want.String())
		}
	}
	var byA, byB [10]totals
	for b := int64(1); b <= n; b++ {
		for g := range int64(10) {
			byA[g].add(b, b+1+((g-b-1)%10+10)%10, n, 10)
		}
		byB[b%10].add(b, b+1, n, 1)
	}
	for side, groups := range map[string][10]totals{"a.g": byA, "b.g": byB} {
		var want []string
		for g, sum := range groups {
			want = append(want, fmt.Sprintf("%d|%v", g, sum))
		}
		check("SELECT "+side+", "+strings.TrimPrefix(all, "SELECT ")+"a.x > b.x GROUP BY "+side, want...)
	}
	check("SELECT SUM(n), SUM(s) FROM (SELECT (SELECT COUNT(*) FROM t b WHERE b.x < a.x) AS n, (SELECT SUM(b.x) FROM t b WHERE b.x <= a.x) AS s FROM t a) q", "499999500000|166667166667000000")
	check("SELECT COUNT(*), SUM(a.x) FROM t a JOIN t b ON a.x <> b.x", "999999000000|499999999999500000")
	check("SELECT COUNT(*), SUM(a.x + 0) FROM t a, t b", "1000000000000|500000500000000000")
	check("SELECT COUNT(*), AVG(b.x) FROM t a JOIN t b ON a.x BETWEEN b.x - 1 AND b.x + 1", "2999998|500000.5000")
	check("SELECT SUM(a.x * 1000000000000) FROM t a JOIN t b ON a.x >= b.x", "333333833333500000000000000000")
	check("SELECT SUM(a.x * b.x) FROM t a JOIN t b ON a.x > b.x", "125000083333208333250000")
}
