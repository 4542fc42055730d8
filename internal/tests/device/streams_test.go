//go:build sim || cuda

package device_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
)

// fillStreams makes a table big of so many rows, with NULLs, and a table dim of 1000 keys.
func fillStreams(t *testing.T, s *gsql.Session, rows int) {
	t.Helper()
	execute(t, s, "SET gsql_device = cpu")
	execute(t, s, "SET cte_max_recursion_depth = 1000000")
	execute(t, s, "CREATE TABLE big (id INT NOT NULL, k INT, v BIGINT NOT NULL, p DECIMAL(12,2), x DOUBLE, d DATE, c VARCHAR(20))")
	execute(t, s, "CREATE TABLE dim (k INT NOT NULL PRIMARY KEY, g INT NOT NULL, name VARCHAR(20), w BIGINT NOT NULL)")
	numbers := "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %d) "
	execute(t, s, fmt.Sprintf("INSERT INTO big "+numbers+`SELECT i, IF(i %% 7 = 0, NULL, i * 7919 %% 1500), i * 1000003 - 5000000000,
		IF(i %% 11 = 0, NULL, (i * 31 %% 10007 - 5000) / 100), IF(i %% 13 = 0, NULL, (i %% 64 - 32) / 4), DATE_ADD('2020-01-01', INTERVAL i %% 700 DAY), CONCAT('text ', i * 17 %% 23) FROM n`, rows))
	execute(t, s, fmt.Sprintf("INSERT INTO dim "+numbers+"SELECT i, i %% 9, CONCAT('name ', i %% 20), i * 123456789 FROM n", 1000))
}

// streamed are queries that read big.
var streamed = []string{
	"SELECT COUNT(*), COUNT(k), SUM(v), MIN(p), MAX(x), AVG(p), SUM(x) FROM big",
	"SELECT k, COUNT(*), SUM(v), MAX(d), SUM(p) FROM big GROUP BY k",
	"SELECT c, COUNT(*), AVG(x), MIN(v) FROM big WHERE k < 900 GROUP BY c",
	"SELECT id, v, p, c FROM big WHERE k = 77 AND x > 0",
	"SELECT d.g, COUNT(*), SUM(b.v), SUM(d.w) FROM big b JOIN dim d ON b.k = d.k GROUP BY d.g",
	"SELECT d.name, SUM(b.p), MAX(b.v) FROM big b LEFT JOIN dim d ON b.k = d.k AND d.w > 5000000000 GROUP BY d.name",
	"SELECT COUNT(*), SUM(v) FROM big b WHERE NOT EXISTS (SELECT 1 FROM dim d WHERE d.k = b.k AND d.g < 5)",
	"SELECT COUNT(*), SUM(w) FROM dim d WHERE EXISTS (SELECT 1 FROM big b WHERE b.k = d.k AND b.x > 7 AND b.v > 0)",
	"SELECT id, v, x, p FROM big WHERE p > 45 ORDER BY v * 7 % 1000 DESC, id LIMIT 10",
	"SELECT STDDEV(x) > 4, COUNT(*), VAR_POP(x) > 20 FROM big WHERE v > 0",
}

// planned reports whether a query's plan, and what happened, has a text.
func planned(t *testing.T, s *gsql.Session, explain, sql, text string) bool {
	t.Helper()
	return strings.Contains(strings.Join(mustAnswer(t, s, explain+" "+sql), "\n"), text)
}

// TestStreams runs queries over a table that does not fit the device's memory. Its rows come from the host in
// blocks.
func TestStreams(t *testing.T) {
	s := deviceSession(t)
	fillStreams(t, s, 30000)
	execute(t, s, "SET gsql_gpu_memory_limit = '400KB'")
	t.Cleanup(func() { execute(t, s, "SET gsql_gpu_memory_limit = DEFAULT") })
	some := 0
	for _, q := range streamed {
		if !compare(t, s, q) {
			t.Errorf("no pipelines: %s\n%s", q, strings.Join(mustAnswer(t, s, "EXPLAIN "+q), "\n"))
		}
		if planned(t, s, "EXPLAIN", q, "streams ") {
			some++
			if !planned(t, s, "EXPLAIN ANALYZE", q, "rows from the host in ") {
				t.Errorf("nothing was streamed: %s\n%s", q, strings.Join(mustAnswer(t, s, "EXPLAIN ANALYZE "+q), "\n"))
			}
		}
	}
	if some < len(streamed)/2 {
		t.Errorf("%d plans stream rows", some)
	}
}

