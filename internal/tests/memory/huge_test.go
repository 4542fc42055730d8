package memory_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
)

// hugeValues are statements over a few values of {n} bytes. X and Y are derived tables that compute
// them row by row; h(i, v) and g(i, v) are tables that hold them. f(i, v) is an empty table, t(i) a
// short one. {dir} is a folder with files of such rows, {k} a new name.
var hugeValues = map[string][]string{
	"sets": {
		"SELECT v FROM X UNION SELECT v FROM Y", "SELECT REPEAT('a', {n}) UNION SELECT REPEAT('b', {n})", "SELECT REPEAT('a', {n}) UNION ALL SELECT REPEAT('b', {n})",
		"SELECT v FROM X INTERSECT SELECT v FROM Y", "SELECT v FROM X EXCEPT SELECT v FROM Y", "SELECT v FROM X INTERSECT ALL SELECT v FROM Y", "SELECT v FROM X EXCEPT ALL SELECT v FROM Y",
		"SELECT DISTINCT v FROM X", "SELECT DISTINCT i, UPPER(v) FROM h", "SELECT v FROM h UNION SELECT v FROM g", "SELECT UPPER(v) FROM h UNION SELECT v FROM g",
		"WITH RECURSIVE r AS (SELECT 1 AS i, REPEAT('a', {n}) AS v UNION ALL SELECT i + 1, REVERSE(v) FROM r WHERE i < 6) SELECT SUM(LENGTH(v)) FROM r",
		"WITH RECURSIVE r AS (SELECT 1 AS i, REPEAT('a', {n}) AS v UNION SELECT i + 1, REVERSE(v) FROM r WHERE i < 6) SELECT SUM(LENGTH(v)) FROM r",
		"WITH c AS (SELECT * FROM X) SELECT SUM(LENGTH(a.v) + LENGTH(b.v)) FROM c a JOIN c b ON a.i = b.i",
	},
	"groups": {
		"SELECT v, COUNT(*) FROM X GROUP BY v", "SELECT LENGTH(v), COUNT(*) FROM X GROUP BY v", "SELECT i, MAX(v), MIN(v) FROM X GROUP BY i", "SELECT MAX(v), MIN(v) FROM X", "SELECT i % 2, MAX(v) FROM X GROUP BY 1",
		"SELECT COUNT(DISTINCT v) FROM X", "SELECT i % 2, COUNT(DISTINCT v) FROM X GROUP BY 1", "SELECT LENGTH(GROUP_CONCAT(v)) FROM X", "SELECT LENGTH(GROUP_CONCAT(v ORDER BY v DESC)) FROM X", "SELECT LENGTH(GROUP_CONCAT(DISTINCT v ORDER BY i)) FROM X",
		"SELECT i % 2, LENGTH(GROUP_CONCAT(v)) FROM X GROUP BY 1", "SELECT LENGTH(JSON_ARRAYAGG(v)) FROM X", "SELECT LENGTH(JSON_OBJECTAGG(i, v)) FROM X", "SELECT LENGTH(JSON_OBJECTAGG(v, i)) FROM X", "SELECT ANY_VALUE(v), i FROM X GROUP BY i",
		"SELECT UPPER(v), COUNT(*) FROM h GROUP BY 1", "SELECT v, COUNT(*) FROM h GROUP BY v", "SELECT i, v, COUNT(*) FROM X GROUP BY i, v WITH ROLLUP", "SELECT v COLLATE utf8mb4_0900_ai_ci AS c, COUNT(*) FROM X GROUP BY c", "SELECT COUNT(DISTINCT i, v) FROM X", "SELECT GROUP_CONCAT(i ORDER BY v) FROM X",
	},
	"sorts": {
		"SELECT v FROM X ORDER BY v DESC", "SELECT i, v FROM X ORDER BY i DESC", "SELECT v FROM X ORDER BY v LIMIT 2", "SELECT i, v FROM X ORDER BY i DESC LIMIT 2 OFFSET 1", "SELECT i, v FROM h ORDER BY v DESC", "SELECT i FROM X ORDER BY v DESC", "SELECT i, REVERSE(v) FROM h ORDER BY i DESC",
		"SELECT i FROM X ORDER BY v COLLATE utf8mb4_0900_ai_ci DESC", "SELECT i, v FROM X ORDER BY LENGTH(v), i DESC",
	},
	"windows": {
		"SELECT i, LENGTH(v), ROW_NUMBER() OVER (ORDER BY v DESC) FROM X", "SELECT v, ROW_NUMBER() OVER (ORDER BY i DESC) FROM X", "SELECT i, LENGTH(LAG(v) OVER (ORDER BY i)) FROM X", "SELECT i, LENGTH(MAX(v) OVER (ORDER BY i)) FROM X",
		"SELECT i, LENGTH(FIRST_VALUE(v) OVER (ORDER BY i DESC)), RANK() OVER (PARTITION BY v ORDER BY i) FROM X", "SELECT i, LENGTH(MIN(v) OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)) FROM X", "SELECT COUNT(*) FROM (SELECT v, ROW_NUMBER() OVER (PARTITION BY i % 2 ORDER BY v) AS r FROM X) w WHERE r <= 1 AND LENGTH(v) > 0",
		"SELECT i, LENGTH(NTH_VALUE(v, 2) OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)) FROM X", "SELECT i, COUNT(*) OVER (PARTITION BY UPPER(v)) FROM h",
	},
	"joins": {
		"SELECT /*+ HASH_JOIN(Y) */ COUNT(*), SUM(LENGTH(X.v)) FROM X JOIN Y ON X.v = Y.v", "SELECT /*+ RADIX_JOIN(Y) */ COUNT(*), SUM(LENGTH(X.v)) FROM X JOIN Y ON X.v = Y.v", "SELECT /*+ MERGE_JOIN(Y) */ COUNT(*), SUM(LENGTH(X.v)) FROM X JOIN Y ON X.v = Y.v",
		"SELECT /*+ HASH_JOIN(Y) */ SUM(LENGTH(X.v) + LENGTH(Y.v)) FROM X JOIN Y ON X.i = Y.i", "SELECT /*+ RADIX_JOIN(Y) */ SUM(LENGTH(X.v) + LENGTH(Y.v)) FROM X JOIN Y ON X.i = Y.i", "SELECT /*+ MERGE_JOIN(Y) */ SUM(LENGTH(X.v) + LENGTH(Y.v)) FROM X JOIN Y ON X.i = Y.i",
		"SELECT X.v, Y.v FROM X JOIN Y ON X.i = Y.i", "SELECT X.v, Y.v FROM X LEFT JOIN Y ON X.i = Y.i + 1", "SELECT X.v, Y.v FROM X FULL JOIN Y ON X.i = Y.i + 1", "SELECT COUNT(*) FROM X JOIN Y ON X.v < Y.v", "SELECT SUM(LENGTH(X.v) + LENGTH(Y.v)) FROM X JOIN Y ON X.i < Y.i", "SELECT X.v, Y.v FROM X JOIN Y WHERE X.i <> Y.i",
		"SELECT LENGTH(v) FROM X WHERE v IN (SELECT v FROM Y)", "SELECT LENGTH(v) FROM X WHERE v NOT IN (SELECT v FROM Y WHERE i > 2)", "SELECT LENGTH(v) FROM X WHERE EXISTS (SELECT 1 FROM Y WHERE Y.i = X.i)", "SELECT LENGTH(v) FROM X WHERE NOT EXISTS (SELECT 1 FROM Y WHERE Y.v = X.v)",
		"SELECT LENGTH(h.v), LENGTH(g.v) FROM h JOIN g ON h.i = g.i", "SELECT COUNT(*) FROM h JOIN g ON UPPER(h.v) = UPPER(g.v)", "SELECT COUNT(*) FROM h JOIN g ON h.v = g.v", "SELECT X.i, Y.i FROM X JOIN Y ON X.i <= Y.i AND X.v >= Y.v", "SELECT X.i, Y.i, LENGTH(CONCAT(X.v, Y.v)) FROM X JOIN Y ON X.i = Y.i",
	},
	"subqueries": {
		"SELECT i, LENGTH((SELECT v FROM X WHERE X.i = t.i)) FROM t", "SELECT i, (SELECT MAX(v) FROM X) FROM t", "SELECT i, LENGTH((SELECT UPPER(v) FROM h WHERE h.i = t.i ORDER BY v LIMIT 1)) FROM t", "SELECT i, LENGTH(x.v) FROM t, LATERAL (SELECT REPEAT(t.i, {n}) AS v LIMIT 1) x",
		"SELECT t.i, LENGTH(x.v) FROM t, LATERAL (SELECT CONCAT(v, t.i) AS v FROM h WHERE h.i <= t.i ORDER BY h.i DESC LIMIT 2) x", "SELECT i FROM X WHERE v = (SELECT MAX(v) FROM Y)", "SELECT i, v = ANY (SELECT v FROM Y) FROM X",
		"SET @x = (SELECT MAX(v) FROM X)",
	},
	"changes": { // h has a single row
		"CREATE TABLE z AS SELECT i, v FROM X", "CREATE TABLE z AS SELECT i, v FROM X UNION SELECT i, v FROM Y", "CREATE TABLE z (i INT, v LONGTEXT); INSERT INTO z SELECT i, v FROM X", "CREATE TABLE z (i INT PRIMARY KEY, v LONGTEXT); INSERT INTO z SELECT i, v FROM X WHERE i < 2; REPLACE INTO z SELECT i, v FROM X WHERE i < 2; INSERT INTO z SELECT i, v FROM X WHERE i < 2 ON DUPLICATE KEY UPDATE v = REVERSE(z.v)",
		"UPDATE h SET v = REVERSE(v)", "UPDATE h SET v = CONCAT(v, i) WHERE i < 3", "UPDATE h JOIN t ON h.i = t.i SET h.v = CONCAT(h.v, t.i)", "DELETE FROM h WHERE UPPER(v) LIKE 'A%'", "DELETE FROM h WHERE v IN (SELECT v FROM X WHERE i < 3)",
		"ALTER TABLE h ADD COLUMN w LONGTEXT AS (REVERSE(v)) STORED", "CREATE TABLE z AS SELECT * FROM h", "CREATE INDEX k ON h (v)", "CREATE TABLE z (v LONGTEXT, UNIQUE (v)); INSERT INTO z SELECT v FROM X", "ALTER TABLE h MODIFY v LONGBLOB", "INSERT INTO h SELECT i + 10, v FROM h", "INSERT INTO h VALUES (9, REPEAT('a', {n})), (10, REPEAT('b', {n}))",
	},
	"files": {
		"SELECT LENGTH(v) FROM `{dir}/h.csv`", "SELECT v FROM `{dir}/h.csv` ORDER BY v", "SELECT LENGTH(v) FROM `{dir}/h.parquet`", "SELECT MAX(v) FROM `{dir}/h.parquet`", "SELECT LENGTH(v) FROM `{dir}/h.arrow`",
		"SELECT i, v FROM X INTO OUTFILE '{dir}/{k}.csv'", "SELECT i, v FROM X INTO OUTFILE '{dir}/{k}.parquet'", "SELECT i, v FROM X INTO OUTFILE '{dir}/{k}.arrow'", "SELECT i, v FROM X ORDER BY v DESC INTO OUTFILE '{dir}/{k}.csv'", "SELECT i, v FROM h INTO OUTFILE '{dir}/{k}.parquet'",
	},
	"loads": {
		"LOAD DATA INFILE '{dir}/h.csv' INTO TABLE f FIELDS TERMINATED BY ',' ENCLOSED BY '\"' IGNORE 1 LINES", "CREATE TABLE z AS SELECT * FROM `{dir}/h.parquet`",
	},
	"driver": {"SELECT i, v FROM h", "SELECT i, v FROM X", "SELECT i, v FROM X ORDER BY v DESC", "SELECT i, CAST(v AS BINARY) FROM X"},
}

