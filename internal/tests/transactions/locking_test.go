package transactions_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/sqlerr"
)

// locked makes two sessions over tables t (1..9, a * 10, a % 3) and u (1..3, ...), and log.
func locked(t *testing.T) (a, b *gsql.Session) {
	t.Helper()
	a = sqltest.Open(t, gsql.Config{})
	b = a.DB().NewSession()
	t.Cleanup(func() { b.Close() })
	for _, text := range []string{
		"CREATE TABLE t (a INT PRIMARY KEY, n INT, k INT, ts TIMESTAMP)", "CREATE TABLE u (k INT PRIMARY KEY, m INT)", "CREATE TABLE log (what TEXT)",
		"INSERT INTO t SELECT a, a * 10, a % 3, '2024-01-01 00:00:00' FROM (WITH RECURSIVE n AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM n WHERE a < 9) SELECT a FROM n) n",
		"INSERT INTO u VALUES (0, 100), (1, 101), (2, 102)", "CREATE VIEW v AS SELECT * FROM t WHERE a < 5",
	} {
		sqltest.Run(t, a, text)
	}
	return a, b
}

// TestForUpdate has a transaction lock rows, while another one changes or locks some and
// commits first. rows are those of t that must be locked; others must not be.
func TestForUpdate(t *testing.T) {
	const all = "1 2 3 4 5 6 7 8 9"
	for _, c := range []struct{ query, rows string }{
		{"SELECT * FROM t WHERE a = 3 FOR UPDATE", "3"},
		{"SELECT n + 1 FROM t WHERE k = 1 FOR UPDATE", "1 4 7"},
		{"SELECT n FROM t FOR UPDATE", all},
		{"SELECT n FROM t ORDER BY n DESC LIMIT 2 FOR UPDATE", "8 9"},
		{"SELECT n FROM t ORDER BY a LIMIT 2 OFFSET 3 FOR UPDATE NOWAIT", "4 5"},
		{"SELECT n, ROW_NUMBER() OVER (ORDER BY a) FROM t WHERE a > 7 FOR UPDATE", "8 9"},
		{"SELECT n AS x FROM t HAVING x > 75 FOR UPDATE", "8 9"},
		{"SELECT t.n, u.m FROM t JOIN u ON t.k = u.k WHERE u.m = 102 FOR UPDATE", "2 5 8"},
		{"SELECT t.n, u.m FROM t JOIN u USING (k) WHERE u.m = 102 FOR UPDATE", "2 5 8"},
		{"SELECT t.n, u.m FROM t NATURAL JOIN u WHERE u.m = 102 FOR UPDATE", "2 5 8"},
		{"SELECT u.m, t.n FROM u LEFT JOIN t ON t.k = u.k AND t.a > 6 WHERE u.k < 2 FOR UPDATE", "7 9"},
		{"SELECT x.n, y.n FROM t x JOIN t y ON x.a = y.a + 1 WHERE x.a = 5 FOR UPDATE", "4 5"},
		{"SELECT x.n, y.n FROM t x JOIN t y ON x.a = y.a + 1 WHERE x.a = 5 FOR UPDATE OF y", "4"},
		{"SELECT t.n, u.m FROM t, u WHERE t.a = 1 FOR UPDATE OF u", ""},
		{"SELECT SUM(n) FROM t WHERE k = 1 FOR UPDATE", "1 4 7"},
		{"SELECT k, COUNT(*) FROM t WHERE a > 4 GROUP BY k HAVING COUNT(*) > 100 FOR UPDATE", "5 6 7 8 9"},
		{"SELECT DISTINCT k FROM t WHERE a < 3 LIMIT 1 FOR UPDATE", "1 2"},
		{"SELECT SQL_CALC_FOUND_ROWS n FROM t WHERE k = 2 ORDER BY a LIMIT 1 FOR UPDATE", "2 5 8"},
		{"SELECT ts FROM t WHERE a = 6 FOR UPDATE", "6"},
		{"SELECT * FROM t WHERE a = (SELECT MIN(k) + 1 FROM u) FOR UPDATE", "1"},
		{"SELECT * FROM u WHERE k IN (SELECT a FROM t WHERE k = 1) FOR UPDATE", ""},           // MySQL locks no rows of subqueries
		{"SELECT * FROM u WHERE k IN (SELECT a FROM t WHERE k = 1 FOR UPDATE)", "1 4 7"},      // unless these say so
		{"SELECT * FROM u WHERE EXISTS (SELECT * FROM t WHERE t.a = u.k FOR UPDATE)", all},    // correlated: the table
		{"SELECT * FROM v WHERE a = 1 FOR UPDATE", all},                                       // a view: the table
		{"SELECT * FROM (SELECT * FROM t WHERE a = 1) d FOR UPDATE", all},                     // so with derived tables
		{"WITH c AS (SELECT * FROM t WHERE a = 1) SELECT * FROM c FOR UPDATE", all},           // and these
		{"SELECT * FROM (SELECT * FROM t WHERE a = 1 FOR UPDATE) d", "1"},                     // but here the rows are known
		{"SELECT a FROM t WHERE a = 2 UNION SELECT a FROM t WHERE a = 4 FOR UPDATE", "4"},     // the second SELECT's
		{"(SELECT a FROM t WHERE a = 2 FOR UPDATE) UNION (SELECT a FROM t WHERE a = 4)", "2"}, //
		{"SELECT n FROM t WHERE a = 2 INTO @x FOR UPDATE", "2"},                               //
		{"SET @x = (SELECT n FROM t WHERE a = 2 FOR UPDATE)", "2"},                            //
		{"INSERT INTO log SELECT n FROM t WHERE a > 7 FOR UPDATE", "8 9"},                     //
		{"UPDATE log SET what = (SELECT n FROM t WHERE a = 2 FOR UPDATE)", "2"},               //
		{"SELECT * FROM t FULL JOIN u ON t.a = u.m WHERE t.a = 1 FOR UPDATE", "1"},
		{"SELECT t.a, u.k FROM t FULL JOIN u ON t.a = u.k FOR UPDATE OF t", all},
		{"SELECT t.a FROM t FULL JOIN u USING (k) WHERE t.a = 1 FOR UPDATE", all}, // merged columns: the table
		{"SELECT * FROM t WHERE a = 1 AND RAND() < 2 FOR UPDATE", "1"},            //
		{"SELECT SUM(n) FROM t WHERE a = 1 AND RAND() < 2 FOR UPDATE", all},       // computed again it might be others
		{"SELECT n FROM t WHERE a < 0 FOR UPDATE", ""},                            //
		{"PREPARE p FROM 'SELECT n FROM t WHERE a = ? FOR UPDATE'; SET @a = 6; EXECUTE p USING @a", "6"},
	} {
		for _, share := range []bool{false, true} {
			query := c.query
			if share {
				query = strings.ReplaceAll(query, "FOR UPDATE", "FOR SHARE")
			}
			rows := strings.Fields(c.rows)
			for a := 1; a <= 9; a++ {
				id := fmt.Sprint(a)
				want := false
				for _, r := range rows {
					want = want || r == id
				}
				if a > 2 && a%2 == 0 && want == (c.rows == all) {
					continue // enough of these
				}
				for _, other := range []struct {
					text     string
					conflict bool
				}{
					{"UPDATE t SET n = n + 1 WHERE a = " + id, want},
					{"DELETE FROM t WHERE a = " + id, want},
					{"SELECT * FROM t WHERE a = " + id + " FOR UPDATE", want},
					{"SELECT * FROM t WHERE a = " + id + " LOCK IN SHARE MODE", want && !share},
				} {
					if err := against(t, query, other.text); (sqltest.Code(err) == sqlerr.WriteConflict) != other.conflict || err != nil && !other.conflict {
						t.Errorf("%s, then %s: %v", query, other.text, err)
					}
				}
			}
		}
	}
}

