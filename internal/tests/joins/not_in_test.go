package joins_test

import (
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
)

// withNulls are tables with NULLs in all columns, of rows enough to make testing NULLs of one side
// against all rows of the other one dear.
const withNulls = `
CREATE TABLE d (n INT);
INSERT INTO d VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9);
CREATE TABLE a (x INT, w INT, k INT);
INSERT INTO a SELECT n*7919%1500, n*10472%3000, n%30 FROM (SELECT 1+a.n+10*b.n+100*c.n+1000*e.n AS n FROM d a, d b, d c, d e) g WHERE n <= 3000;
CREATE TABLE b (y INT, z INT, k INT);
INSERT INTO b SELECT n*6007%1500+IF(n%3=0,1500,0), n*1003%3000, n%30 FROM (SELECT 1+a.n+10*b.n+100*c.n+1000*e.n AS n FROM d a, d b, d c, d e) g WHERE n <= 3000;
UPDATE a SET x = NULL WHERE k%10=3;
UPDATE a SET w = NULL WHERE k%17=3;
UPDATE b SET y = NULL WHERE k%11=4;
UPDATE b SET z = NULL WHERE k%13=4;
UPDATE a SET k = NULL WHERE w%23=2;
UPDATE b SET k = NULL WHERE z%29=2;
`

// TestNotInWithNulls compares correlated NOT IN and <> ALL with the answers of MariaDB. NULLs of
// either side must be found by joins, not by testing rows against all others.
func TestNotInWithNulls(t *testing.T) {
	sqltest.NotForRaces(t)
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, withNulls)
	for _, tt := range []struct{ query, want string }{
		{"SELECT COUNT(*),SUM(k) FROM a WHERE a.x NOT IN (SELECT b.y FROM b WHERE b.z > a.w)", "208|2300"},
		{"SELECT COUNT(*),SUM(k) FROM a WHERE a.x NOT IN (SELECT b.y FROM b WHERE b.z > a.w AND b.y > 10)", "1762|23138"},
		{"SELECT COUNT(*),SUM(k) FROM a WHERE (a.x,a.k) NOT IN (SELECT b.y,b.k FROM b WHERE b.z > a.w)", "628|8302"},
		{"SELECT COUNT(*),SUM(k) FROM a WHERE a.x <> ALL (SELECT b.y FROM b WHERE b.z > a.w AND b.k=a.k)", "2620|34284"},
		{"SELECT COUNT(*),SUM(k) FROM a WHERE (a.x NOT IN (SELECT b.y FROM b WHERE b.z > a.w)) IS NULL", "1746|24090"},
		{"SELECT SUM(k),(a.x NOT IN (SELECT b.y FROM b WHERE b.z > a.w + 2900)) m FROM a GROUP BY m ORDER BY m", "1008|NULL;40564|1"},
		{"SELECT COUNT(*),SUM(k) FROM a WHERE (a.x,a.k) NOT IN (SELECT b.y,b.k FROM b WHERE b.y IS NOT NULL OR b.k IS NOT NULL)", "2212|32332"},
		{"SELECT COUNT(*),SUM(k) FROM a WHERE a.x NOT IN (SELECT b.y FROM b WHERE b.k=a.k AND b.z > a.w)", "2620|34284"},
		{"SELECT COUNT(*),SUM(k) FROM a WHERE a.x NOT IN (SELECT b.y FROM b WHERE b.k<=>a.k)", "2296|33600"},
		{"SELECT COUNT(*),SUM(k) FROM a WHERE a.x NOT IN (SELECT b.y FROM b WHERE b.z>a.w AND b.z < a.w+3)", "2500|33604"},
		{"SELECT COUNT(*),SUM(k) FROM a WHERE a.x >= ALL (SELECT b.y FROM b WHERE b.z>a.w AND b.z < a.w+7)", "200|2300"},
		{"SELECT COUNT(*),SUM(k) FROM a WHERE (a.x,a.k) NOT IN (SELECT b.y,b.k FROM b WHERE b.z > a.w + 2500 AND b.z < a.w + 2600)", "2912|40344"},
		{"SELECT SUM(k),((a.x,a.k) IN (SELECT b.y,b.k FROM b WHERE b.z > a.w + 2500)) m FROM a GROUP BY m ORDER BY m", "1228|NULL;40344|0"},
		{"SELECT COUNT(*),SUM(k) FROM a WHERE a.x NOT IN (SELECT b.y FROM b WHERE b.z > a.w + 2900 AND b.k = a.k) OR a.k = 7", "2988|41368"},
	} {
		answer := func() string {
			var rows []string
			for _, row := range sqltest.Rows(t, s, tt.query) {
				rows = append(rows, strings.Join(row, "|"))
			}
			return strings.Join(rows, ";")
		}
		plan := sqltest.Lines(sqltest.Rows(t, s, "EXPLAIN "+tt.query))
		if strings.Contains(tt.query, " b.z") && !strings.Contains(plan, "filter: b.y IS NULL") && !strings.Contains(plan, "CASE WHEN") {
			t.Errorf("%s: NULLs are tested one by one:\n%s", tt.query, plan)
		}
		if got := answer(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.query, got, tt.want)
		}
		sqltest.Run(t, s, "SET gsql_disable_rules = 'SplitNulls'")
		if got := answer(); got != tt.want {
			t.Errorf("%s without the rule: %s, want %s", tt.query, got, tt.want)
		}
		sqltest.Run(t, s, "SET gsql_disable_rules = ''")
	}
}
