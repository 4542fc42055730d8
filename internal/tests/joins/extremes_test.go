package joins_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"gsql"
	"gsql/internal/sqltest"
)

// TestDistinctRowsByExtremes counts the distinct rows of unions whose branches compare the outer row
// by an inequality each, and compares the sum of the counts with a double loop. These were found
// among the hundreds of millions of pairs with 20,000 rows: that took minutes.
func TestDistinctRowsByExtremes(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "SET cte_max_recursion_depth = 1000000")
	for _, table := range []string{"o", "s", "u"} {
		sqltest.Run(t, s, "CREATE TABLE "+table+" (k INT, a INT, b INT)")
	}
	fill := func(rows int) {
		for i, table := range []string{"o", "s", "u"} {
			sqltest.Run(t, s, fmt.Sprintf("TRUNCATE %s; INSERT INTO %[1]s %s SELECT %s FROM r", table, sqltest.Series(0, rows), values[i]))
		}
	}
	const rows = 300
	fill(rows)
	counts := func(pass func(o, x int) (s, u bool)) (sum int) {
		for o := range rows {
			seen := map[int]bool{}
			for i := range rows {
				inS, inU := pass(o, i)
				if inS {
					seen[i*7%101] = true
				}
				if inU {
					seen[i*11%103] = true
				}
			}
			sum += len(seen)
		}
		return sum
	}
	k := func(i, of int) int { return i * 31 % of } // NULL where it is a multiple of 17
	less := func(x, y int) bool { return x%17 > 0 && y%17 > 0 && x < y }
	for _, tt := range []struct {
		set  string
		pass func(o, x int) (s, u bool)
	}{
		{"SELECT s.a x FROM s WHERE s.k < o.k UNION%s SELECT u.a FROM u WHERE u.b > o.b", func(o, x int) (bool, bool) { return less(k(x, 991), k(o, 997)), x*3%509 > o*5%521 }},
		{"SELECT s.a x FROM s WHERE s.k < o.k UNION%s SELECT u.a FROM u WHERE u.k < o.k", func(o, x int) (bool, bool) { return less(k(x, 991), k(o, 997)), less(k(x, 983), k(o, 997)) }},
		{"SELECT s.a x FROM s UNION%s SELECT u.a FROM u WHERE u.k < o.k", func(o, x int) (bool, bool) { return true, less(k(x, 983), k(o, 997)) }},
	} {
		for _, query := range []string{
			"SELECT SUM((SELECT COUNT(*) FROM (" + fmt.Sprintf(tt.set, "") + ") q)) FROM o",
			"SELECT SUM((SELECT COUNT(DISTINCT x) FROM (" + fmt.Sprintf(tt.set, " ALL") + ") q)) FROM o",
			"SELECT COUNT(*) FROM o, LATERAL (" + fmt.Sprintf(tt.set, "") + ") q",
		} {
			if got, want := sqltest.Rows(t, s, query)[0][0], fmt.Sprint(counts(tt.pass)); got != want {
				t.Errorf("%s: %s, want %s", query, got, want)
			}
		}
	}
	fill(20_000)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	const some = "(SELECT s.a x FROM s WHERE s.k < o.k UNION%s SELECT u.a FROM u WHERE u.b > o.b) q"
	for _, query := range []string{
		"SELECT SUM((SELECT COUNT(*) FROM " + fmt.Sprintf(some, "") + ")) FROM o",
		"SELECT SUM((SELECT COUNT(DISTINCT x) FROM " + fmt.Sprintf(some, " ALL") + ")) FROM o",
		"SELECT SUM((SELECT COUNT(DISTINCT s.a) FROM s WHERE s.k < o.k)) FROM o",
	} {
		if _, err := sqltest.SortedLines(ctx, s, query); err != nil {
			t.Errorf("%s: %v\n%s", query, err, sqltest.Lines(sqltest.Rows(t, s, "EXPLAIN "+query)))
		}
	}
}