// against runs a query in a transaction that has changed nothing else, has another transaction
// run a statement and commit, and returns the error of the first one's commit.
func against(t *testing.T, query, other string) error {
	t.Helper()
	a, b := locked(t)
	sqltest.Run(t, a, "BEGIN")
	sqltest.Run(t, a, query)
	sqltest.Run(t, b, "BEGIN")
	sqltest.Run(t, b, other)
	sqltest.Run(t, b, "COMMIT")
	_, _, err := a.Exec(context.Background(), "COMMIT")
	b.Close()
	return err
}

// TestForUpdateFirstCommitterWins checks that whoever commits second loses: also a transaction
// that changed a row that another one had only locked.
func TestForUpdateFirstCommitterWins(t *testing.T) {
	a, b := locked(t)
	sqltest.Run(t, a, "BEGIN")
	sqltest.Run(t, b, "BEGIN")
	sqltest.Run(t, a, "SELECT * FROM t WHERE a = 1 FOR UPDATE")
	sqltest.Run(t, b, "UPDATE t SET n = 5 WHERE a = 1")
	sqltest.Run(t, a, "COMMIT")
	if _, _, err := b.Exec(context.Background(), "COMMIT"); sqltest.Code(err) != sqlerr.WriteConflict {
		t.Errorf("the row was changed behind the lock: %v", err)
	}
	sqltest.Run(t, b, "UPDATE t SET n = 5 WHERE a = 1") // begun later, it sees the commit
	sqltest.Run(t, b, "BEGIN")
	sqltest.Run(t, b, "SELECT * FROM t WHERE a = 1 FOR UPDATE")
	sqltest.Run(t, b, "UPDATE t SET n = n + 1 WHERE a = 1")
	sqltest.Run(t, b, "COMMIT")
	if got := sqltest.Values(sqltest.Rows(t, a, "SELECT n FROM t WHERE a = 1")); got != "6" {
		t.Errorf("n is %s", got)
	}
}

