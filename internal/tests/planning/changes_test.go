package planning_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"gsql"
	"gsql/internal/inside"
	"gsql/internal/sqltest"
)

// twice runs statements that change rows in two databases: on one connection, which reuses plans,
// and each on a connection of its own, which cannot.
type twice struct {
	t        *testing.T
	again    *gsql.Session
	fresh    *gsql.DB
	settings []string // of the connections
	ran      int
}

func newTwice(t *testing.T) *twice {
	db, err := gsql.Open(gsql.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return &twice{t: t, again: sqltest.Open(t, gsql.Config{}), fresh: db}
}

// said reports what became of a statement.
func said(s *gsql.Session, text string, args []any) string {
	rows, err := s.Query(context.Background(), text, args...)
	if err != nil {
		return err.Error()
	}
	for b, err := rows.NextBatch(); b != nil || err != nil; b, err = rows.NextBatch() {
		if err != nil {
			return err.Error()
		}
	}
	if err := rows.Close(); err != nil {
		return err.Error()
	}
	return fmt.Sprint(rows.Affected, rows.LastInsertID, rows.Info, s.Warnings())
}

// set changes a setting of the connections.
func (w *twice) set(text string) {
	sqltest.Run(w.t, w.again, text)
	w.settings = append(w.settings, text)
}

// run runs a statement in both databases and compares what they say and hold.
func (w *twice) run(text string, args ...any) {
	w.t.Helper()
	s := w.fresh.NewSession()
	defer s.Close()
	for _, q := range w.settings {
		sqltest.Run(w.t, s, q)
	}
	got, want := said(w.again, text, args), said(s, text, args)
	if got != want {
		w.t.Errorf("%s %v: %s, by a new connection %s", text, args, got, want)
	}
	got, want = held(w.t, w.again), held(w.t, s)
	if got != want {
		w.t.Fatalf("%s %v leaves\n%s, by a new connection\n%s", text, args, got, want)
	}
	w.ran++
}

// held returns what the table holds.
func held(t *testing.T, s *gsql.Session) string {
	rows, err := sqltest.TryRows(s, "SELECT * FROM t ORDER BY 1, 2")
	if err != nil {
		return err.Error()
	}
	return sqltest.Lines(rows)
}

const changedTable = `CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, n TINYINT, u INT UNSIGNED, s VARCHAR(6), c CHAR(4), m DECIMAL(6,2), f DOUBLE, d DATE,
	ts TIMESTAMP NULL, e ENUM('a','b','10'), j JSON, z INT NOT NULL DEFAULT 5, g INT AS (n + 1), CHECK (z < 1000))`

// TestChangesAgain runs each statement with arguments of many types and values.
func TestChangesAgain(t *testing.T) {
	sqltest.NotForRaces(t)
	values := []any{5, int64(-1), uint64(7), uint64(1 << 63), 2.5, 1e10, "5", "x", "too long for it", "ab  ", "", nil, true, []byte("b"), 300, 1 << 40,
		time.Date(2020, 3, 1, 0, 0, 0, 0, time.UTC), "2020-03-01", "2020-13-01", "2020-03-01 05:00:00", "0000-00-00", "{\"a\": 1}", "99999.999"}
	for _, mode := range []string{"SET sql_mode = DEFAULT", "SET sql_mode = ''"} {
		w := newTwice(t)
		w.set(mode)
		w.run(changedTable)
		w.run("INSERT INTO t (id, n, u, s) VALUES (1, 1, 1, 'a'), (2, 2, 2, 'b'), (3, NULL, 3, NULL)")
		for _, column := range strings.Fields("n u s c m f d ts e j z g") {
			for _, text := range []string{"INSERT INTO t (" + column + ") VALUES (?)", "UPDATE t SET " + column + " = ? WHERE id = 2", "UPDATE t SET u = 4, " + column + " = ?, n = 3 WHERE s = 'b'"} {
				for _, x := range values {
					w.run(text, x)
				}
			}
			w.run("DELETE FROM t WHERE id > 5")
		}
		for _, text := range []string{"UPDATE t SET z = z + ? WHERE id = 1", "UPDATE t SET s = ?, n = ? WHERE id = 1", "UPDATE t SET z = ? * 2 WHERE id < ?", "UPDATE IGNORE t SET n = ? WHERE id = 3",
			"INSERT IGNORE INTO t (id, n) VALUES (?, ?)", "REPLACE INTO t (id, n) VALUES (?, 1)", "INSERT INTO t (id, z) VALUES (7, ?) ON DUPLICATE KEY UPDATE z = z + ?", "INSERT INTO t (s, c) VALUES (?, ?), ('x', ?)",
			"DELETE FROM t WHERE id = ?", "DELETE FROM t WHERE n < ? ORDER BY id LIMIT 1", "UPDATE t SET z = (SELECT COUNT(*) FROM (SELECT 1 AS x) q WHERE x < ?) WHERE id = 1",
			"INSERT INTO t (n, u) SELECT n, ? FROM t WHERE id = ?"} {
			for _, x := range []any{5, 1, nil, "2", "x", 2.5, 500, 3, int64(-4), 1} {
				w.run(text, []any{x, x, x}[:strings.Count(text, "?")]...)
			}
		}
	}
}

// TestChangesAfterDefinitions changes the table between executions.
func TestChangesAfterDefinitions(t *testing.T) {
	w := newTwice(t)
	w.run(changedTable)
	all := func() {
		for i := range 3 {
			w.run("INSERT INTO t (n, s) VALUES (?, ?)", i, fmt.Sprint("s", i))
			w.run("INSERT INTO t (n) VALUES (1)")
			w.run("INSERT INTO t VALUES (?, 1, 1, 'a', 'a', 1, 1, '2020-01-01', NULL, 'a', NULL, ?, DEFAULT)", 1000*w.ran, i)
			w.run("UPDATE t SET z = ?, s = ? WHERE n = ?", 2000*(i/2)+i, "long"[:i+1], i)
			w.run("UPDATE t SET ts = ? WHERE id = 1", "2020-01-01 12:00:00")
			w.run("DELETE FROM t WHERE n = ? AND id > ?", i+1, 10)
		}
	}
	all()
	for _, text := range []string{"ALTER TABLE t ADD COLUMN extra INT DEFAULT 9", "ALTER TABLE t DROP COLUMN extra", "ALTER TABLE t MODIFY s VARCHAR(2)", "ALTER TABLE t ALTER z SET DEFAULT 77",
		"ALTER TABLE t ADD CHECK (n < 2)", "ALTER TABLE t MODIFY n BIGINT NOT NULL", "ALTER TABLE t AUTO_INCREMENT = 5000", "ALTER TABLE t RENAME COLUMN s TO was, ADD COLUMN s INT", "TRUNCATE t",
		"RENAME TABLE t TO old", "CREATE TABLE t LIKE old", "ALTER TABLE t ADD UNIQUE (n)", "DROP TABLE t", "CREATE TABLE t (id INT PRIMARY KEY, n INT, s TEXT, z INT, ts DATETIME)"} {
		w.run(text)
		all()
	}
	for _, text := range []string{"SET time_zone = '+05:00'", "SET sql_mode = ''", "SET sql_mode = DEFAULT"} {
		w.set(text)
		all()
	}
}

// TestChangesInTransactions checks that a plan sees what the transaction has changed, and that
// it keeps no other version's rows.
func TestChangesInTransactions(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE t (id INT PRIMARY KEY, n INT)")
	for i := range 4 {
		sqltest.Run(t, s, "START TRANSACTION")
		sqltest.Run(t, s, "INSERT INTO t VALUES (?, ?)", i, 0)
		for range i + 1 {
			sqltest.Run(t, s, "UPDATE t SET n = n + ? WHERE id = ?", 10, i)
		}
		if i == 2 {
			sqltest.Run(t, s, "ROLLBACK")
		} else {
			sqltest.Run(t, s, "COMMIT")
		}
	}
	if got := sqltest.Lines(sqltest.Rows(t, s, "SELECT * FROM t ORDER BY id")); got != "0 | 10\n1 | 20\n3 | 40\n" {
		t.Error(got)
	}
	sqltest.Run(t, s, "CREATE TEMPORARY TABLE t (id INT PRIMARY KEY, n INT)")
	sqltest.Run(t, s, "INSERT INTO t VALUES (?, ?)", 100, 0)
	sqltest.Run(t, s, "UPDATE t SET n = n + ? WHERE id = ?", 1, 100)
	sqltest.Run(t, s, "DROP TEMPORARY TABLE t")
	sqltest.Run(t, s, "UPDATE t SET n = n + ? WHERE id = ?", 1, 0)
	if got := sqltest.Lines(sqltest.Rows(t, s, "SELECT * FROM t ORDER BY id")); got != "0 | 11\n1 | 20\n3 | 40\n" {
		t.Error(got)
	}
}

// TestChangesThroughViews checks that a view that is made anew counts.
func TestChangesThroughViews(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	sqltest.Run(t, s, "CREATE TABLE t (id INT PRIMARY KEY, n INT)")
	sqltest.Run(t, s, "INSERT INTO t VALUES (1, 0), (2, 0)")
	for i := range 4 {
		sqltest.Run(t, s, fmt.Sprintf("CREATE OR REPLACE VIEW v AS SELECT id FROM t WHERE id = %d", i%2+1))
		sqltest.Run(t, s, "UPDATE t SET n = n + ? WHERE id IN (SELECT id FROM v)", 1)
	}
	if got := sqltest.Lines(sqltest.Rows(t, s, "SELECT * FROM t ORDER BY id")); got != "1 | 2\n2 | 2\n" {
		t.Error(got)
	}
}

// TestChangesKept checks which statements' plans serve again, for all values.
func TestChangesKept(t *testing.T) {
	for _, tt := range []struct {
		text string
		args func(i int) []any
		kept int
	}{
		{"INSERT INTO t VALUES (?, ?, ?)", func(i int) []any { return []any{i, i, fmt.Sprint("name", i)} }, 1},
		{"INSERT INTO t (id, n) VALUES (?, ? + 1)", func(i int) []any { return []any{i, i} }, 1},
		{"UPDATE t SET n = ? WHERE id = ?", func(i int) []any { return []any{i, i} }, 1},
		{"UPDATE t SET n = n + ?, s = ? WHERE id = ? AND n > ?", func(i int) []any { return []any{i, "x", i, -1} }, 1},
		{"DELETE FROM t WHERE id IN (?, ?)", func(i int) []any { return []any{i, i + 1} }, 1},
		{"DELETE FROM t WHERE s LIKE ?", func(i int) []any { return []any{fmt.Sprint("n", i, "%")} }, 1},
		{"UPDATE t SET n = ROUND(n, ?)", func(i int) []any { return []any{i} }, 4}, // the value decides about a type
		{"UPDATE t, o SET t.n = ? WHERE t.id = o.id", func(i int) []any { return []any{i} }, 0},
		{"DELETE FROM t WHERE id = ? AND n IN (SELECT id FROM o)", func(i int) []any { return []any{i} }, 0},
		{"UPDATE t SET n = @x WHERE id = ?", func(i int) []any { return []any{i} }, 0},
	} {
		db, err := gsql.Open(gsql.Config{})
		if err != nil {
			t.Fatal(err)
		}
		s := db.NewSession()
		sqltest.Run(t, s, "CREATE TABLE t (id INT PRIMARY KEY, n DECIMAL(20,6), s VARCHAR(20))")
		sqltest.Run(t, s, "CREATE TABLE o (id INT)")
		sqltest.Run(t, s, "INSERT INTO t SELECT 1000 + k, k, 'name' FROM (WITH RECURSIVE r(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM r WHERE k < 300) SELECT k FROM r) q")
		for i := range 8 {
			sqltest.Run(t, s, tt.text, tt.args(i)...)
		}
		if got := inside.Of(db).ChangesKept(); got != tt.kept {
			t.Errorf("%s: %d plans, want %d", tt.text, got, tt.kept)
		}
		s.Close()
		db.Close()
	}
}
