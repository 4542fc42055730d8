//go:build sim || cuda

package device_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// fillFacts makes a table f of facts, a table d of dimensions and an empty table e.
func fillFacts(t *testing.T, s *gsql.Session, rows int) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(rows), 1))
	null := func(v string) string {
		if r.IntN(7) == 0 {
			return "NULL"
		}
		return v
	}
	execute(t, s, "CREATE TABLE f (id INT NOT NULL, k INT, g TINYINT NOT NULL, p DECIMAL(12,2), q DECIMAL(30,4), x DOUBLE, d DATE, m DATETIME, c VARCHAR(20), u BIGINT UNSIGNED, b BIGINT)")
	execute(t, s, "CREATE TABLE d (k INT NOT NULL PRIMARY KEY, name VARCHAR(20), w INT)")
	execute(t, s, "CREATE TABLE e (k INT, v DECIMAL(10,2), c VARCHAR(5))")
	var all []string
	for i := range rows {
		all = append(all, fmt.Sprintf("(%d,%s,%d,%s,%s,%s,%s,%s,%s,%s,%s)", i, null(fmt.Sprint(r.IntN(60))), r.IntN(5),
			null(fmt.Sprintf("%d.%02d", r.IntN(1000)-500, r.IntN(100))), null(fmt.Sprintf("%d.%04d", r.IntN(1000), r.IntN(10000))),
			null(fmt.Sprint(float64(r.IntN(64)-32)/4)), null(fmt.Sprintf("'2020-%02d-%02d'", 1+r.IntN(12), 1+r.IntN(28))),
			null(fmt.Sprintf("'2021-01-%02d 10:%02d:00'", 1+r.IntN(28), r.IntN(60))), null(fmt.Sprintf("'text %d'", r.IntN(12))),
			null(fmt.Sprint(r.IntN(1000))), null(fmt.Sprint(r.Int64()-1<<62))))
	}
	execute(t, s, "INSERT INTO f VALUES "+strings.Join(all, ","))
	all = nil
	for k := range 50 {
		all = append(all, fmt.Sprintf("(%d,%s,%s)", k, null(fmt.Sprintf("'name %d'", k%9)), null(fmt.Sprint(r.IntN(100)))))
	}
	execute(t, s, "INSERT INTO d VALUES "+strings.Join(all, ","))
}