// TestForUpdatePreventsWriteSkew is what locks are for.
func TestForUpdatePreventsWriteSkew(t *testing.T) {
	for _, clause := range []string{"", "FOR UPDATE", "FOR SHARE", "LOCK IN SHARE MODE", "FOR UPDATE SKIP LOCKED", "FOR SHARE NOWAIT"} {
		a, b := locked(t)
		for i, s := range []*gsql.Session{a, b} {
			sqltest.Run(t, s, "BEGIN")
			sqltest.Run(t, s, "SELECT * FROM t WHERE a IN (1, 2) "+clause)
			sqltest.Run(t, s, fmt.Sprintf("UPDATE t SET n = -1 WHERE a = %d", i+1))
		}
		sqltest.Run(t, a, "COMMIT")
		if _, _, err := b.Exec(context.Background(), "COMMIT"); (sqltest.Code(err) == sqlerr.WriteConflict) != (clause != "") {
			t.Errorf("%q: %v", clause, err)
		}
	}
}

// TestForUpdateOutsideOfTransactions checks that locks of an autocommitted statement end with it,
// and that locks of rolled back statements are gone.
func TestForUpdateOutsideOfTransactions(t *testing.T) {
	a, b := locked(t)
	for _, text := range []string{"SELECT * FROM t FOR UPDATE", "BEGIN; SELECT * FROM t FOR UPDATE; ROLLBACK"} {
		sqltest.Run(t, b, "BEGIN")
		sqltest.Run(t, b, "UPDATE t SET n = n + 1 WHERE a = 1")
		sqltest.Run(t, a, text)
		sqltest.Run(t, b, "COMMIT")
	}
	sqltest.Run(t, a, "BEGIN")
	sqltest.Run(t, a, "SAVEPOINT s")
	sqltest.Run(t, a, "SELECT * FROM t WHERE a = 1 FOR UPDATE")
	sqltest.Run(t, a, "ROLLBACK TO SAVEPOINT s") // which keeps locks, as in MySQL
	sqltest.Run(t, b, "UPDATE t SET n = 0 WHERE a = 1")
	if _, _, err := a.Exec(context.Background(), "COMMIT"); sqltest.Code(err) != sqlerr.WriteConflict {
		t.Errorf("COMMIT: %v", err)
	}
}

// TestForUpdateOwnRows checks rows that the transaction itself adds, changes and deletes.
func TestForUpdateOwnRows(t *testing.T) {
	a, b := locked(t)
	sqltest.Run(t, a, "BEGIN")
	sqltest.Run(t, a, "INSERT INTO t VALUES (20, 0, 0, NULL)")
	sqltest.Run(t, a, "UPDATE t SET n = 1 WHERE a = 1")
	sqltest.Run(t, a, "SELECT * FROM t FOR UPDATE")
	sqltest.Run(t, a, "DELETE FROM t WHERE a = 2")
	sqltest.Run(t, b, "INSERT INTO t VALUES (30, 0, 0, NULL)") // no row that was read
	sqltest.Run(t, a, "COMMIT")
	if got := sqltest.Values(sqltest.Rows(t, a, "SELECT COUNT(*), SUM(a) FROM t")); got != "10,93" {
		t.Errorf("the rows are %s", got)
	}
}