// TestDistinctRowsOfSeveralComparisons is TestDistinctRowsByExtremes with several comparisons in a
// branch, over rows with NULLs and texts, in little memory too: pairs of blocks are then counted.
// With 20,000 rows, all pairs took minutes.
func TestDistinctRowsOfSeveralComparisons(t *testing.T) {
	for rows, limit := range map[int]string{5000: "DEFAULT", 600: "66000"} {
		s := sqltest.Open(t, gsql.Config{Workers: 1})
		sqltest.Run(t, s, "SET cte_max_recursion_depth = 1000000")
		fill := func(rows int) {
			for i, table := range []string{"o", "s", "u"} {
				sqltest.Run(t, s, fmt.Sprintf("DROP TABLE IF EXISTS %s; CREATE TABLE %[1]s (k INT, a INT, b INT); INSERT INTO %[1]s %s SELECT %s FROM r", table, sqltest.Series(0, rows), values[i]))
			}
		}
		fill(rows)
		sqltest.Run(t, s, "SET gsql_memory_limit = "+limit)
		o, in, also := make([][3]int, rows), make([][3]int, rows), make([][3]int, rows) // -1: NULL
		for i := range rows {
			o[i] = [3]int{i * 31 % 997, i, i * 5 % 521}
			in[i] = [3]int{i * 31 % 991, i * 7 % 101, i}
			also[i] = [3]int{i * 31 % 983, i * 11 % 103, i * 3 % 509}
			for _, r := range []*[3]int{&o[i], &in[i], &also[i]} {
				if r[0]%17 == 0 {
					r[0] = -1
				}
			}
		}
		passS := func(o, s [3]int) bool { return s[0] >= 0 && o[0] >= 0 && s[0] < o[0] && s[2] > o[1] }
		passU := func(o, u [3]int) bool { return u[0] >= 0 && o[0] >= 0 && u[0] != o[0] && u[2]+100 < o[2] }
		one, both := 0, 0
		for _, x := range o {
			var seen, of [1000]bool
			for i := range rows {
				if passS(x, in[i]) {
					seen[in[i][1]], of[in[i][1]] = true, true
				}
				if passU(x, also[i]) {
					seen[also[i][1]] = true
				}
			}
			for i := range seen {
				if seen[i] {
					both++
				}
				if of[i] {
					one++
				}
			}
		}
		const ofS, ofU = "FROM s WHERE s.k < o.k AND s.b > o.a", "FROM u WHERE u.k <> o.k AND u.b + 100 < o.b"
		for query, want := range map[string]int{
			"SELECT SUM((SELECT COUNT(DISTINCT s.a) " + ofS + ")) FROM o":                                                                            one,
			"SELECT SUM((SELECT COUNT(DISTINCT CONCAT('x', s.a)) " + ofS + ")) FROM o":                                                               one,
			"SELECT SUM((SELECT COUNT(*) FROM (SELECT s.a x " + ofS + " UNION SELECT u.a " + ofU + ") q)) FROM o":                                    both,
			"SELECT SUM((SELECT COUNT(DISTINCT x) FROM (SELECT s.a x " + ofS + " UNION ALL SELECT u.a " + ofU + ") q)) FROM o":                       both,
			"SELECT SUM((SELECT COUNT(x) FROM (SELECT s.a x, 'a' y " + ofS + " UNION SELECT u.a, 'a' " + ofU + " UNION SELECT NULL, 'b') q)) FROM o": both,
		} {
			if got := sqltest.Rows(t, s, query)[0][0]; got != fmt.Sprint(want) {
				t.Errorf("limit %s: %s: %s, want %d", limit, query, got, want)
			}
		}
		if limit != "DEFAULT" {
			continue
		}
		fill(20_000)
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		for _, query := range []string{
			"SELECT SUM((SELECT COUNT(*) FROM (SELECT s.a x " + ofS + " UNION SELECT u.a " + ofU + ") q)) FROM o",
			"SELECT SUM((SELECT COUNT(DISTINCT s.a) " + ofS + ")) FROM o",
		} {
			if _, err := sqltest.SortedLines(ctx, s, query); err != nil {
				t.Errorf("%s: %v\n%s", query, err, sqltest.Lines(sqltest.Rows(t, s, "EXPLAIN "+query)))
			}
		}
		cancel()
	}
}

// TestSetOperationOverRepeatedOuterColumn has two equalities of a branch with the same outer column.
// They were taken for the two equalities of the other branch, one of which was lost. MariaDB gives
// the same answers for EXISTS.
func TestSetOperationOverRepeatedOuterColumn(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE o (c INT, b INT); INSERT INTO o VALUES (1, 5), (1, 1); CREATE TABLE u (a INT, b INT); INSERT INTO u VALUES (1, 1), (1, 2)")
	for op, want := range map[string]string{"INTERSECT": "[[1 1] [5 0]]", "INTERSECT ALL": "[[1 1] [5 0]]", "EXCEPT": "[[1 0] [5 1]]"} {
		set := "SELECT u.b, u.b FROM u WHERE u.a <=> o.c AND u.b <=> o.c " + op + " SELECT u.b, o.b FROM u WHERE u.a <=> o.c"
		for _, value := range []string{"(SELECT COUNT(*) FROM (" + strings.Replace(set, "u.b, u.b", "u.b AS x, u.b AS y", 1) + ") q)", "EXISTS (" + set + ")"} {
			query := "SELECT o.b, " + value + " FROM o ORDER BY o.b"
			if got := fmt.Sprint(sqltest.Rows(t, s, query)); got != want {
				t.Errorf("%s: %s, want %s", query, got, want)
			}
		}
	}
}

// values are the columns of the tables o, s and u.
var values = []string{
	"IF(i * 31 % 997 % 17 = 0, NULL, i * 31 % 997), i, i * 5 % 521",
	"IF(i * 31 % 991 % 17 = 0, NULL, i * 31 % 991), i * 7 % 101, i",
	"IF(i * 31 % 983 % 17 = 0, NULL, i * 31 % 983), i * 11 % 103, i * 3 % 509",
}