// hugeRows are the rows of X and Y.
const hugeRows = 5

// spelledOut returns a statement of hugeValues for values of n bytes. number makes the names of its
// files unique.
func spelledOut(text, dir string, number int, n int64) string {
	for _, name := range []string{"X", "Y"} {
		rows := "SELECT 1 AS i, REPEAT('a', {n}) AS v"
		for i := 2; i <= hugeRows; i++ {
			rows += fmt.Sprintf(" UNION ALL SELECT %d, REPEAT('%c', {n})", i, 'a'+i-1)
		}
		text = regexp.MustCompile(`(FROM|JOIN) `+name+`\b`).ReplaceAllString(text, "$1 ("+rows+") "+name)
	}
	return strings.NewReplacer("{n}", fmt.Sprint(n), "{dir}", dir, "{k}", fmt.Sprint(number)).Replace(text)
}

// TestHugeValues runs statements over a few values each of which takes a large part of the memory
// limit. The peak of the process grows by at most 1.5 times the limit and 30 MB, or the statement
// ends with error 1037.
func TestHugeValues(t *testing.T) {
	sqltest.NotForRaces(t)
	configs := []string{"44 21000000"}
	if os.Getenv("GSQL_FOR") != "" {
		configs = []string{"30 21000000", "44 21000000", "64 16000000", "64 30000000", "96 40000000", "160 21000000"}
	}
	config := alone(t, "GSQL_TEST_HUGE", configs)
	if config == "" {
		return
	}
	var limit, n int64
	if _, err := fmt.Sscan(config, &limit, &n); err != nil {
		t.Fatal(err)
	}
	limit <<= 20
	dir, number, worst := t.TempDir(), 0, int64(0)
	for kind, all := range hugeValues {
		if kind == "files" || kind == "loads" {
			fillFiles(t, dir, n)
		}
		for i, text := range all {
			if os.Getenv("GSQL_FOR") == "" && i%12 > 0 {
				continue // a few of each kind; make random runs all
			}
			number++
			h := &hugeStatement{limit: limit, n: n, kind: kind, stored: regexp.MustCompile(`\b[hg]\b`).MatchString(text) && kind != "loads"}
			if kind == "changes" && h.stored && limit < 2*n {
				continue // h itself cannot be filled
			}
			most := mostGrowth(limit)
			if kind == "driver" {
				most += 2 * n // copies of bytes belong to database/sql and its caller
			}
			grown := h.peakOf(t, spelledOut(text, dir, number, n))
			for try := 1; grown > most && try < 3; try++ { // the garbage collector may have been late
				grown = min(grown, h.peakOf(t, spelledOut(text, dir, 1000*try+number, n)))
			}
			if worst = max(worst, grown); grown > most {
				t.Errorf("%s: the process grew by %d MB under a limit of %d MB", text, grown>>20, limit>>20)
			}
		}
	}
	t.Logf("values of %d bytes under %d MB: the process grew by at most %d MB", n, limit>>20, worst>>20)
}

