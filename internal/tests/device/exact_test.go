//go:build sim || cuda

package device_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// exactExpressions are of integers and decimals of up to 38 digits, some of them NULL for a division by 0.
var exactExpressions = []string{
	"p / k", "p / q", "k / 7", "1 / 3", "p / (k - 30)", "k / (g - 2)", "p / 3 * 3", "p / k / 7", "p / k + q", "ROUND(p / 3, 2)", "ROUND(q / 7, 10)",
	"TRUNCATE(p / 7, 3)", "-(p / 7)", "ABS(p / -7)", "p / 7 > 0.5", "p / 7 = 1", "p / 4 IN (0.25, 0.5, -3.5)", "p / 7 BETWEEN -1 AND 1", "FLOOR(p / 7)", "CEIL(q / -7)",
	"q * q", "q * q * 10000", "CAST(b AS DECIMAL(19,0)) * b", "b * 1000.0 / 7", "b * 1.0 / (k + 1)", "q + 12345678901234567890.5", "q - 99999999999999999999", "CAST(b AS DECIMAL(19,0)) * b > 0", "b * 100.0 % 1000", "b * 100.0 DIV 1000",
	"b * 1.5", "p DIV (k - 3)", "k % (g - 2)", "q % 0.7", "-q * b", "ABS(b * -2.0)", "SIGN(b * q)", "GREATEST(b * 2.0, q)", "LEAST(b * 3.0, 0, p)", "COALESCE(b * 2.0, q, 0)",
	"x / k", "k / x", "x / 3e0", "CASE WHEN k <> 30 THEN p / (k - 30) ELSE -1 END", "p / NULLIF(g - 1, 0)", "IF(b * 2.0 > 0, b * 2.0, k)", "ROUND(b * 1.25, 1)", "ROUND(b * 100.0, -3)",
	"CAST(p / 7 AS DECIMAL(10,3))", "CAST(b * 1.5 AS DECIMAL(30,1))", "(b * 2.0) IS NULL", "b * 2.0 <=> b * 2.0", "NOT b * 2.0", "u * 10000000000000000.0", "u + 18446744073709550000",
}

// exactSums are of aggregates.
var exactSums = []string{
	"SUM(p) / SUM(q)", "100.00 * SUM(CASE WHEN k < 20 THEN p ELSE 0 END) / SUM(p)", "SUM(p) / 7.0", "SUM(b) / COUNT(*)", "SUM(b) + 1", "SUM(b) > 0", "COALESCE(SUM(b), 0)", "AVG(b) * 2",
	"AVG(q) - AVG(p)", "AVG(b) / AVG(q)", "SUM(q * b)", "AVG(q * b)", "SUM(q * b * 100) / 3", "SUM(p / (k + 1))", "AVG(p / 3)", "AVG(x) * 2", "ROUND(AVG(b), 2)", "-SUM(b)", "SUM(b) IS NULL",
	"SUM(k) / SUM(g - 2)", "SUM(p) / (COUNT(*) - COUNT(k))", "MAX(p) / MIN(q)", "CASE WHEN SUM(b) > 0 THEN SUM(b) ELSE AVG(b) END", "SUM(p) / SUM(p) / 3",
}

// TestExact compares quotients and numbers beyond 64 bits, all of which must run on the device.
func TestExact(t *testing.T) {
	s := deviceSession(t)
	fillFacts(t, s, 600)
	check := func(sql string) {
		t.Helper()
		if !compare(t, s, sql) {
			t.Errorf("no pipelines: %s\n%s", sql, strings.Join(mustAnswer(t, s, "EXPLAIN "+sql), "\n"))
		}
	}
	for _, increment := range []string{"0", "11", "30", "4"} {
		execute(t, s, "SET div_precision_increment = "+increment)
		check("SELECT id, p / 7, p / 3 * 3, k / 7 / 3 FROM f WHERE g < 2")
		check("SELECT g, AVG(p) / 3, SUM(p) / SUM(q), AVG(k), SUM(k) / 7 FROM f GROUP BY g")
	}
	for _, e := range exactExpressions {
		check(fmt.Sprintf("SELECT id, %s FROM f WHERE g < 4", e))
	}
	for _, e := range exactSums {
		check(fmt.Sprintf("SELECT g, %s FROM f GROUP BY g", e))
		check(fmt.Sprintf("SELECT %s FROM f WHERE id > 5", e))
	}
	for _, sql := range []string{
		"SELECT id FROM f WHERE p / q > 0.4", "SELECT id, p / q r FROM f WHERE g < 3 ORDER BY r DESC, id LIMIT 9", "SELECT id, b * 3.0 r FROM f WHERE g = 1 ORDER BY r, id LIMIT 9",
		"SELECT g, SUM(b) s FROM f GROUP BY g HAVING s / 2 > 10 OR s < 0 ORDER BY s / 3 DESC", "SELECT k, AVG(b) FROM f GROUP BY k ORDER BY 2, 1 LIMIT 5",
		"SELECT f.id, t.r FROM f JOIN (SELECT k, SUM(b) / 3 r FROM f GROUP BY k) t ON t.k = f.k WHERE f.g = 1",
		"SELECT id FROM f WHERE b > (SELECT AVG(b) FROM f y WHERE y.g = f.g)",
		"SELECT ROUND(p / 7, 1) r, COUNT(*) FROM f GROUP BY r", "SELECT g, b * 2.0 FROM f WHERE g = 1 UNION ALL SELECT g, p FROM f WHERE g = 2",
		"SELECT t.g, t.r, u.r FROM (SELECT g, SUM(b) r FROM f GROUP BY g) t LEFT JOIN (SELECT g, AVG(b) r FROM f WHERE g < 3 GROUP BY g) u ON t.g = u.g",
	} {
		check(sql)
	}
}

