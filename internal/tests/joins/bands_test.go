package joins_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
)

// pairByPair switches off what makes comparisons of sums ranges of one side's operand.
const pairByPair = "IsolateSides,SolveProducts,FoldExpressions,GroupJoin,EagerAggregation"

// bandTables makes l and r with rows of numbers and times that often differ by little or nothing.
func bandTables(t *testing.T, s *gsql.Session, r *rand.Rand, rows int) {
	t.Helper()
	for _, name := range []string{"l", "r"} {
		sqltest.Run(t, s, "CREATE TABLE "+name+` (k INT, i INT, y TINYINT, d DECIMAL(10,2), e DECIMAL(18,4), w DECIMAL(30,6), x DECIMAL(38,0), b BIGINT, h BIGINT, u INT UNSIGNED,
			n DECIMAL(12,3) NOT NULL, f DOUBLE, g FLOAT, t DATETIME, m TIMESTAMP(6), day DATE, z BIGINT, o DOUBLE)`)
		var all []string
		for range rows {
			all = append(all, "("+strings.Join([]string{
				sqltest.OrNull(r, r.IntN(4)), sqltest.OrNull(r, r.IntN(40)-20), sqltest.OrNull(r, r.IntN(256)-128),
				sqltest.OrNull(r, pick(r, "99999999.99", "-99999999.99", fmt.Sprintf("%d.%02d", r.IntN(20), 25*r.IntN(4)), fmt.Sprintf("-%d.%d", r.IntN(20), r.IntN(100)))),
				sqltest.OrNull(r, pick(r, "99999999999999.9999", "-99999999999999.9999", fmt.Sprintf("%d.%04d", r.IntN(20), 125*r.IntN(80)))),
				sqltest.OrNull(r, pick(r, "-999999999999999999999999.999999", fmt.Sprintf("%d.%06d", r.IntN(20), r.IntN(1000000)))),
				sqltest.OrNull(r, pick(r, "-99999999999999999999999999999999999999", fmt.Sprint(r.IntN(30)))),
				sqltest.OrNull(r, 5000000000+r.Int64N(60)-30), sqltest.OrNull(r, r.Int64N(60)-30), sqltest.OrNull(r, r.IntN(50)),
				fmt.Sprintf("%d.%03d", r.IntN(30)-15, r.IntN(1000)),
				sqltest.OrNull(r, pick(r, "0.1e0", "1e15", "-0.0e0", fmt.Sprintf("%d.%de0", r.IntN(20)-10, r.IntN(10)))), sqltest.OrNull(r, float32(r.IntN(300))/10),
				sqltest.OrNull(r, fmt.Sprintf("'2024-01-01 00:%02d:%02d'", r.IntN(10), r.IntN(60))), sqltest.OrNull(r, fmt.Sprintf("'2024-01-01 00:%02d:%02d.%06d'", r.IntN(10), r.IntN(60), r.IntN(3)*499999)),
				sqltest.OrNull(r, fmt.Sprintf("'2024-01-%02d'", 1+r.IntN(3))), sqltest.OrNull(r, pick(r, "9223372036854775807", "-9223372036854775808", fmt.Sprint(r.IntN(30)))),
				sqltest.OrNull(r, pick(r, "1.5e308", "-1.5e308", "1e0", "0.5e0")),
			}, ", ")+")")
		}
		sqltest.Run(t, s, "INSERT INTO "+name+" VALUES "+strings.Join(all, ", "))
	}
}

func pick(r *rand.Rand, xs ...string) string { return xs[r.IntN(len(xs))] }

