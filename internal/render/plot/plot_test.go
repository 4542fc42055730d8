package plot

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"

	"gsql"
)

// drawn returns the chart of a query.
func drawn(t *testing.T, opt Options, query string) (string, error) {
	t.Helper()
	db, err := gsql.Open(gsql.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.NewSession().Query(context.Background(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out strings.Builder
	c, err := New(&out, opt, rows.Columns)
	if err != nil {
		return "", err
	}
	for {
		b, err := rows.NextBatch()
		if err != nil {
			t.Fatal(err)
		}
		if b == nil {
			err := c.Close()
			return out.String(), err
		}
		if err := c.Write(b); err != nil {
			return "", err
		}
	}
}

// mustDraw is drawn for queries that can be drawn.
func mustDraw(t *testing.T, opt Options, query string) string {
	t.Helper()
	text, err := drawn(t, opt, query)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestBars checks that bars are as long as their values, and where zero lies.
func TestBars(t *testing.T) {
	got := mustDraw(t, Options{Width: 30, Null: "NULL"}, "VALUES ROW('one', 1), ROW('é', 4), ROW('none', NULL), ROW('zero', 0)")
	// 4 characters of labels, 4 of values and 2 blanks leave 20 for the value 4.
	want := "column_1 by column_0\n" +
		"one  █████ 1\n" +
		"é    ████████████████████ 4\n" +
		"none  NULL\n" +
		"zero  0\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	got = mustDraw(t, Options{Width: 30}, "SELECT a, b AS n FROM (VALUES ROW('l', -2), ROW('m', -1), ROW('r', 1)) AS v(a, b)")
	// 1 + 2 + 2 characters leave 25 for 3 units: 17 below zero, 8 above.
	if want := "n by a\nl █████████████████ -2\nm          ████████ -1\nr                  ████████ 1\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestLine checks that a straight line is drawn as one, and that gaps and unequal distances are.
func TestLine(t *testing.T) {
	for _, query := range []string{
		"SELECT i, 3 * i FROM (WITH RECURSIVE r AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM r WHERE i < 40) SELECT i FROM r) v",
		"VALUES ROW(0, 0), ROW(40, 120)", "VALUES ROW(40, 120), ROW(30, 90), ROW(0, 0), ROW(10, NULL), ROW(NULL, 7)",
	} {
		lines := strings.Split(mustDraw(t, Options{Width: 50, Height: 18}, query), "\n")
		// The lines from the second on are the rows of the picture, the highest first, with the axis at the left.
		last := 1000
		for _, line := range lines[1:12] {
			_, row, ok := strings.Cut(line, "┤")
			if !ok {
				_, row, ok = strings.Cut(line, "┼")
			}
			at := strings.IndexAny(row, "─╭╯╰╮│")
			if !ok || at < 0 || at > last {
				t.Fatalf("%s is no rising line:\n%s", query, strings.Join(lines, "\n"))
			}
			last = at
		}
		if !strings.HasPrefix(lines[1], " 120 ┤") || !strings.HasPrefix(lines[11], "   0 ┼") {
			t.Errorf("labels of\n%s", strings.Join(lines, "\n"))
		}
	}
}

// TestScatter checks that every point is drawn where it lies.
func TestScatter(t *testing.T) {
	got := mustDraw(t, Options{Kind: Scatter, Width: 40, Height: 13}, "VALUES ROW(0, 0), ROW(5, 10), ROW(10, 0), ROW(10, 10), ROW(9.9, 10)")
	lines := strings.Split(got, "\n")
	if strings.Count(got, "•") != 4 && strings.Count(got, "•") != 5 || strings.Count(lines[1], "•") < 2 || strings.Count(lines[6], "•") != 2 {
		t.Errorf("points\n%s", got)
	}
	top := []rune(lines[1])
	axis := strings.IndexRune(lines[1], '┤')
	middle := strings.IndexRune(string(top), '•') - axis
	if end := strings.LastIndex(lines[1], "•") - axis; middle*2 < end-9 || middle*2 > end+9 { // positions are in bytes
		t.Errorf("the point in the middle is at %d of %d\n%s", middle, end, got)
	}
}

// TestKinds checks which kind of chart the types of columns select, and that dates label the axis.
func TestKinds(t *testing.T) {
	for query, want := range map[string]string{
		"VALUES ROW('a', 1)":          "█",
		"VALUES ROW(1, 1), ROW(2, 2)": "┤",
		"VALUES ROW(DATE '2024-02-29', 1), ROW(DATE '2024-03-01', 2)":                       "2024-02-29",
		"VALUES ROW(TIMESTAMP '2024-02-29 10:00:00', 1.5), ROW('2024-02-29 11:00:00', 2.5)": "",
		"VALUES ROW(TIME '10:00:00', 1.5), ROW(TIME '12:00:00', 2.5)":                       "12:00:00",
		"VALUES ROW(3), ROW(4)":             "by row",
		"SELECT 1 AS a, 2 AS b WHERE FALSE": "no rows to draw",
		"SELECT 1 AS a, 2 + NULL AS b":      "no values to draw",
	} {
		if got := mustDraw(t, Options{}, query); !strings.Contains(got, want) {
			t.Errorf("%s: no %q in\n%s", query, want, got)
		}
	}
	for query, want := range map[string]string{
		"SELECT 'a' AS x, 'b' AS y": "needs a column of numbers, but the result has x text, y text",
		"SELECT 1 AS x, 'b' AS y":   "needs a column of numbers after the first",
		"SELECT 'a' AS x":           "needs a column of numbers",
		"SELECT 'a' AS x, 1 AS y":   "needs a first column of numbers, dates or times for a scatter chart",
	} {
		if _, err := drawn(t, Options{Kind: Scatter}, query); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", query, err, want)
		}
	}
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// TestChartsFit draws random results, with numbers of every size, and checks that charts are not wider than the
// terminal, and that colours change nothing but colours.
func TestChartsFit(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	value := func() string {
		return []string{"NULL", "0", "-1.7e308", "1.7e308", "1e-300", fmt.Sprint(r.NormFloat64()), fmt.Sprint(r.IntN(1e6)), "123456789012345680"}[r.IntN(8)]
	}
	for range 60 {
		first := []string{"1e0 * %d", "'label %d of some length'", "%d", "DATE '2024-01-01' + INTERVAL %d DAY"}[r.IntN(4)]
		var rows []string
		for i := range 1 + r.IntN(30) {
			rows = append(rows, fmt.Sprintf("SELECT "+first+" AS x, %s + 0e0 AS y, %s + 0e0 AS z", i*i, value(), value()))
		}
		query := strings.Join(rows, " UNION ALL ")
		opt := Options{Width: leastWidth + 30 + r.IntN(100), Height: r.IntN(50), Kind: []Kind{Auto, Bar, Scatter}[r.IntN(3)]}
		if opt.Kind == Scatter && first[0] == '\'' {
			opt.Kind = Auto
		}
		plain := mustDraw(t, opt, query)
		for line := range strings.Lines(plain) {
			if n := text.StringWidthWithoutEscSequences(strings.TrimSuffix(line, "\n")); n > opt.Width {
				t.Fatalf("%d of %d columns, %s, %s:\n%s", n, opt.Width, opt.Kind, query, plain)
			}
		}
		if strings.Contains(plain, "\x1b") {
			t.Errorf("colours:\n%s", plain)
		}
		opt.Color, opt.Light = true, r.IntN(2) == 0
		colored := mustDraw(t, opt, query)
		if bare := escapes.ReplaceAllString(colored, ""); !strings.Contains(plain, "no ") && (bare == colored || strings.Count(bare, "\n") != strings.Count(plain, "\n")) {
			t.Errorf("colours change the chart:\n%s\n%s", plain, bare)
		}
	}
}
