package planning_test

import (
	"fmt"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
)

// TestAnalyzeOfWhatNeverRan joins with an empty table: the other side is not read, so that nothing
// is known of its rows.
func TestAnalyzeOfWhatNeverRan(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE t (a INT); CREATE TABLE u (a INT); INSERT INTO t VALUES (1), (2), (3)")
	const query = "SELECT * FROM t JOIN u ON t.a = u.a"
	actual := map[string]string{}
	for _, row := range sqltest.Rows(t, s, "EXPLAIN ANALYZE "+query) {
		actual[strings.TrimLeft(row[0], " │├└─")] = row[4] + "|" + row[5]
	}
	if actual["Scan t"] != "|" || actual["Scan u"] != "0|1" {
		t.Errorf("actual rows and q_error by operator: %v", actual)
	}
	if text := sqltest.Lines(sqltest.Rows(t, s, "EXPLAIN ANALYZE FORMAT = 'tree' "+query)); strings.Count(text, "actual rows=") != 2 {
		t.Error(text)
	}
	if text := sqltest.Lines(sqltest.Rows(t, s, "EXPLAIN ANALYZE FORMAT = 'json' "+query)); strings.Count(text, `"q_error"`) != 2 {
		t.Error(text)
	}
}

// TestTextsOfSmallTable joins 100 texts, which are numbers with zeros before them, with 200,000: the
// table of the few is built, though it has less rows than estimates are made from.
func TestTextsOfSmallTable(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{Workers: 2})
	sqltest.Run(t, s, "CREATE TABLE few AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99) SELECT LPAD(i, 12, '0') AS k, i AS v FROM n")
	sqltest.Run(t, s, "CREATE TABLE many AS SELECT a.k, b.v FROM few a JOIN few b JOIN few c ON c.v < 20")
	const join = "SELECT /*+ HASH_JOIN(few) */ COUNT(*), SUM(few.v) FROM many JOIN few ON many.k = few.k"
	if plan := fmt.Sprint(sqltest.Rows(t, s, "EXPLAIN "+join)); strings.Contains(plan, "build: left") || !strings.Contains(plan, "hash_join (build left)") {
		t.Errorf("the other table is built: %s", plan)
	}
	if got := fmt.Sprint(sqltest.Rows(t, s, join)); got != "[[200000 9900000]]" {
		t.Error(got)
	}
}
