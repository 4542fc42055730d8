package gsql_test

import (
	"context"
	"database/sql"
	"strconv"
	"strings"
	"testing"

	"gsql"
	"gsql/sql/catalog"
)

func openSession(t *testing.T) (*gsql.DB, *gsql.Session) {
	t.Helper()
	db, err := gsql.Open(gsql.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return db, db.NewSession()
}

// TestRepeatedText runs the same texts repeatedly while the state they depend on changes: tables,
// the sql_mode, parameters, the session of a pooled connection.
func TestRepeatedText(t *testing.T) {
	db, s := openSession(t)
	defer db.Close()
	ctx := context.Background()
	exec := func(text string, args ...any) {
		t.Helper()
		if _, _, err := s.Exec(ctx, text, args...); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	value := func(text string, args ...any) string {
		t.Helper()
		rows, err := s.Query(ctx, text, args...)
		if err != nil {
			return err.Error()
		}
		defer rows.Close()
		b, err := rows.NextBatch()
		if err != nil || b == nil {
			return "no row"
		}
		return catalog.DatumAt(b.Cols[0], 0).Text()
	}
	for i, c := range []struct{ change, want string }{
		{"CREATE TABLE t (a INT)", "no row"},
		{"INSERT INTO t VALUES (7)", "7"},
		{"UPDATE t SET a = 8", "8"},
		{"DROP TABLE t", "ERROR 1146"},
		{"CREATE TABLE t (b INT, a VARCHAR(9))", "no row"},
		{"INSERT INTO t VALUES (1, 'x')", "x"},
		{"CREATE OR REPLACE VIEW v AS SELECT 1", "x"},
		{"SET sql_mode = 'ANSI_QUOTES'", "x"},
	} {
		exec(c.change)
		for range 3 {
			if got := value("SELECT a FROM t"); !strings.HasPrefix(got, c.want) {
				t.Errorf("step %d: %q, want %q", i, got, c.want)
			}
		}
	}
	for _, mode := range []string{"", "ANSI_QUOTES", "", "ANSI_QUOTES"} {
		exec("SET sql_mode = '" + mode + "'")
		want := "a" // a string
		if mode != "" {
			want = "x" // the column
		}
		for range 3 {
			if got := value(`SELECT "a" FROM t`); got != want {
				t.Errorf("mode %q: %q, want %q", mode, got, want)
			}
		}
	}
	exec("SET sql_mode = ''")
	for _, want := range []string{"1", "2", "x", "NULL"} {
		var arg any = want
		if want == "NULL" {
			arg = nil
		}
		if got := value("SELECT ?", arg); got != want {
			t.Errorf("parameter %q gives %q", want, got)
		}
	}
}

// TestRepeatedThroughDriver runs the same texts through a pool, prepared and unprepared.
func TestRepeatedThroughDriver(t *testing.T) {
	db, err := sql.Open("gsql", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	st, err := db.Prepare("SELECT ? + 1")
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for i := range 5 {
		var plain, prepared int
		if err := db.QueryRow("SELECT ? * 2", i).Scan(&plain); err != nil {
			t.Fatal(err)
		}
		if err := st.QueryRow(i).Scan(&prepared); err != nil {
			t.Fatal(err)
		}
		if plain != 2*i || prepared != i+1 {
			t.Errorf("%d: %d and %d", i, plain, prepared)
		}
	}
}

// BenchmarkShort measures statements whose execution is short compared with the engine's overhead,
// with texts that the session has seen before and with new ones.
func BenchmarkShort(b *testing.B) {
	ctx := context.Background()
	db, err := gsql.Open(gsql.Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	s := db.NewSession()
	for _, text := range []string{
		"CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(20))", "CREATE TABLE u (id INT PRIMARY KEY, t INT)",
		"INSERT INTO t WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i, i % 7, CONCAT('row ', i) FROM n",
		"INSERT INTO u SELECT id, a FROM t WHERE id <= 100",
	} {
		if _, _, err := s.Exec(ctx, text); err != nil {
			b.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, text string
		args       []any
	}{
		{"select 1", "SELECT 1", nil},
		{"by key", "SELECT a, b FROM t WHERE id = ?", []any{500}},
		{"small join", "SELECT COUNT(*) FROM t JOIN u ON t.id = u.t WHERE t.a > 2", nil},
		{"update by key", "UPDATE t SET a = a + 1 WHERE id = ?", []any{500}},
	} {
		for _, repeat := range []bool{true, false} {
			name := c.name
			if !repeat {
				name += ", new text"
			}
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				text := c.text
				for i := 0; b.Loop(); i++ {
					if !repeat {
						text = c.text + " -- " + strconv.Itoa(i)
					}
					if _, _, err := s.Exec(ctx, text, c.args...); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