// TestForUpdateResults checks that a locked query returns what it returns unlocked, and no more
// columns, by all the ways out.
func TestForUpdateResults(t *testing.T) {
	a, _ := locked(t)
	for _, query := range []string{
		"SELECT * FROM t WHERE k = 1 ORDER BY n DESC", "SELECT t.*, u.m FROM t LEFT JOIN u ON t.a = u.k ORDER BY t.a LIMIT 4", "SELECT COUNT(*), SUM(n) FROM t",
		"SELECT DISTINCT k FROM t ORDER BY k", "SELECT n AS x FROM t HAVING x > 50 ORDER BY -x", "SELECT a FROM t UNION SELECT k FROM u ORDER BY 1",
	} {
		want := sqltest.Lines(sqltest.Rows(t, a, query))
		sqltest.Run(t, a, "BEGIN")
		if got := sqltest.Lines(sqltest.Rows(t, a, query+" FOR UPDATE")); got != want {
			t.Errorf("%s FOR UPDATE gives\n%s, not\n%s", query, got, want)
		}
		reader, err := a.QueryArrow(context.Background(), "SELECT n FROM t WHERE a = 1 FOR UPDATE")
		if err != nil {
			t.Fatal(err)
		}
		if !reader.Next() || reader.Record().NumCols() != 1 || reader.Schema().NumFields() != 1 {
			t.Errorf("the record has %d columns: %v", reader.Record().NumCols(), reader.Err())
		}
		reader.Release()
		sqltest.Run(t, a, "COMMIT")
	}
	for _, text := range []string{"SELECT * FROM t FOR UPDATE OF x", "SELECT * FROM t x FOR UPDATE OF t"} {
		if _, err := sqltest.TryRows(a, text); sqltest.Code(err) != sqlerr.UnresolvedTableLock {
			t.Errorf("%s: %v", text, err)
		}
	}
	sqltest.Run(t, a, "BEGIN")
	sqltest.Run(t, a, "SELECT * FROM t LIMIT 1 FOR UPDATE SKIP LOCKED")
	if got := sqltest.Lines(sqltest.Rows(t, a, "SHOW WARNINGS")); !strings.Contains(got, "SKIP LOCKED") {
		t.Errorf("SKIP LOCKED says nothing: %s", got)
	}
	sqltest.Run(t, a, "SELECT * FROM information_schema.tables FOR UPDATE") // which has no rows to lock
	sqltest.Run(t, a, "COMMIT")
}

// TestForUpdateOfManyRows locks the rows of a table of several segments while others change it.
func TestForUpdateOfManyRows(t *testing.T) {
	a, b := locked(t)
	sqltest.Run(t, a, sqltest.Wide)
	sqltest.Run(t, a, "DELETE FROM wide WHERE a % 7 = 0")
	for _, c := range []struct {
		lock, other string
		conflict    bool
	}{
		{"SELECT * FROM wide WHERE a % 3 = 0 FOR UPDATE", "UPDATE wide SET s = '' WHERE a % 3 = 1", false},
		{"SELECT * FROM wide WHERE a % 3 = 0 FOR UPDATE", "UPDATE wide SET s = '' WHERE a = 500001", true},
		{"SELECT * FROM wide FOR UPDATE", "INSERT INTO wide VALUES (1, 'x')", false},
		{"SELECT * FROM wide FOR UPDATE", "DELETE FROM wide WHERE a = 1", true},
	} {
		sqltest.Run(t, a, "BEGIN")
		sqltest.Rows(t, a, c.lock)
		sqltest.Run(t, b, c.other)
		if _, _, err := a.Exec(context.Background(), "COMMIT"); (sqltest.Code(err) == sqlerr.WriteConflict) != c.conflict {
			t.Errorf("%s, then %s: %v", c.lock, c.other, err)
		}
	}
}

// TestLocksInViews: a locking clause in a view's definition is taken, as in MySQL, where what it does is undefined.
// Here it locks nothing, which a warning says when the view is made.
func TestLocksInViews(t *testing.T) {
	a, _ := locked(t)
	for _, c := range []struct {
		query string
		warns bool
	}{
		{"SELECT a FROM t FOR UPDATE", true}, {"SELECT a FROM t LOCK IN SHARE MODE", true}, {"SELECT a FROM (SELECT a FROM t FOR SHARE) d", true},
		{"SELECT a FROM t", false}, {"SELECT a, 'for update' FROM t", false},
	} {
		sqltest.Run(t, a, "CREATE OR REPLACE VIEW w AS "+c.query)
		rows := sqltest.Rows(t, a, "SHOW WARNINGS")
		if got := len(rows) == 1 && rows[0][0] == "Warning" && rows[0][1] == "1235" && strings.HasPrefix(rows[0][2], "FOR UPDATE and FOR SHARE lock no rows in a view"); got != c.warns || !got && len(rows) > 0 {
			t.Errorf("%s: warnings %q", c.query, rows)
		}
	}
}
