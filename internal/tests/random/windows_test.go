package random_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gsql"
	"gsql/internal/sqltest"
	"gsql/sql/catalog"
)

// TestWindowsAgainstSQLite runs random window queries here and in the sqlite3 shell,
// where there is one with window functions, and compares the answers. Queries keep to
// what both define alike: where rows are counted the order is total, and functions that
// pick a row of the frame stand over such orders only.
func TestWindowsAgainstSQLite(t *testing.T) {
	sqltest.NotForRaces(t)
	shell, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip("skipped: sqlite3 is not installed")
	}
	r := rand.New(rand.NewPCG(3, 1))
	w := windowQueries{r: r}
	script := w.tables()
	var queries []string
	for range 300 {
		queries = append(queries, w.query())
	}
	want := sqliteAnswers(t, shell, script, queries)
	for _, vars := range []map[string]string{nil, {"gsql_workers": "3", "gsql_batch_size": "3"}} {
		db, err := gsql.Open(gsql.Config{Variables: vars})
		if err != nil {
			t.Fatal(err)
		}
		s := db.NewSession()
		for _, sql := range script {
			if _, _, err := s.Exec(context.Background(), sql); err != nil {
				t.Fatal(err)
			}
		}
		for i, sql := range queries {
			compareAnswers(t, sql, gsqlAnswer(t, s, sql), want[i])
		}
		s.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// sqliteAnswers runs everything in one shell; a line of a word of its own separates the
// answers.
func sqliteAnswers(t *testing.T, shell string, script, queries []string) [][]string {
	t.Helper()
	const mark = "-- next --"
	var in strings.Builder
	in.WriteString(".bail on\n.nullvalue NULL\n.separator |\n" + strings.Join(script, ";\n") + ";\n")
	for _, q := range queries {
		fmt.Fprintf(&in, "%s;\n.print '%s'\n", q, mark)
	}
	cmd := exec.Command(shell, ":memory:")
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("sqlite3: %v: %.500s", err, out)
	}
	var answers [][]string
	for _, part := range strings.Split(strings.TrimSuffix(string(out), mark+"\n"), mark+"\n") {
		answers = append(answers, strings.FieldsFunc(part, func(r rune) bool { return r == '\n' }))
	}
	if len(answers) != len(queries) {
		t.Fatalf("sqlite3 gave %d answers to %d queries", len(answers), len(queries))
	}
	return answers
}

