package planning_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gsql"
	"gsql/internal/inside"
	"gsql/internal/sqltest"
	"gsql/planner/physical"
)

// planned runs a query eight times, returns the last answer and plan, and reports whether the last
// two runs had the same plan.
func planned(t *testing.T, s *gsql.Session, text string) (answer string, plan *physical.Node, kept bool) {
	t.Helper()
	var last *physical.Node
	for range 4 {
		rows, err := s.Query(context.Background(), text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		last, plan = plan, inside.Plan(rows)
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
		answer = sqltest.Values(sqltest.Rows(t, s, text))
	}
	return answer, plan, last == plan
}

// TestPlansServeAgain repeats queries while nothing changes, and checks which of them keep
// their plans.
func TestPlansServeAgain(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	for _, text := range []string{"CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(9))", "INSERT INTO t VALUES (1, 'x'), (2, 'y')", "CREATE VIEW v AS SELECT a + 1 c FROM t",
		"SET @u = 7"} {
		sqltest.Run(t, s, text)
	}
	for text, want := range map[string]struct {
		answer string
		kept   bool
	}{
		"SELECT b FROM t WHERE a = 2":                                                    {"y", true},
		"SELECT c FROM v ORDER BY c":                                                     {"2,3", true},
		"SELECT a FROM t UNION SELECT 9 ORDER BY 1":                                      {"1,2,9", true},
		"SELECT DATABASE(), @@sql_select_limit > 0 FROM t WHERE a=1":                     {"gsql,1", true},
		"SELECT @u + a FROM t ORDER BY a":                                                {"8,9", false}, // another value another time
		"SELECT @@global.autocommit FROM t WHERE a = 1":                                  {"1", false},
		"SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE()": {"2", false},
	} {
		if answer, _, kept := planned(t, s, text); answer != want.answer || kept != want.kept {
			t.Errorf("%s: %s, plan kept: %v, want %s, %v", text, answer, kept, want.answer, want.kept)
		}
	}
	if n := inside.Of(s.DB()).PlansKept(); n < 3 {
		t.Errorf("%d plans are kept", n)
	}
	sqltest.Run(t, s, "INSERT INTO t VALUES (3, 'z')")
	if n := inside.Of(s.DB()).PlansKept(); n != 0 {
		t.Errorf("%d plans keep what the tables were", n)
	}
}

// TestPlansGiveWay changes, one after another, everything that the plans of a repeated text
// depend on.
func TestPlansGiveWay(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	other := s.DB().NewSession()
	defer other.Close()
	for _, step := range []struct {
		do   string // "other: " in another session
		ask  string
		want string
	}{
		{"CREATE TABLE t (a INT, b INT)", "SELECT * FROM t", ""},
		{"INSERT INTO t VALUES (1, 2)", "SELECT * FROM t", "1,2"},
		{"other: INSERT INTO t VALUES (3, 4)", "SELECT * FROM t", "1,2,3,4"},
		{"other: ALTER TABLE t ADD COLUMN c INT DEFAULT 5", "SELECT * FROM t", "1,2,5,3,4,5"},
		{"other: DELETE FROM t WHERE a = 1", "SELECT * FROM t", "3,4,5"},
		{"CREATE TEMPORARY TABLE t (z INT)", "SELECT * FROM t", ""},
		{"INSERT INTO t VALUES (8)", "SELECT * FROM t", "8"},
		{"DROP TEMPORARY TABLE t", "SELECT * FROM t", "3,4,5"},
		{"other: DROP TABLE t", "SELECT 1", "1"},
		{"other: CREATE TABLE t (q VARCHAR(5))", "SELECT * FROM t", ""},
		{"other: INSERT INTO t VALUES ('q')", "SELECT * FROM t", "q"},
		{"CREATE VIEW v AS SELECT 1 x", "SELECT * FROM v", "1"},
		{"other: CREATE OR REPLACE VIEW v AS SELECT 2 x, 3 y", "SELECT * FROM v", "2,3"},
		{"CREATE DATABASE d", "SELECT COUNT(*) FROM t", "1"},
		{"CREATE TABLE d.t (a INT)", "SELECT COUNT(*) FROM t", "1"},
		{"USE d", "SELECT COUNT(*) FROM t", "0"},
		{"USE gsql", "SELECT COUNT(*) FROM t", "1"},
		{"SET sql_mode = 'PIPES_AS_CONCAT'", "SELECT 1 || 0 FROM t", "10"},
		{"SET sql_mode = ''", "SELECT 1 || 0 FROM t", "1"},
		{"SET time_zone = '+00:00'", "SELECT FROM_UNIXTIME(0) FROM t", "1970-01-01 00:00:00"},
		{"SET time_zone = '+02:00'", "SELECT FROM_UNIXTIME(0) FROM t", "1970-01-01 02:00:00"},
		{"SET @x = 1", "SELECT @x FROM t", "1"},
		{"SET @x = 'a'", "SELECT @x FROM t", "a"},
		{"SET sql_select_limit = 0", "SELECT q FROM t", ""},
		{"SET sql_select_limit = DEFAULT", "SELECT q FROM t", "q"},
		{"SET max_execution_time = 1000", "SELECT @@max_execution_time FROM t", "1000"},
		{"SET max_execution_time = 2000", "SELECT @@max_execution_time FROM t", "2000"},
		{"START TRANSACTION", "SELECT COUNT(*) FROM t", "1"},
		{"INSERT INTO t VALUES ('s')", "SELECT COUNT(*) FROM t", "2"},
		{"INSERT INTO t VALUES ('u')", "SELECT COUNT(*) FROM t", "3"},
		{"ROLLBACK", "SELECT COUNT(*) FROM t", "1"},
		{"START TRANSACTION", "SELECT COUNT(*) FROM t", "1"},
		{"other: INSERT INTO t VALUES ('r')", "SELECT COUNT(*) FROM t", "1"}, // not seen from here
		{"COMMIT", "SELECT COUNT(*) FROM t", "2"},
	} {
		by, do := s, step.do
		if len(do) > 7 && do[:7] == "other: " {
			by, do = other, do[7:]
		}
		sqltest.Run(t, by, do)
		if answer, _, _ := planned(t, s, step.ask); answer != step.want {
			t.Errorf("after %s: %s gives %s, want %s", step.do, step.ask, answer, step.want)
		}
	}
}

// Settings of the planner and statistics give new plans.
func TestPlansFollowSettings(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{Workers: 2})
	sqltest.Run(t, s, "CREATE TABLE t (a INT)")
	sqltest.Run(t, s, "INSERT INTO t VALUES (1)")
	const text = "SELECT x.a FROM t x, t y WHERE x.a = y.a"
	_, before, kept := planned(t, s, text)
	if !kept {
		t.Fatal("the plan was not kept")
	}
	other := s.DB().NewSession()
	defer other.Close()
	if _, plan, _ := planned(t, other, text); plan == before {
		t.Error("connections share a plan")
	}
	for _, change := range []string{"SET gsql_disable_rules = 'InferPredicates'", "SET gsql_workers = 1", "ANALYZE TABLE t", "SET gsql_gpu_memory_limit = '1GB'", "SET gsql_gpu_memory_limit = DEFAULT"} {
		sqltest.Run(t, s, change)
		_, after, kept := planned(t, s, text)
		if after == before || !kept {
			t.Errorf("%s: the old plan serves: %v, a plan is kept: %v", change, after == before, kept)
		}
		before = after
	}
}

