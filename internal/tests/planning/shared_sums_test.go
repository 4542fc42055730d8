package planning

import (
	"fmt"
	"math"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// TestSharedSums computes sums that differ in constants by hand: over NULLs, groups without values,
// unsigned columns and decimals.
func TestSharedSums(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE t (g INT, x SMALLINT, u TINYINT UNSIGNED, d DECIMAL(9,2), i INT, b BIGINT)")
	sqltest.Run(t, s, fmt.Sprintf("INSERT INTO t VALUES (1, 5, 200, 1.25, %d, 1), (1, NULL, 255, -3.00, %d, 2), (1, -7, 0, NULL, 0, 3), (2, NULL, NULL, NULL, NULL, NULL)", math.MaxInt32, math.MaxInt32))
	for _, c := range []struct{ sql, want string }{
		{"SELECT g, SUM(x), SUM(x + 1), SUM(3 - x), SUM(x - 2 + 10) FROM t GROUP BY g ORDER BY g", "1,-2,0,8,14,2,NULL,NULL,NULL,NULL"},
		{"SELECT SUM(u + 1), SUM(u + 2), COUNT(u), COUNT(*) FROM t", "458,461,3,4"},
		{"SELECT SUM(d), SUM(d + 0.125), SUM(1 - d) FROM t", "-1.75,-1.500,3.75"},
		{fmt.Sprintf("SELECT SUM(i + %d), SUM(i) FROM t", math.MaxInt32), "10737418235,4294967294"},
		{"SELECT SUM(x + 1), SUM(x + 2) FROM t WHERE g = 3", "NULL,NULL"},
		{"SELECT SUM(x + 1) + SUM(x + 2) AS s FROM t GROUP BY g HAVING SUM(x + 1) = 0", "2"},
	} {
		if got := sqltest.Values(sqltest.Rows(t, s, c.sql)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.sql, got, c.want)
		}
	}
	// What may be out of range is still an error.
	sqltest.Run(t, s, "UPDATE t SET b = 9223372036854775807 WHERE b = 1")
	for _, sql := range []string{"SELECT SUM(b + 1), SUM(b + 2) FROM t", "SELECT SUM(u - 1), SUM(u - 2) FROM t"} {
		if _, err := sqltest.TryRows(s, sql); sqltest.Code(err) != sqlerr.DataOutOfRange {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