// fillFiles writes the rows of h to files in dir.
func fillFiles(t *testing.T, dir string, n int64) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "h.csv")); err == nil {
		return
	}
	s := sqltest.Open(t, gsql.Config{})
	for _, format := range []string{"csv", "parquet", "arrow"} {
		sqltest.Run(t, s, fmt.Sprintf("SELECT i, REPEAT(CHAR(96 + i USING utf8mb4), %d) AS v FROM (SELECT 1 AS i UNION SELECT 2 UNION SELECT 3) x INTO OUTFILE '%s'", n, filepath.Join(dir, "h."+format)))
	}
}

// hugeStatement describes how to run a statement of hugeValues.
type hugeStatement struct {
	limit, n int64
	kind     string
	stored   bool // it reads h or g
}

// peakOf runs a text in a new database and returns by how much the process's memory grew.
func (h *hugeStatement) peakOf(t *testing.T, text string) int64 {
	t.Helper()
	cfg, rows := gsql.Config{Workers: 2}, 4
	if h.kind == "changes" || h.kind == "loads" { // tables count, too
		cfg.MemoryLimit, rows = h.limit, 1
	}
	db, err := gsql.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := db.NewSession()
	defer s.Close()
	sqltest.Run(t, s, "CREATE TABLE t AS "+sqltest.Series(1, 6)+" SELECT i FROM r; CREATE TABLE f (i INT, v LONGTEXT); SET group_concat_max_len = 1000000000")
	if h.stored {
		sqltest.Run(t, s, fmt.Sprintf("CREATE TABLE h AS SELECT i, REPEAT(CHAR(96 + i USING utf8mb4), %d) AS v FROM t WHERE i <= %d", h.n, rows))
		if h.kind != "changes" {
			sqltest.Run(t, s, "CREATE TABLE g AS SELECT i, v FROM h")
		}
	}
	run := func() error { _, _, err := s.Exec(context.Background(), text); return err }
	if h.kind == "driver" {
		pool := sql.OpenDB(gsql.NewConnector(db))
		defer pool.Close()
		run = func() error { return readThrough(pool, h.limit, text) }
	} else {
		sqltest.Run(t, s, fmt.Sprintf("SET gsql_memory_limit = %d", h.limit))
	}
	return growth(t, text, run)
}

// readThrough reads a query's rows through database/sql.
func readThrough(pool *sql.DB, limit int64, text string) error {
	ctx := context.Background()
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("SET gsql_memory_limit = %d", limit)); err != nil {
		return err
	}
	rows, err := conn.QueryContext(ctx, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var i int
		var v any // is not a copy
		if err := rows.Scan(&i, &v); err != nil {
			return err
		}
	}
	return rows.Err()
}
