//go:build sim || cuda

package device_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
)

func execute(t *testing.T, s *gsql.Session, sql string) {
	t.Helper()
	if _, _, err := s.Exec(context.Background(), sql); err != nil {
		t.Fatalf("%.200s: %v", sql, err)
	}
}

func mustAnswer(t *testing.T, s *gsql.Session, sql string) []string {
	t.Helper()
	rows, err := sqltest.SortedLines(context.Background(), s, sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return rows
}

// fillSides makes tables l and r with keys of several types, NULLs and duplicates.
func fillSides(t *testing.T, s *gsql.Session, left, right int) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(left), uint64(right)))
	null := func(f string, args ...any) string {
		if r.IntN(8) == 0 {
			return "NULL"
		}
		return fmt.Sprintf(f, args...)
	}
	for name, n := range map[string]int{"l": left, "r": right} {
		execute(t, s, "CREATE TABLE "+name+" (id INT NOT NULL, k INT, b BIGINT, u BIGINT UNSIGNED, f DOUBLE, d DATE, v INT, c INT NOT NULL)")
		var rows []string
		for i := range n {
			b := []int64{-1 << 63, 1<<63 - 1, 0, int64(r.IntN(40))}[r.IntN(4)]
			u := []uint64{0, 1<<64 - 1, 1 << 63, uint64(r.IntN(40))}[r.IntN(4)]
			rows = append(rows, fmt.Sprintf("(%d,%s,%s,%s,%s,%s,%s,%d)", i, null("%d", r.IntN(40)-5), null("%d", b), null("%d", u),
				null("%g", float64(r.IntN(9)-4)/2), null("'2020-01-%02d'", 1+r.IntN(28)), null("%d", r.IntN(100)-50), r.IntN(6)))
		}
		if n > 0 {
			execute(t, s, "INSERT INTO "+name+" VALUES "+strings.Join(rows, ","))
		}
	}
}

// joinQueries are joins of l and r; %s takes a hint for the algorithm.
var joinQueries = []string{
	"SELECT %s l.id, r.id, r.v FROM l JOIN r ON l.k = r.k",
	"SELECT %s l.id, r.id FROM l JOIN r ON l.b = r.b AND l.c = r.c",
	"SELECT %s l.id, r.id FROM l JOIN r ON l.u = r.u AND l.v < r.v",
	"SELECT %s l.id, r.id FROM l JOIN r ON l.f = r.f AND l.d = r.d",
	"SELECT %s l.id, r.id FROM l LEFT JOIN r ON l.k = r.k AND l.v + r.v > 0",
	"SELECT %s l.id, r.id FROM l JOIN r ON l.k + 1 = r.k WHERE l.v > 0",
	"SELECT %s l.id FROM l WHERE EXISTS (SELECT 1 FROM r WHERE r.d = l.d)",
	"SELECT %s l.id FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE r.k = l.k)",
	"SELECT %s l.id FROM l WHERE l.k NOT IN (SELECT r.k FROM r)",
	"SELECT %s l.id, l.k IN (SELECT r.k FROM r) FROM l",
	"SELECT %s l.id, r.id FROM l JOIN r ON l.v < r.v",
	"SELECT %s l.id, r.id FROM l JOIN r ON l.d >= r.d AND l.v <> r.v",
	"SELECT %s COUNT(*), COUNT(l.v), SUM(l.v), SUM(r.b), MIN(r.u), MAX(l.u), AVG(r.v), SUM(r.u), AVG(l.u), MIN(l.d) FROM l JOIN r ON l.k = r.k",
	"SELECT %s COUNT(*), SUM(l.f), AVG(r.f), MIN(l.f), MAX(r.b) FROM l JOIN r ON l.d = r.d AND l.c = r.c",
	"SELECT %s COUNT(*), SUM(l.v), MAX(r.v) FROM l JOIN r ON l.v < r.v",
	"SELECT %s COUNT(*), SUM(l.v) FROM l JOIN r ON l.k = r.k WHERE r.v > 5",
	"SELECT %s a.id, b.id, c.id FROM l a JOIN r b ON a.k = b.k JOIN r c ON c.id = a.id",
	"SELECT %s COUNT(*) FROM (SELECT l.k FROM l JOIN r ON l.k = r.k UNION ALL SELECT l.k FROM l JOIN r ON l.d = r.d) x",
}

// subtreeQueries are queries of l and r whose plans, or large parts of them, run as pipelines.
var subtreeQueries = []string{
	"SELECT c, COUNT(*), SUM(v), MIN(k), MAX(d), AVG(v) FROM l GROUP BY c",
	"SELECT d, COUNT(k), SUM(c) FROM l WHERE v > 0 GROUP BY d",
	"SELECT l.c, r.c, COUNT(*), SUM(l.v * r.v), MIN(l.d) FROM l JOIN r ON l.k = r.k GROUP BY l.c, r.c",
	"SELECT id FROM l WHERE k IS NULL OR v BETWEEN -5 AND 20 OR c IN (1, 3)",
	"SELECT id, NOT (v > 3), v <=> k FROM l WHERE v > 3 IS NOT TRUE",
	"SELECT COUNT(DISTINCT k) FROM l",
	"SELECT c, COUNT(DISTINCT k, d) FROM l GROUP BY c",
	"SELECT k, SUM(f), MIN(f), MAX(f), AVG(f) FROM l GROUP BY k",
	"SELECT l.id FROM l LEFT JOIN r ON l.k = r.k WHERE r.id IS NULL",
	"SELECT l.c, COUNT(r.id), SUM(r.v) FROM l LEFT JOIN r ON l.k = r.k AND r.v > 0 GROUP BY l.c",
	"SELECT c, SUM(v) s FROM l GROUP BY c HAVING s > 0 ORDER BY s LIMIT 3",
	"SELECT x.c, x.n, y.n FROM (SELECT c, SUM(v) n FROM l GROUP BY c) x JOIN (SELECT c, COUNT(*) n FROM r GROUP BY c) y ON x.c = y.c",
	"SELECT CASE WHEN v > 0 THEN 'p' WHEN v < 0 THEN 'n' END t, COUNT(*) FROM l GROUP BY t",
	"SELECT id FROM l WHERE EXISTS (SELECT 1 FROM r WHERE r.k = l.k AND r.v > l.v)",
	"SELECT id FROM l WHERE v > (SELECT AVG(v) FROM r WHERE r.c = l.c)",
	"SELECT COUNT(*), SUM(v), MIN(v) FROM l WHERE k > 1000",
	"SELECT k, COUNT(*) FROM l WHERE k > 1000 GROUP BY k",
	"SELECT YEAR(d), MONTH(d), COUNT(*) FROM l GROUP BY 1, 2",
	"SELECT v DIV 7, v % 7, COUNT(*) FROM l GROUP BY 1, 2",
	"SELECT DISTINCT k, c FROM l",
}