func gsqlAnswer(t *testing.T, s *gsql.Session, sql string) []string {
	t.Helper()
	rows, err := s.Query(context.Background(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer rows.Close()
	var out []string
	for {
		b, err := rows.NextBatch()
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if b == nil {
			return out
		}
		for i := range b.N {
			var parts []string
			for _, c := range b.Cols {
				parts = append(parts, catalog.DatumAt(c, i).Text())
			}
			out = append(out, strings.Join(parts, "|"))
		}
	}
}

// compareAnswers compares rows as sets; numbers may differ in how they are written and
// in the last digits.
func compareAnswers(t *testing.T, sql string, got, want []string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if len(got) != len(want) {
		t.Fatalf("%s: %d rows, SQLite gives %d", sql, len(got), len(want))
	}
	for i := range got {
		a, b := strings.Split(got[i], "|"), strings.Split(want[i], "|")
		if len(a) != len(b) {
			t.Fatalf("%s: %s, SQLite gives %s", sql, got[i], want[i])
		}
		for k := range a {
			if !sameValue(a[k], b[k]) {
				t.Fatalf("%s:\n%s, SQLite gives\n%s", sql, got[i], want[i])
			}
		}
	}
}

func sameValue(a, b string) bool {
	if a == b {
		return true
	}
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err1 == nil && err2 == nil && math.Abs(x-y) <= 1e-4*max(1, math.Abs(x)*1e-6)
}

// windowQueries makes tables and queries over them.
type windowQueries struct{ r *rand.Rand }

func (w *windowQueries) tables() []string {
	rows := make([]string, 160)
	cell := func(format string, n int) string {
		if w.r.IntN(7) == 0 {
			return "NULL"
		}
		return fmt.Sprintf(format, w.r.IntN(n)-n/3)
	}
	for i := range rows {
		rows[i] = fmt.Sprintf("(%d, %s, %s, %s, %s, %s)", i, cell("%d", 5), cell("%d", 40), cell("%d.5", 30), cell("'k%d'", 9), cell("%d", 4000000))
	}
	return []string{
		"CREATE TABLE w(id INTEGER, g INTEGER, x INTEGER, f DOUBLE, s VARCHAR(8), b BIGINT)",
		"INSERT INTO w VALUES " + strings.Join(rows, ", "),
	}
}

func pickOf[T any](w *windowQueries, xs ...T) T { return xs[w.r.IntN(len(xs))] }

// query makes a query of a few functions over windows that it names or not.
func (w *windowQueries) query() string {
	items := []string{"id"}
	for range 1 + w.r.IntN(4) {
		items = append(items, w.item())
	}
	where := pickOf(w, "", "", " WHERE g IS NOT NULL", " WHERE x > 3 OR f < 2", " WHERE id < 1", " WHERE id < 0")
	return "SELECT " + strings.Join(items, ", ") + " FROM w" + where + " ORDER BY id"
}

func (w *windowQueries) item() string {
	partition := pickOf(w, "", "", "PARTITION BY g ", "PARTITION BY g, s ", "PARTITION BY x % 3 ")
	desc := pickOf(w, "", " DESC")
	aggregate := pickOf(w, "COUNT(*)", "COUNT(x)", "SUM(x)", "SUM(f)", "AVG(f)", "AVG(x)", "MIN(x)", "MAX(f)", "MIN(s)", "MAX(s)", "SUM(b)", "SUM(x + f)")
	switch w.r.IntN(5) {
	case 0: // no frame, peers tie
		fn := pickOf(w, "RANK()", "DENSE_RANK()", "PERCENT_RANK()", "CUME_DIST()", aggregate)
		return fmt.Sprintf("%s OVER (%sORDER BY %s%s)", fn, partition, pickOf(w, "x", "f", "s", "g, s"), desc)
	case 1: // no frame, a total order
		fn := pickOf(w, "ROW_NUMBER()", "NTILE(4)", "NTILE(1000)", "LAG(x)", "LEAD(s, 3)", "LAG(f, 2, -1.5)", "LEAD(x, 0)", "LEAD(x, 1, id)")
		return fmt.Sprintf("%s OVER (%sORDER BY %s%s, id)", fn, partition, pickOf(w, "x", "f", "s"), desc)
	case 2: // rows of a total order
		fn := pickOf(w, aggregate, "FIRST_VALUE(x)", "LAST_VALUE(s)", "NTH_VALUE(f, 2)")
		return fmt.Sprintf("%s OVER (%sORDER BY %s%s, id ROWS %s)", fn, partition, pickOf(w, "x", "f", "s"), desc, w.frame("2", "5", "60"))
	case 3:
		return fmt.Sprintf("%s OVER (%sORDER BY %s%s RANGE %s)", aggregate, partition, pickOf(w, "x", "f", "b"), desc, w.frame("1", "2.5", "500000"))
	}
	return fmt.Sprintf("%s OVER (%sORDER BY %s%s GROUPS %s)", aggregate, partition, pickOf(w, "x", "s", "g, s"), desc, w.frame("1", "3", "30"))
}

func (w *windowQueries) frame(offsets ...string) string {
	n, m := pickOf(w, offsets...), pickOf(w, offsets...)
	return pickOf(w, "UNBOUNDED PRECEDING", n+" PRECEDING", "CURRENT ROW",
		"BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING", "BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
		"BETWEEN "+n+" PRECEDING AND "+m+" FOLLOWING", "BETWEEN "+n+" PRECEDING AND "+m+" PRECEDING",
		"BETWEEN "+n+" FOLLOWING AND "+m+" FOLLOWING", "BETWEEN "+n+" FOLLOWING AND UNBOUNDED FOLLOWING",
		"BETWEEN UNBOUNDED PRECEDING AND "+n+" PRECEDING", "BETWEEN UNBOUNDED PRECEDING AND "+n+" FOLLOWING")
}
