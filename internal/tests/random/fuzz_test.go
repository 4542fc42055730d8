package random_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// fuzzSchema is small, so that no product of its tables gets long.
const fuzzSchema = `CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(10), c DECIMAL(10,2), d DATE, e DOUBLE);
INSERT INTO t VALUES (1, 'x', 1.50, '2024-02-29', 1e10), (2, 'y', NULL, NULL, -0.5), (3, NULL, -7, '1999-12-31', 0);
CREATE TABLE w (g VARCHAR(9) COLLATE utf8mb4_0900_ai_ci UNIQUE, p TIMESTAMP NULL, h TEXT COLLATE utf8mb4_general_ci);
INSERT INTO w VALUES ('Éa', '2024-03-31 02:30:00', 'x '), ('b', NULL, 'X'), (NULL, '1971-01-01', NULL);
CREATE TABLE u (a INT, s TEXT, n BIGINT UNSIGNED, ts DATETIME(6), tm TIME);
INSERT INTO u VALUES (1, 'naïve', 18446744073709551615, '2024-01-01 00:00:00.5', '12:00:00'), (NULL, '', 0, NULL, NULL);
CREATE VIEW v AS SELECT a, COUNT(*) AS n FROM u GROUP BY a`

var fuzzSeeds = []string{
	"SELECT * FROM t", "SELECT a + 1, b LIKE 'x%', c * 2.5 FROM t WHERE d > '2000-01-01' ORDER BY e DESC LIMIT 1 OFFSET 1",
	"SELECT t.a, COUNT(*), SUM(c), GROUP_CONCAT(b ORDER BY b SEPARATOR ';') FROM t JOIN u ON t.a = u.a GROUP BY t.a WITH ROLLUP HAVING COUNT(*) > 0",
	"SELECT * FROM t LEFT JOIN u USING (a) NATURAL JOIN v", "SELECT a, b, s FROM t FULL JOIN u USING (a) WHERE b = 'X' COLLATE utf8mb4_general_ci ORDER BY s COLLATE utf8mb4_unicode_ci",
	"SELECT g, COUNT(*), MIN(h), COUNT(DISTINCT h), UNIX_TIMESTAMP(p) FROM w WHERE h LIKE 'X%' OR g IN ('B', h) GROUP BY g, p HAVING MAX(g) > 'a' UNION SELECT h, 1, g, 2, p FROM w", "SELECT * FROM t x, t y WHERE x.a < y.a AND x.e BETWEEN y.e - 1 AND y.e + 1",
	"SELECT a FROM t WHERE a IN (SELECT a FROM u) OR EXISTS (SELECT 1 FROM u WHERE u.a = t.a) UNION SELECT n FROM v EXCEPT SELECT 1 INTERSECT ALL SELECT 2",
	"WITH w(x) AS (SELECT a FROM t) SELECT (SELECT MAX(x) FROM w WHERE x < t.a), CASE WHEN a = 1 THEN 'one' ELSE b END FROM t",
	"SELECT DISTINCT a DIV 0, a % 0, -9223372036854775808, 1e308 * 10, CAST('x' AS SIGNED), X'FF', b'101', DATE '2024-01-01' + INTERVAL 1 MONTH FROM t",
	"SELECT a > ALL (SELECT a FROM u), a = ANY (SELECT a FROM u), (1, 2) = (a, 2), a IS NULL, NOT a, a <=> NULL, a XOR 1 FROM t",
	"INSERT INTO t VALUES (4, 'z', 1.005, '2024-1-1', 0), (5, DEFAULT, NULL, NULL, NULL)", "INSERT IGNORE INTO t SELECT a, s, 1, NULL, 2 FROM u", "REPLACE INTO t (a) VALUES (1)",
	"UPDATE t SET a = a + 10, b = CONCAT(b, b) WHERE c IS NOT NULL ORDER BY a LIMIT 2", "DELETE FROM u WHERE a IN (SELECT a FROM t)", "TRUNCATE TABLE u",
	"CREATE TABLE n (id BIGINT AUTO_INCREMENT PRIMARY KEY, x DECIMAL(5,1) NOT NULL DEFAULT 1.5, UNIQUE KEY k (x), CHECK (x > 0))", "CREATE TABLE n AS SELECT * FROM t; DROP TABLE n, u",
	"CREATE INDEX i ON t (b(3), c); DROP INDEX i ON t", "CREATE OR REPLACE VIEW w (p, q) AS SELECT a, b FROM t; SHOW CREATE VIEW w; DROP VIEW w",
	"BEGIN; DELETE FROM t; ROLLBACK; START TRANSACTION; COMMIT", "SET @x = 1, gsql_workers = 2; SELECT @x, @@gsql_workers, @@version", "PREPARE p FROM 'SELECT ? + 1'; SET @v = 2; EXECUTE p USING @v; DEALLOCATE PREPARE p",
	"EXPLAIN SELECT * FROM t JOIN u USING (a)", "EXPLAIN ANALYZE SELECT COUNT(*) FROM t", "EXPLAIN FORMAT = 'json' SELECT 1", "DESCRIBE t; SHOW TABLES LIKE 't%'; SHOW WARNINGS; ANALYZE TABLE t",
	"SELECT /*+ HASH_JOIN(u) LEADING(t, u) */ * FROM t JOIN u ON t.a = u.a", "SELECT 1 -- comment\n; /* another */ SELECT 'it''s \\' \"', `a` FROM t # end",
	"SELECT * FROM `nope.csv`", "SELECT ?", "SELECT COUNT(DISTINCT a, b), STDDEV(e), BIT_OR(a), ANY_VALUE(b) FROM t", "SELECT b REGEXP '[xy]+', SUBSTRING(b, 1, 1), ROUND(c, 1), IF(a, b, c), COALESCE(b, 'q') FROM t",
	"WITH RECURSIVE c (n, s) AS (SELECT 1, 'a' UNION ALL SELECT n + 1, CONCAT(s, 'b') FROM c WHERE n < 9 LIMIT 5) SELECT * FROM c", "WITH RECURSIVE r AS (SELECT a FROM t UNION SELECT t.a + 1 FROM r JOIN t ON t.a = r.a) SELECT COUNT(*) FROM r",
	"SELECT t.a, q.s FROM t LEFT JOIN LATERAL (SELECT s FROM u WHERE u.a = t.a ORDER BY s LIMIT 1) q ON TRUE", "SELECT p, q FROM (SELECT a, b FROM t) AS d (p, q) FULL OUTER JOIN u ON d.p = u.a",
	"SELECT a, b, GROUPING(a, b), SUM(c) FROM t GROUP BY a, b WITH ROLLUP ORDER BY GROUPING(a), 2", "SELECT (a, b) < (SELECT 1, 'x'), (SELECT MAX(u.a) FROM u WHERE u.n > SUM(t.a)) FROM t GROUP BY a, b",
	"VALUES ROW(1, 2), ROW(3, 4)", "TABLE t", "SELECT (SELECT 1 UNION SELECT 2)", "SELECT 1 FROM", ";;", "SELECT '",
}

// FuzzStatement runs arbitrary text: whatever it is, the answer is rows or an error
// of MySQL's, soon. Error 1815 is a bug met on the way.
func FuzzStatement(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		lower := strings.ToLower(text)
		for _, word := range []string{"outfile", "infile", "dumpfile", "import", "sleep", "benchmark"} {
			if strings.Contains(lower, word) {
				t.Skip("touches files or waits")
			}
		}
		db, err := gsql.Open(gsql.Config{Dir: dir, Workers: 2, MemoryLimit: 64 << 20})
		if err != nil {
			t.Fatal(err)
		}
		s := db.NewSession()
		defer s.Close()
		sqltest.Run(t, s, fuzzSchema)
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		start := time.Now()
		_, _, err = s.Exec(ctx, text)
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%v: did not end with its context", took)
		}
		if errors.Is(err, sqlerr.InternalError) {
			t.Error(err)
		}
		if err != nil {
			if e := sqlerr.From(err); e.Pos > len(text) {
				t.Errorf("position %d of %d: %v", e.Pos, len(text), err)
			}
			sqlerr.Render(err, text)
		}
	})
}
