package planning_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// TestNestingIsCheap nests each form of expression in itself: a form that is rewritten
// with an operand twice would double with each level.
func TestNestingIsCheap(t *testing.T) {
	sqltest.NotForRaces(t)
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE t (a INT, s VARCHAR(10), d DATE)")
	sqltest.Run(t, s, "INSERT INTO t VALUES (1, 'a', '2024-01-01'), (2, NULL, NULL), (NULL, 'b', '2024-02-02')")
	for _, form := range []string{
		"($ BETWEEN a AND a + 1)", "(a BETWEEN $ AND 3)", "($ NOT BETWEEN a AND 1)", "NULLIF($, a)", "NULLIF(a, $)", "COALESCE($, a)", "COALESCE(a, $)", "IFNULL($, a)", "IF($, a, 1)", "IF(a, $, 1)",
		"CASE $ WHEN 1 THEN a WHEN 2 THEN 1 END", "CASE a WHEN $ THEN 1 ELSE $ END", "CASE WHEN a THEN $ END", "($ XOR a)", "(a XOR $)", "($ <=> a)", "($ IN (1, 2, a))", "($ IN ('1', 2, 2.50))", "((a | 4) IN ($, CAST(6 AS UNSIGNED), 2 | 4, NULL))", "(($ | 4) IN (a, CAST(6 AS UNSIGNED), 2 | 4, NULL))", "(a IN (1, $))", "($ NOT IN (a, 2))",
		"(($, a) = (1, 2))", "(($, a) < (1, 2))", "((a, $) >= (1, 2))", "((a, $) IN ((1, 2), (a, 3)))", "((a, $) <=> (1, 2))", "GREATEST($, a)", "LEAST(a, $, 3)", "($ IS NULL)", "($ IS TRUE)", "($ IS NOT FALSE)", "(NOT $)", "(- $)", "($ + a)", "($ AND a)", "(a OR $)",
		"($ = a)", "($ LIKE 'a%')", "CONCAT($, s)", "REPLACE(s, $, 'x')", "ROUND($, 1)", "CAST($ AS CHAR)", "CAST($ AS DECIMAL(10,2))", "($ DIV 2)", "($ / 3)", "($ % 2)", "ABS($)", "FIELD($, 1, a)", "ELT($, s, 'x')", "INTERVAL($, 1, a)",
		"(d + INTERVAL $ DAY)", "DATEDIFF(d, $)", "(SELECT $)", "(SELECT MAX($) FROM t)", "(SELECT MIN(x.a) FROM t x WHERE x.a = $)", "(a IN (SELECT $))", "($ IN (SELECT a FROM t))", "(a NOT IN (SELECT x.a FROM t x WHERE x.a > $))", "EXISTS (SELECT 1 FROM t x WHERE x.a = $)",
		"($ = ANY (SELECT a FROM t))", "($ > ALL (SELECT a FROM t))", "(($, 1) IN (SELECT a, a FROM t))", "((0, $) < (a, (SELECT COUNT(*) FROM t x WHERE x.d = t.d)))", "((($), a) <= (a, (SELECT MAX(x.a) FROM t x)))", "(a BETWEEN (SELECT $) AND 2)",
	} {
		nested := "a"
		for range 18 {
			nested = strings.ReplaceAll(strings.Replace(form, "$", nested, 1), "$", "a")
		}
		for _, sql := range []string{"SELECT %s FROM t", "SELECT a FROM t WHERE %s", "SELECT MAX(%s) FROM t GROUP BY s HAVING MIN(a) > 0"} {
			sql = fmt.Sprintf(sql, nested)
			ctx, cancel := context.WithTimeout(context.Background(), 40*time.Second)
			start := time.Now()
			_, _, err := s.Exec(ctx, sql)
			cancel()
			if took := time.Since(start); took > 30*time.Second {
				t.Errorf("%v: %s: %.60s (%v)", took, form, sql, err)
			}
			if err != nil && sqlerr.From(err).Code == sqlerr.InternalError {
				t.Errorf("%s: %v", form, err)
			}
		}
	}
}