// fusedQueries run on the device as a whole, or in the part that reads tables.
var fusedQueries = []string{
	"SELECT id, k, g, p, q, x, d, m, c, u, b FROM f WHERE g < 3",
	"SELECT id, k, g, p, q, x, d, m, c, u, b FROM f WHERE g < 3 AND id >= 0 AND k > 2 AND p > -400 AND q > 1 AND x < 5 AND d > '2020-02-01' AND m > '2021-01-02' AND c > 'text 1' AND u > 7 AND b < 1000000000000000000",
	"SELECT a.c, a.x, b.c, b.q FROM f a LEFT JOIN f b ON a.id = b.k AND b.g = 1 WHERE a.g = 2",
	"SELECT d.k, d.name, d.w, SUM(f.p) FROM f JOIN d ON f.k = d.k GROUP BY d.k",
	"SELECT t.w, t.name, f.c FROM (SELECT d.k, d.name, d.w FROM d WHERE d.w > 10) t RIGHT JOIN f ON f.k = t.k WHERE f.g = 3",
	"SELECT id FROM f WHERE k > 20 AND p < 100.5",
	"SELECT k, c FROM f EXCEPT SELECT w, name FROM d",
	"SELECT g, COUNT(DISTINCT k), COUNT(DISTINCT c), SUM(b), SUM(DISTINCT k) FROM f GROUP BY g",
	"SELECT COUNT(DISTINCT k), COUNT(DISTINCT c), COUNT(*) FROM f WHERE k > 3",
	"SELECT k % 9, c FROM f EXCEPT ALL SELECT w % 9, name FROM d",
	"SELECT k % 9 FROM f INTERSECT ALL SELECT w % 9 FROM d",
	"SELECT k FROM f INTERSECT SELECT w FROM d",
	"SELECT x, COUNT(*), SUM(p) FROM f GROUP BY x",
	"SELECT b, x, COUNT(*), MIN(c) FROM f WHERE g < 3 GROUP BY b, x",
	"SELECT g, ROUND(STDDEV(x), 8), ROUND(VAR_SAMP(p), 8), ROUND(VARIANCE(k), 8) FROM f GROUP BY g",
	"SELECT ROUND(STDDEV_SAMP(x), 8), ROUND(VAR_POP(x), 8) FROM f WHERE id > 2",
	"SELECT id, ~k FROM f WHERE ~k > 5 AND ~g <> k",
	"SELECT id, p * 2, k + g, x / 2 FROM f WHERE k IS NULL OR x > 1.5",
	"SELECT id, p + q, -p, x * x FROM f WHERE d BETWEEN '2020-03-01' AND '2020-06-30'",
	"SELECT id, c FROM f WHERE c = 'text 3' OR c LIKE '%1%'",
	"SELECT id, UPPER(c), LENGTH(c) FROM f WHERE c IS NOT NULL AND g = 1",
	"SELECT id, CASE WHEN k < 30 THEN p ELSE 0 END, COALESCE(k, -1), IF(g = 2, 'a', 'b') FROM f WHERE g <> 4",
	"SELECT id, FIELD(3, k, 5), FIELD('text 1', c), INTERVAL(k, 10, 30), CONCAT_WS('-', c, 'end') FROM f WHERE FIELD(0, k, 3) = 0",
	"SELECT id FROM f WHERE YEAR(d) = 2020 AND MONTH(d) = 5",
	"SELECT COUNT(*), COUNT(k), SUM(k), MIN(k), MAX(k), AVG(k) FROM f",
	"SELECT COUNT(*), SUM(p), MIN(p), MAX(p), AVG(p), SUM(q), AVG(q), MAX(q) FROM f WHERE g < 4",
	"SELECT SUM(x), AVG(x), MIN(d), MAX(m), MIN(c), MAX(c), SUM(u), AVG(u) FROM f",
	"SELECT SUM(b), AVG(b), MIN(b), MAX(b) FROM f",
	"SELECT g, COUNT(*), SUM(p), AVG(p), AVG(x), SUM(b), AVG(b) FROM f GROUP BY g",
	"SELECT k, COUNT(*), SUM(p * (1 - g)), MAX(d) FROM f GROUP BY k",
	"SELECT c, g, COUNT(*), SUM(k) FROM f GROUP BY c, g",
	"SELECT d, m, COUNT(*) FROM f WHERE k < 40 GROUP BY d, m",
	"SELECT id, SUM(p) FROM f GROUP BY id",
	"SELECT g, SUM(p) s FROM f GROUP BY g HAVING SUM(p) > 0",
	"SELECT DISTINCT k, c FROM f",
	"SELECT g, COUNT(DISTINCT k) FROM f GROUP BY g",
	"SELECT g, COUNT(DISTINCT k), COUNT(*), COUNT(c), SUM(p), AVG(q), MIN(c), MAX(d), SUM(b) FROM f GROUP BY g",
	"SELECT g, MIN(x), MAX(x), MAX(-x) FROM f GROUP BY g HAVING MIN(x) IS NULL OR MIN(x) < 1e9",
	"SELECT g, BIT_AND(id), BIT_OR(id), BIT_XOR(id) FROM f GROUP BY g",
	"SELECT COUNT(DISTINCT c), COUNT(*), SUM(k), AVG(p), SUM(x), MAX(b) FROM f WHERE id > 1",
	"SELECT f.id, d.name, d.w FROM f JOIN d ON f.k = d.k WHERE f.g = 2",
	"SELECT f.id, d.name, d.w FROM f LEFT JOIN d ON f.k = d.k AND d.w > 50 WHERE f.g < 2",
	"SELECT d.name, COUNT(*), SUM(f.p), AVG(d.w) FROM f JOIN d ON f.k = d.k GROUP BY d.name",
	"SELECT f.id FROM f WHERE EXISTS (SELECT 1 FROM d WHERE d.k = f.k AND d.w > 20)",
	"SELECT f.id FROM f WHERE NOT EXISTS (SELECT 1 FROM d WHERE d.k = f.k)",
	"SELECT d.k FROM d WHERE d.k IN (SELECT f.k FROM f WHERE f.g = 3)",
	"SELECT a.id, b.id, b.c FROM f a JOIN f b ON a.k = b.k AND a.d = b.d WHERE a.g = 1 AND b.g = 2",
	"SELECT e.k, e.v, e.c FROM e WHERE e.k > 3",
	"SELECT COUNT(*), SUM(v), AVG(v), MIN(c) FROM e WHERE k > 0",
	"SELECT k, SUM(v) FROM e GROUP BY k",
	"SELECT f.id, e.v FROM f LEFT JOIN e ON f.k = e.k WHERE f.g = 0",
	"SELECT f.id, e.c FROM f JOIN e ON f.k = e.k",
	"SELECT id, p FROM f WHERE p IS NOT NULL ORDER BY p DESC, id LIMIT 10",
	"SELECT c, COUNT(*) n FROM f GROUP BY c ORDER BY n DESC, c LIMIT 3",
	"SELECT g, COUNT(*) FROM f WHERE k > 1000 GROUP BY g",
	"SELECT id, NULL, 'text', 1.5 FROM f WHERE g = 1",
	"SELECT id, 5 AS five FROM f WHERE g < 4 ORDER BY five",
	"SELECT id FROM f WHERE g = 1 ORDER BY NULL",
	"SELECT id, p, c FROM f WHERE g = 1 UNION ALL SELECT k, w, name FROM d WHERE w > 30",
	"SELECT k, c FROM f WHERE g < 3 UNION SELECT w, name FROM d",
	"SELECT v, COUNT(*), SUM(n) FROM (SELECT c v, k n FROM f UNION ALL SELECT 'text 3', w FROM d UNION ALL SELECT c, v FROM e) x GROUP BY v",
	"SELECT id, x FROM f WHERE g = 2 UNION ALL SELECT id + 5000, x FROM f WHERE g = 3 ORDER BY 2, 1 LIMIT 7",
}