// TestDivisionByZero compares the warnings of divisions by 0.
func TestDivisionByZero(t *testing.T) {
	s := deviceSession(t)
	fillFacts(t, s, 100)
	for sql, some := range map[string]bool{
		"SELECT id, p / (g - 1) FROM f WHERE id < 40": true, "SELECT SUM(k % (g - 2)) FROM f WHERE id < 60": true, "SELECT id, x / (k - k) FROM f WHERE g < 2": true,
		"SELECT id, IF(g = 1, 0, p / (g - 1)) FROM f WHERE id < 40": false, "SELECT id FROM f WHERE g <> 1 AND p / (g - 1) > 0": false, "SELECT SUM(p) / SUM(g - g) FROM f": true,
		"SELECT AVG(b) / SUM(k - k) FROM f GROUP BY g": true,
	} {
		var warned [2][]string
		for i, on := range []string{"cpu", device} {
			execute(t, s, "SET gsql_device = "+on)
			mustAnswer(t, s, sql)
			for _, w := range s.Warnings() {
				warned[i] = append(warned[i], fmt.Sprint(w.Code, w.Msg))
			}
		}
		if !slices.Equal(warned[0], warned[1]) || (len(warned[0]) > 0) != some {
			t.Errorf("%s: %d warnings %.100v, want %d %.100v", sql, len(warned[1]), warned[1], len(warned[0]), warned[0])
		}
	}
}

// TestOutOfRange expects the CPU's errors for values that the device finds to be out of range, and no error
// where the CPU computes them.
func TestOutOfRange(t *testing.T) {
	s := deviceSession(t)
	fillFacts(t, s, 200)
	execute(t, s, "UPDATE f SET x = 1e300 WHERE id = 7")
	for _, sql := range []string{
		"SELECT id, b * b FROM f WHERE g < 4", "SELECT id, b * b * b * 1.0 * b FROM f WHERE g < 4", "SELECT id, x * x FROM f WHERE g < 9", "SELECT SUM(b * 1.0 * b * b) FROM f",
		"SELECT id, u - 500 FROM f WHERE g < 9", "SELECT id, x / 1e-300 FROM f WHERE g < 9", "SELECT id, -u * 3 FROM f WHERE u > 0",
	} {
		ctx := context.Background()
		execute(t, s, "SET gsql_device = cpu")
		want, wantErr := sqltest.SortedLines(ctx, s, sql)
		execute(t, s, "SET gsql_device = "+device)
		for range 2 { // the second time it is known
			got, err := sqltest.SortedLines(ctx, s, sql)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) || !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", sql, err, wantErr)
			}
		}
		if wantErr != nil {
			execute(t, s, "SET gsql_on_fallback = error")
			if _, err := sqltest.SortedLines(ctx, s, sql); fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("%s: %v, want %v", sql, err, wantErr)
			}
			execute(t, s, "SET gsql_on_fallback = warn")
		}
	}
}

// TestOutOfRangeOnce expects an error again and again, but not once the table has changed.
func TestOutOfRangeOnce(t *testing.T) {
	s := deviceSession(t)
	execute(t, s, "CREATE TABLE far (id INT NOT NULL, u INT UNSIGNED NOT NULL)")
	execute(t, s, "INSERT INTO far VALUES (1, 700), (2, 3), (3, 4000000)")
	const sql = "SELECT id, u - 500 FROM far WHERE id < 9"
	for i := range 3 {
		if _, err := sqltest.SortedLines(context.Background(), s, sql); !errors.Is(err, sqlerr.DataOutOfRange) {
			t.Fatalf("run %d: %v", i, err)
		}
	}
	execute(t, s, "UPDATE far SET u = 500 WHERE id = 2")
	if !compare(t, s, sql) {
		t.Error("no pipelines")
	}
}