// bands are conditions that bound differences and sums of both sides' columns.
var bands = []string{
	"l.d - r.d BETWEEN -1 AND 1", "ABS(l.d - r.d) <= 0.5", "l.d - r.d < 10", "l.d > r.d + 5", "l.d + r.d = 0", "l.d - r.d <> 0.25", "l.d - r.d = 0.5",
	"l.d - r.n BETWEEN -0.5 AND 0.125", "ABS(l.n - r.n) < 0.25", "l.e - r.d > 1.23456", "l.e - r.e BETWEEN -1 AND r.n", "ABS(l.d - r.e) < l.n",
	"1.5 * l.d - r.n * 2 <= 1.5", "(l.d - r.d) * 2.5 > r.i", "-l.d + 2 * (r.d - 0.25) >= l.n", "ABS(l.w - r.w) < 1", "l.w - r.d <= 0.5", "l.x - r.d < 3", "l.x - r.x < 3",
	"l.b - r.b BETWEEN -3 AND 3", "ABS(l.b - r.b) < 4", "l.b - r.h > 5000000000", "l.b + l.h - r.b <= 7", "3 * l.b - 3 * r.b > l.i", "l.b - r.d < 5000000003.5", "ABS(l.h - r.e) < 2", "l.b - r.i = 5000000001",
	"l.h * r.i > 7", "l.i - r.n < 2.5", "l.y - r.d BETWEEN -5 AND 5", "l.u - r.d <= 3", "l.u + r.n > 40", "ABS(l.i - r.i) <= 2", "l.k = r.k AND ABS(l.d - r.d) < 3", "l.d - r.d < 1 AND l.b - r.b > -2",
	"ABS(TIMESTAMPDIFF(SECOND, l.t, r.t)) <= 5", "TIMESTAMPDIFF(MINUTE, l.t, r.m) BETWEEN -1 AND 0", "TIMESTAMPDIFF(SECOND, r.m, l.m) = 0", "TIMESTAMPDIFF(MICROSECOND, l.m, r.m) < 3", "2 > TIMESTAMPDIFF(DAY, l.day, r.t)",
	"TIMESTAMPDIFF(HOUR, l.t, r.day) >= -24", "TIMESTAMPDIFF(SECOND, l.t, r.m) > 59", "TIMESTAMPDIFF(SECOND, l.t, r.m) < -59", "TIMESTAMPDIFF(WEEK, l.t, r.t) <> 0", "UNIX_TIMESTAMP(l.m) - UNIX_TIMESTAMP(r.t) BETWEEN -1.5 AND 1.5",
	"l.z - 0.5 + l.i - r.d < 0", "l.z - r.d BETWEEN -2 AND 2", "r.n - l.z > 3", "l.z - r.z < 5", "ABS(l.z - r.i) < 5", "l.z - r.n < r.z",
	"l.f - r.f BETWEEN -1 AND 1", "ABS(l.f - r.f) <= 0.3", "ABS(l.g - r.g) <= 0.1", "l.f - r.f = 0.1", "l.f - r.g < l.g", "l.g - r.g >= r.d", "l.f + r.f <= 0.3", "l.f - r.d < 1", "0.7e0 > r.f - l.f - 0.1e0", "l.f - r.h <= 1e0", "-(l.f - r.f) > r.g", "l.f * 3 + r.g * 0.1e0 <= 0.3",
	"l.d - r.d <= 0.3e0", "ABS(l.d - r.n) < 1.25e0", "l.e - r.d = 0.1e0", "l.b - r.b > -1.5e0", "l.i + r.d >= 0.1e0", "0.7e0 > TIMESTAMPDIFF(SECOND, l.t, r.t)", "l.d + r.d >= -0.1e0", "l.i - r.i = 2e0", "l.i - r.i < 2e0", "2e0 < l.i - r.i", "l.o - r.o < 1", "l.f - r.o > 0.5",
	"DATEDIFF(l.t, r.day) <= -1", "TO_SECONDS(l.t) - TO_SECONDS(r.m) < 30",
}

// TestBands compares joins by bands of differences, and aggregates over them, with the same tested pair by pair.
func TestBands(t *testing.T) {
	sqltest.NotForRaces(t)
	s := sqltest.Open(t, gsql.Config{Workers: 2})
	r := rand.New(rand.NewPCG(sqltest.Seed(t), 8))
	bandTables(t, s, r, 120)
	sqltest.Run(t, s, "CREATE TABLE none LIKE r")
	isolated := map[string]bool{}
	for _, on := range bands {
		for _, sql := range []string{
			"SELECT * FROM l JOIN r ON " + on,
			"SELECT /*+ NO_NL_JOIN(r) */ * FROM l JOIN r ON " + on,
			"SELECT l.k, COUNT(*), SUM(r.d), MIN(r.b), MAX(r.e), AVG(r.n), SUM(l.n) FROM l LEFT JOIN r ON " + on + " GROUP BY l.k",
			"SELECT r.k, COUNT(l.d), SUM(l.b), AVG(l.d), MAX(l.m) FROM l JOIN r ON " + on + " GROUP BY r.k",
			"SELECT COUNT(*), SUM(l.d), SUM(r.n) FROM l JOIN r ON " + on,
			"SELECT * FROM l WHERE EXISTS (SELECT 1 FROM r WHERE " + on + ")",
			"SELECT * FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE " + on + ")",
			"SELECT l.*, EXISTS (SELECT 1 FROM r WHERE " + on + ") FROM l",
			"SELECT l.n, (SELECT COUNT(*) FROM r WHERE " + on + "), (SELECT MAX(r.b) FROM r WHERE " + on + ") FROM l",
			"SELECT COUNT(*), SUM(r.d) FROM l LEFT JOIN none r ON " + on,
		} {
			if strings.Contains(sql, "NO_NL_JOIN") {
				plan := fmt.Sprint(sqltest.Rows(t, s, "EXPLAIN "+sql))
				isolated[on] = !strings.Contains(plan, "NestedLoop")
			}
			got := answerOrError(t, s, sql)
			sqltest.Run(t, s, "SET gsql_disable_rules = '"+pairByPair+"'")
			want := answerOrError(t, s, sql)
			sqltest.Run(t, s, "SET gsql_disable_rules = ''")
			if got != want {
				t.Errorf("%s:\n%.500q, by pairs\n%.500q", sql, got, want)
			}
		}
	}
	stay := map[string]bool{"l.d - r.d <> 0.25": true, "l.x - r.d < 3": true, "l.x - r.x < 3": true, "TIMESTAMPDIFF(WEEK, l.t, r.t) <> 0": true,
		"l.z - r.z < 5": true, "ABS(l.z - r.i) < 5": true, "l.o - r.o < 1": true, "l.f - r.o > 0.5": true}
	for on, apart := range isolated {
		if apart == stay[on] {
			t.Errorf("%s: isolated %v", on, apart)
		}
	}
}