// TestPipelines compares the answers of queries over columns of most types, and over an empty table.
func TestPipelines(t *testing.T) {
	some := 0
	for _, rows := range []int{1, 40, 3000} {
		s := deviceSession(t)
		fillFacts(t, s, rows)
		for _, q := range fusedQueries {
			if compare(t, s, q) {
				some++
			}
		}
	}
	if some < 2*len(fusedQueries) {
		t.Errorf("only %d plans with pipelines", some)
	}
}

// TestExpressions compares expressions that have a device form, all of which must run there.
func TestExpressions(t *testing.T) {
	for _, rows := range []int{1, 40, 3000} { // the only row's values may be NULL, of which there are no statistics
		s := deviceSession(t)
		fillFacts(t, s, rows)
		for _, e := range []string{
			"k % 7", "-k % 7", "p % 1.5", "b % 1000003", "k DIV 7", "p DIV 3", "-p DIV 0.7", "SIGN(p)", "SIGN(x)", "SIGN(k - 30)",
			"FLOOR(p)", "CEIL(p)", "CEILING(-p)", "FLOOR(k)", "ROUND(p)", "ROUND(p, 1)", "ROUND(p, -1)", "ROUND(-p, -2)", "ROUND(k, -1)", "TRUNCATE(p, 1)",
			"TRUNCATE(-p, 0)", "TRUNCATE(p, -2)", "ROUND(p, 5)", "LEAST(k, g, 30)", "GREATEST(k, 30)", "GREATEST(p, 1.5)", "LEAST(x, 1e0) > 0",
			"YEAR(m)", "MONTH(m)", "DAY(m)", "DAYOFWEEK(m)", "WEEKDAY(m)", "QUARTER(m)", "DAYOFYEAR(m)", "DATE(m)", "LAST_DAY(m)", "TO_DAYS(m)",
			"HOUR(m)", "MINUTE(m)", "SECOND(m)", "MICROSECOND(m)", "WEEK(m)", "WEEK(m, 3)",
			"CASE WHEN k < 20 THEN 'low' WHEN k < 40 THEN 'mid' ELSE 'high' END", "IF(g = 2, c, 'none')", "COALESCE(c, 'none')", "IFNULL(c, 'text 3')",
			"CASE WHEN g = 1 THEN c WHEN g = 2 THEN 'text 3' END", "NULLIF(c, 'text 3')", "CASE g WHEN 1 THEN UPPER(c) WHEN 2 THEN NULL ELSE c END", "'always'",
		} {
			for _, q := range []string{"SELECT id, %s FROM f WHERE g < 4", "SELECT %s AS e, COUNT(*), SUM(k) FROM f GROUP BY e"} {
				if sql := fmt.Sprintf(q, e); !compare(t, s, sql) && rows > 1 && e != "'always'" {
					t.Errorf("no pipelines: %s\n%s", sql, strings.Join(mustAnswer(t, s, "EXPLAIN "+sql), "\n"))
				}
			}
		}
	}
}