// TestStreamedFiles streams rows of files.
func TestStreamedFiles(t *testing.T) {
	s := deviceSession(t)
	fillStreams(t, s, 30000)
	dir := t.TempDir()
	for _, kind := range []string{"parquet", "csv"} {
		path := filepath.Join(dir, "big."+kind)
		execute(t, s, "SET gsql_device = cpu")
		sqltest.Run(t, s, fmt.Sprintf("SELECT * FROM big INTO OUTFILE '%s'", path))
		execute(t, s, "SET gsql_gpu_memory_limit = '600KB'")
		for _, q := range streamed[:6] {
			q = strings.Replace(q, "FROM big", "FROM `"+path+"`", 1)
			if !compare(t, s, q) {
				t.Errorf("no pipelines: %s\n%s", q, strings.Join(mustAnswer(t, s, "EXPLAIN "+q), "\n"))
			}
			if q := strings.TrimSpace(q); strings.HasPrefix(q, "SELECT COUNT") && !planned(t, s, "EXPLAIN ANALYZE", q, "rows from the host in ") {
				t.Errorf("nothing was streamed: %s\n%s", q, strings.Join(mustAnswer(t, s, "EXPLAIN ANALYZE "+q), "\n"))
			}
		}
		execute(t, s, "SET gsql_gpu_memory_limit = DEFAULT")
	}
}

// TestStreamsLittleMemory runs a query with more and more device memory, so that each of its allocations fails
// once. The answer is always right. The CPU does the work first, then the device in pieces, and finally the
// device with whole columns. Departures from the plan are reported.
func TestStreamsLittleMemory(t *testing.T) {
	s := deviceSession(t)
	fillStreams(t, s, 30000)
	t.Cleanup(func() { execute(t, s, "SET gsql_gpu_memory_limit = DEFAULT") })
	for _, q := range []string{streamed[4], streamed[8]} {
		execute(t, s, "SET gsql_device = cpu")
		want := mustAnswer(t, s, q)
		execute(t, s, "SET gsql_device = "+device)
		alone, pieces, whole := 0, 0, 0
		for limit := 2 << 10; limit < 4<<20; limit += limit / 5 {
			execute(t, s, fmt.Sprint("SET gsql_gpu_memory_limit = ", limit))
			got := mustAnswer(t, s, q)
			if !slices.Equal(got, want) {
				t.Fatalf("%d bytes: %s\n%.300v\nwant %.300v", limit, q, got, want)
			}
			fell, warned := len(s.Fallbacks()) > 0, len(s.Warnings()) > 0
			plan := strings.Join(mustAnswer(t, s, "EXPLAIN ANALYZE "+q), "\n")
			switch {
			case strings.Contains(plan, "rows from the host in "):
				pieces++
			case strings.Contains(plan, "Pipelines") && !fell:
				whole++
			default:
				if alone++; !warned && !strings.Contains(plan, "needs ") {
					t.Errorf("%d bytes: no word of why the CPU did it\n%s", limit, plan)
				}
			}
		}
		if alone == 0 || pieces == 0 || whole == 0 {
			t.Errorf("%s: %d times on the CPU, %d in pieces, %d at once", q, alone, pieces, whole)
		}
	}
}

// TestStreamsAfterLimit repeats a query after a limit has become too low for its plan: only the first execution
// brings columns to the device that do not stay there.
func TestStreamsAfterLimit(t *testing.T) {
	s := deviceSession(t)
	fillStreams(t, s, 30000)
	t.Cleanup(func() { execute(t, s, "SET gsql_gpu_memory_limit = DEFAULT") })
	q := streamed[0]
	execute(t, s, "SET gsql_device = cpu")
	want := mustAnswer(t, s, q)
	execute(t, s, "SET gsql_device = "+device)
	execute(t, s, "SET gsql_gpu_memory_limit = '64MB'")
	for range 2 {
		mustAnswer(t, s, q)
	}
	execute(t, s, "SET gsql_gpu_memory_limit = '400KB'")
	for i := range 3 {
		if got := mustAnswer(t, s, q); !slices.Equal(got, want) || len(s.Fallbacks()) > 0 {
			t.Fatalf("%v, want %v; %v", got, want, s.Fallbacks())
		}
		if w := s.Warnings(); i > 0 && len(w) > 0 {
			t.Errorf("execution %d: %v", i, w)
		}
	}
}