// TestBandsByStoredValues: differences of BIGINT columns are taken apart where what the statement
// sees of the tables rules error 1690 out, and only there. Plans that are kept make no difference.
func TestBandsByStoredValues(t *testing.T) {
	sqltest.NotForRaces(t)
	db, err := gsql.Open(gsql.Config{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	s, other := db.NewSession(), db.NewSession()
	t.Cleanup(func() { s.Close(); other.Close(); db.Close() })
	const query = "SELECT COUNT(*), SUM(l.b) FROM l JOIN r ON l.b - r.b < 5"
	sqltest.Run(t, s, "CREATE TABLE l (b BIGINT)")
	sqltest.Run(t, s, "CREATE TABLE r (b BIGINT)")
	sqltest.Run(t, s, "INSERT INTO l VALUES (1), (10), (NULL), (-4000000000000000000)")
	sqltest.Run(t, s, "INSERT INTO r VALUES (3), (NULL), (4000000000000000000)")
	fine := "5|-7999999999999999988" // 1 and the least pair with both, 10 with the greater one
	expect := func(s *gsql.Session, want string) {
		t.Helper()
		for _, sql := range []string{query, query, "EXECUTE p", "EXECUTE p",
			"SELECT COUNT(*), SUM(x.b) FROM (SELECT * FROM l WHERE b <> 2 ORDER BY b LIMIT 9) x JOIN (SELECT b AS c FROM r GROUP BY b) y ON x.b - y.c < 5"} {
			if got := answerOrError(t, s, sql); got != want && (want != "" || !strings.Contains(got, "BIGINT value is out of range")) {
				t.Errorf("%s: %s, want %s", sql, got, want)
			}
		}
		if plan := fmt.Sprint(sqltest.Rows(t, s, "EXPLAIN "+query)); strings.Contains(plan, "l.b - r.b") == (want != "") {
			t.Errorf("%s: %s", want, plan)
		}
	}
	for _, s := range []*gsql.Session{s, other} {
		sqltest.Run(t, s, "PREPARE p FROM '"+query+"'")
		expect(s, fine)
	}
	for _, change := range []string{"INSERT INTO r VALUES (6000000000000000000)", "UPDATE l SET b = -9223372036854775807 WHERE b = 10", "UPDATE r SET b = 9000000000000000000 WHERE b = 3"} {
		for _, end := range []string{"ROLLBACK", "COMMIT"} {
			sqltest.Run(t, other, "START TRANSACTION")
			expect(other, fine)
			sqltest.Run(t, s, "START TRANSACTION")
			expect(s, fine)
			sqltest.Run(t, s, change)
			expect(s, "")
			expect(other, fine)
			sqltest.Run(t, s, end)
			expect(other, fine)
			sqltest.Run(t, other, "COMMIT")
			if end == "ROLLBACK" {
				expect(s, fine)
			} else {
				expect(s, "")
				expect(other, "")
			}
		}
		sqltest.Run(t, s, "DELETE FROM r WHERE b > 4000000000000000000")
		sqltest.Run(t, s, "DELETE FROM l WHERE b = -9223372036854775807 OR b = 10")
		sqltest.Run(t, s, "INSERT INTO l VALUES (10)")
		sqltest.Run(t, s, "DELETE FROM r WHERE b = 3")
		sqltest.Run(t, s, "INSERT INTO r VALUES (3)")
		expect(s, fine)
		expect(other, fine)
	}
}

// answerOrError returns the sorted rows of a query, or its error, whichever expression and pair of
// rows was the first that it came of.
func answerOrError(t *testing.T, s *gsql.Session, sql string) string {
	t.Helper()
	rows, err := sqltest.TryRows(s, sql)
	if err != nil {
		text, _, _ := strings.Cut(err.Error(), " in '")
		return text
	}
	return strings.Join(sqltest.Sorted(rows), "\n")
}
