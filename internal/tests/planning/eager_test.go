package planning_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
)

// TestEagerAggregation compares aggregates below equality joins with those of the joined rows:
// keys of all kinds that are NULL, equal though they differ (case, accents, blanks, digits, the
// sign of zero), and duplicate on either side, inner joins and left joins with the large table on
// either side, groups of either side and of both.
func TestEagerAggregation(t *testing.T) {
	sqltest.NotForRaces(t)
	s := sqltest.Open(t, gsql.Config{Workers: 2})
	r := rand.New(rand.NewPCG(7, 8))
	cols := "i INT, u BIGINT UNSIGNED, d DECIMAL(9,2), w DECIMAL(14,4), f DOUBLE, t VARCHAR(9) COLLATE utf8mb4_bin, c VARCHAR(9) COLLATE utf8mb4_general_ci, " +
		"o VARCHAR(9) COLLATE utf8mb4_0900_ai_ci, day DATE, at DATETIME, g INT, n BIGINT NOT NULL, x DECIMAL(12,3), y DOUBLE, name VARCHAR(9) COLLATE utf8mb4_0900_ai_ci"
	texts := []string{"'a'", "'A'", "'á'", "'b '", "'b'", "'ß'", "'ss'", "''", "' '", "'Ä1'", "'a1'"}
	for table, rows := range map[string]int{"small": 40, "large": 6000} {
		sqltest.Run(t, s, "CREATE TABLE "+table+" ("+cols+")")
		var all []string
		for range rows {
			k := r.IntN(12) - 2
			pick := func() string { return sqltest.OrNull(r, texts[r.IntN(len(texts))]) }
			all = append(all, fmt.Sprintf("(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %d, %s, %s, %s)", sqltest.OrNull(r, k), sqltest.OrNull(r, max(k, 0)), sqltest.OrNull(r, fmt.Sprintf("%d.%d0", k, r.IntN(2))),
				sqltest.OrNull(r, fmt.Sprintf("%d.%d000", k, r.IntN(2))), sqltest.OrNull(r, []string{"0e0", "-0e0", "1.5e0", "-2e0"}[r.IntN(4)]), pick(), pick(), pick(),
				sqltest.OrNull(r, fmt.Sprintf("'2024-01-0%d'", 1+r.IntN(9))), sqltest.OrNull(r, fmt.Sprintf("'2024-01-0%d 00:00:00'", 1+r.IntN(9))), sqltest.OrNull(r, r.IntN(4)), r.IntN(1000),
				sqltest.OrNull(r, fmt.Sprintf("%d.125", r.IntN(2000)-900)), sqltest.OrNull(r, float64(r.IntN(99))/2), pick()))
		}
		sqltest.Run(t, s, "INSERT INTO "+table+" VALUES "+strings.Join(all, ", "))
	}
	ons := []string{"l.i = s.i", "l.i = s.u", "l.d = s.d", "l.d = s.w", "l.w = s.d", "l.i = s.d", "l.f = s.f", "l.i = s.f", "l.t = s.t", "l.c = s.c", "l.o = s.o", "l.day = s.day", "l.at = s.day", "l.day = s.at",
		"l.i <=> s.i", "l.o <=> s.o", "l.i = s.i AND l.o = s.o", "l.i + 1 = s.i", "l.f <=> s.f", "l.t = s.c COLLATE utf8mb4_0900_ai_ci", "UPPER(l.t) = s.o"}
	bys := []string{"1", "s.g", "l.g", "s.g, l.g", "s.name", "l.name", "l.name, s.name", "s.i DIV 3", "l.o", "s.o, s.i"}
	aggs := []string{"COUNT(*), SUM(l.n), AVG(l.x)", "COUNT(l.x), COUNT(s.x), MIN(l.x), MAX(s.y), SUM(s.n)", "SUM(l.y), AVG(s.x), MAX(l.name), MIN(s.day), SUM(2), COUNT(1)", "SUM(l.n * s.n), AVG(s.y), COUNT(*)",
		"SUM(s.x), COUNT(DISTINCT s.n), SUM(COALESCE(s.n, 5))", "SUM(COALESCE(l.n, 7)), MAX(l.n), COUNT(l.n), COUNT(s.n)"}
	kinds := []string{"large l JOIN small s", "large l LEFT JOIN small s", "small s LEFT JOIN large l"}
	eager, asked := map[string]int{}, 0
	for i, on := range ons {
		for j, by := range bys {
			agg, kind := aggs[(i+j)%len(aggs)], kinds[(i*3+j)%len(kinds)]
			sql := "SELECT " + agg + " FROM " + kind + " ON " + on
			if by != "1" {
				sql = "SELECT " + by + ", " + agg + " FROM " + kind + " ON " + on + " GROUP BY " + by
			}
			// Which of the texts that equal each other in a group comes is open.
			alike := "FIELD($1, 'a', 'b', 'b ', 'ss', '', ' ', 'a1')"
			sql = regexp.MustCompile(`(MAX\(l.name\))`).ReplaceAllString(sql, alike)
			if shown, rest, ok := strings.Cut(sql, " FROM "); ok && by != "1" {
				sql = regexp.MustCompile(`(\b[ls]\.(name|o)), `).ReplaceAllString(shown, alike+", ") + " FROM " + rest
			}
			asked++
			sqltest.Run(t, s, fmt.Sprintf("SET gsql_disable_rules = 'GroupJoin', div_precision_increment = %d", []int{4, 0, 7}[asked%3]))
			plan := fmt.Sprint(sqltest.Rows(t, s, "EXPLAIN "+sql))
			got := sqltest.Sorted(sqltest.Rows(t, s, sql))
			sqltest.Run(t, s, "SET gsql_disable_rules = 'GroupJoin,EagerAggregation'")
			want := sqltest.Sorted(sqltest.Rows(t, s, sql))
			if !slices.Equal(got, want) {
				t.Errorf("%s:\n%.500q, of the joined rows\n%.500q\n%s", sql, got, want, plan)
			}
			if strings.Count(plan, "HashAggregate") > 1 {
				for _, what := range []string{"", kind, on, bys[j]} {
					eager[what]++
				}
			}
		}
	}
	for _, all := range [][]string{ons, bys[1:], kinds} {
		for _, some := range all {
			if eager[some] < 3 {
				t.Errorf("%s: %d plans aggregate below the join", some, eager[some])
			}
		}
	}
	if eager[""] < asked*3/4 {
		t.Errorf("%d of %d plans aggregate below the join", eager[""], asked)
	}
}