// TestPipelinesIncrements compares averages under several values of div_precision_increment. They are cut
// off, not rounded, if they have whole words of nine digits.
func TestPipelinesIncrements(t *testing.T) {
	s := deviceSession(t)
	fillFacts(t, s, 3000)
	for _, increment := range []int{0, 1, 4, 7, 9, 12, 16} {
		execute(t, s, fmt.Sprint("SET div_precision_increment = ", increment))
		for _, q := range []string{
			"SELECT COUNT(*), AVG(k), AVG(p), AVG(g), AVG(u), AVG(b), AVG(x) FROM f",
			"SELECT g, COUNT(*), AVG(p), AVG(k), AVG(b), AVG(u), AVG(q) FROM f GROUP BY g",
			"SELECT c, AVG(p) * 3, AVG(k) FROM f GROUP BY c",
			"SELECT d.name, COUNT(*), AVG(f.p), AVG(d.w) FROM f JOIN d ON f.k = d.k GROUP BY d.name",
			"SELECT COUNT(*), AVG(f.k), AVG(d.w), AVG(f.u) FROM f JOIN d ON f.k < d.k AND f.g <> d.w",
			"SELECT id, p / 7 FROM f WHERE p / 7 > 3 AND g < 4",
		} {
			if !compare(t, s, q) && strings.Contains(q, "GROUP BY") {
				t.Errorf("increment %d: no pipelines: %s", increment, q)
			}
		}
	}
}