// A query whose planning warns does so every time.
func TestPlansKeepWarnings(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE t (a INT)")
	for range 4 {
		sqltest.Run(t, s, "SELECT /*+ LEADING(nobody) */ x.a FROM t x, t y, t z WHERE x.a = y.a AND y.a = z.a")
		if len(s.Warnings()) == 0 {
			t.Fatal("no warning of a hint that names nobody")
		}
	}
}

// Files and registered Arrow tables are looked at again.
func TestPlansSeeFilesChange(t *testing.T) {
	dir := t.TempDir()
	s := sqltest.Open(t, gsql.Config{Dir: dir})
	write := func(text string, age time.Duration) {
		path := filepath.Join(dir, "f.csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	write("a,b\n1,2\n", 2*time.Hour)
	const text = "SELECT * FROM `f.csv`"
	if answer, _, kept := planned(t, s, text); answer != "1,2" || !kept {
		t.Errorf("%s gives %s, plan kept: %v", text, answer, kept)
	}
	write("a,b,c\n3,4,5\n6,7,8\n", time.Hour)
	if answer, _, _ := planned(t, s, text); answer != "3,4,5,6,7,8" {
		t.Errorf("of the new file %s gives %s", text, answer)
	}
	for _, values := range []string{"SELECT 1 x", "SELECT 2 x, 'y' y"} {
		schema, recs := sqltest.Records(t, s, values)
		if err := s.DB().RegisterArrow("arrow", schema, recs); err != nil {
			t.Fatal(err)
		}
		want := sqltest.Values(sqltest.Rows(t, s, values))
		if answer, _, kept := planned(t, s, "SELECT * FROM arrow"); answer != want || !kept {
			t.Errorf("of %s: %s, plan kept: %v", values, answer, kept)
		}
	}
}

// Rows that an Appender adds are visible at once, although no statement announces them.
func TestPlansSeeAppendedRows(t *testing.T) {
	ctx := context.Background()
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE t (a INT)")
	if answer, _, kept := planned(t, s, "SELECT COUNT(*) FROM t"); answer != "0" || !kept {
		t.Errorf("%s rows, plan kept: %v", answer, kept)
	}
	a, err := s.NewAppender(ctx, "t")
	if err != nil {
		t.Fatal(err)
	}
	if err := a.AppendRow(1); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if answer, _, kept := planned(t, s, "SELECT COUNT(*) FROM t"); answer != "1" || !kept {
		t.Errorf("%s rows, plan kept: %v", answer, kept)
	}
}
