package gsql_test

import (
	"strings"
	"testing"

	"gsql"
)

// TestAnalyzeOfWhatNeverRan joins with an empty table: nobody reads the other side, so that
// nothing is known of its rows.
func TestAnalyzeOfWhatNeverRan(t *testing.T) {
	s := session(t, gsql.Config{})
	run(t, s, "CREATE TABLE t (a INT); CREATE TABLE u (a INT); INSERT INTO t VALUES (1), (2), (3)")
	const query = "SELECT * FROM t JOIN u ON t.a = u.a"
	actual := map[string]string{}
	for _, row := range table(t, s, "EXPLAIN ANALYZE "+query) {
		actual[strings.TrimLeft(row[0], " │├└─")] = row[4] + "|" + row[5]
	}
	if actual["Scan t"] != "|" || actual["Scan u"] != "0|1" {
		t.Errorf("actual rows and q_error by operator: %v", actual)
	}
	if text := flat(table(t, s, "EXPLAIN ANALYZE FORMAT = 'tree' "+query)); strings.Count(text, "actual rows=") != 2 {
		t.Error(text)
	}
	if text := flat(table(t, s, "EXPLAIN ANALYZE FORMAT = 'json' "+query)); strings.Count(text, `"q_error"`) != 2 {
		t.Error(text)
	}
}