// TestPipelinesStop stops queries early, and cancels them.
func TestPipelinesStop(t *testing.T) {
	s := deviceSession(t)
	fillFacts(t, s, 3000)
	execute(t, s, "SET gsql_device = "+device)
	const q = "SELECT id, c, p FROM f WHERE g < 4"
	for range 2 {
		rows, err := s.Query(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := rows.NextBatch(); b == nil || err != nil {
			t.Fatal(b, err)
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := sqltest.SortedLines(ctx, s, q); !errors.Is(err, sqlerr.QueryInterrupted) {
			t.Errorf("%v, want error 1317", err)
		}
	}
	if f := s.Fallbacks(); len(f) > 0 {
		t.Errorf("%v ran on the CPU", f)
	}
}

// TestPipelinesPlaceholders runs a kept plan with several values.
func TestPipelinesPlaceholders(t *testing.T) {
	s := deviceSession(t)
	fillFacts(t, s, 1000)
	answer := func(on string, least int) (lines []string) {
		execute(t, s, "SET gsql_device = "+on)
		rows, err := s.Query(context.Background(), "SELECT c, COUNT(*), SUM(p) FROM f WHERE k > ? GROUP BY c", least)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for {
			b, err := rows.NextBatch()
			if err != nil {
				t.Fatal(err)
			}
			if b == nil {
				slices.Sort(lines)
				return lines
			}
			for i := range b.N {
				lines = append(lines, sqltest.Line(b, i))
			}
		}
	}
	for _, least := range []int{10, 20, 10, 500, 20} {
		want, got := answer("cpu", least), answer(device, least)
		if again := answer(device, least); !slices.Equal(got, want) || !slices.Equal(again, want) {
			t.Errorf("k > %d: %v, %v, want %v", least, got, again, want)
		}
	}
}

// TestPipelinesSessions runs the same queries in several sessions.
func TestPipelinesSessions(t *testing.T) {
	db, err := gsql.Open(gsql.Config{Workers: 2, Variables: map[string]string{"gsql_device": device}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := db.NewSession()
	defer s.Close()
	fillFacts(t, s, 500)
	execute(t, s, "SET gsql_device = cpu")
	queries, want := fusedQueries[10:14], map[string][]string{}
	for _, q := range queries {
		want[q] = mustAnswer(t, s, q)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s := db.NewSession()
			defer s.Close()
			for i := range 3 * len(queries) {
				q := queries[i%len(queries)]
				if got, err := sqltest.SortedLines(context.Background(), s, q); err != nil || !slices.Equal(got, want[q]) {
					t.Errorf("%s: %v, error %v, want %v", q, got, err, want[q])
				}
			}
			if f := s.Fallbacks(); len(f) > 0 {
				t.Errorf("%v ran on the CPU", f)
			}
		})
	}
	wg.Wait()
}

// TestPipelinesMemory runs a query whose rows take more memory than it may have.
func TestPipelinesMemory(t *testing.T) {
	s := deviceSession(t)
	fillFacts(t, s, 3000)
	const q = "SELECT -id, -k, -g, -p, id * -3, k * -3, p * 3 FROM f WHERE g < 4"
	execute(t, s, "SET gsql_device = cpu")
	want := mustAnswer(t, s, q)
	execute(t, s, "SET gsql_device = "+device)
	mustAnswer(t, s, q)
	execute(t, s, "SET gsql_memory_limit = '100KB'")
	if got := mustAnswer(t, s, q); !slices.Equal(got, want) {
		t.Errorf("%d rows, want %d", len(got), len(want))
	}
	if f := s.Fallbacks(); len(f) != 1 {
		t.Errorf("%v ran on the CPU, want the pipelines", f)
	}
}

// TestPipelinesVersions checks that a program and its columns are those of the version that is read.
func TestPipelinesVersions(t *testing.T) {
	s := deviceSession(t)
	fillFacts(t, s, 500)
	const q = "SELECT c, COUNT(*), SUM(p), MAX(k) FROM f GROUP BY c"
	for _, change := range []string{
		"SELECT 1", "INSERT INTO f VALUES (1000, 1000000, 3, 9999999.5, 1, 1, NULL, NULL, 'another', 1, 1)", "UPDATE f SET c = NULL WHERE id % 3 = 0",
		"DELETE FROM f WHERE c = 'text 1'", "BEGIN; DELETE FROM f WHERE id < 200", "ROLLBACK", "TRUNCATE TABLE f",
	} {
		execute(t, s, change)
		compare(t, s, q)
	}
}

// TestPipelinesEstimates groups by an expression whose number of values the planner underestimates.
func TestPipelinesEstimates(t *testing.T) {
	s := deviceSession(t)
	execute(t, s, "CREATE TABLE w (a INT NOT NULL, b INT NOT NULL)")
	var rows []string
	for i := range 20000 {
		rows = append(rows, fmt.Sprintf("(%d,%d)", i%200*7919, i/100*104729))
	}
	execute(t, s, "INSERT INTO w VALUES "+strings.Join(rows, ","))
	for _, q := range []string{"SELECT a + b, COUNT(*) FROM w WHERE a + b > -1 AND a * 2 <> b GROUP BY a + b", "SELECT a, b, SUM(a) FROM w WHERE a = a AND b = b AND a <> b + 1 GROUP BY a, b"} {
		if !compare(t, s, q) {
			t.Errorf("%s has no pipelines", q)
		}
	}
}

// TestPipelinesErrors checks that errors of SQL are the CPU's.
func TestPipelinesErrors(t *testing.T) {
	s := deviceSession(t)
	execute(t, s, "CREATE TABLE big (v DECIMAL(38,0), b BIGINT)")
	execute(t, s, "INSERT INTO big VALUES (99999999999999999999999999999999999999, 9223372036854775807), (99999999999999999999999999999999999999, 1)")
	for _, q := range []string{"SELECT SUM(v) FROM big", "SELECT b + b FROM big WHERE b > 0"} {
		execute(t, s, "SET gsql_device = cpu")
		_, want := sqltest.SortedLines(context.Background(), s, q)
		execute(t, s, "SET gsql_device = "+device)
		if _, err := sqltest.SortedLines(context.Background(), s, q); want == nil || err == nil || err.Error() != want.Error() {
			t.Errorf("%s: %v, want %v", q, err, want)
		}
	}
}

// TestPipelinesAnalyze checks what EXPLAIN ANALYZE says of pipelines.
func TestPipelinesAnalyze(t *testing.T) {
	s := deviceSession(t)
	fillFacts(t, s, 2000)
	execute(t, s, "SET gsql_device = "+device)
	plan := strings.Join(mustAnswer(t, s, "EXPLAIN ANALYZE SELECT g, COUNT(*) FROM f WHERE k > 3 GROUP BY g"), "\n")
	for _, part := range []string{"Pipelines", "device ", "B out"} {
		if !strings.Contains(plan, part) {
			t.Errorf("no %q in\n%s", part, plan)
		}
	}
}
