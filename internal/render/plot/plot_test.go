package plot

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
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
		"SELECT i, 2.5 * i FROM (WITH RECURSIVE r AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM r WHERE i < 40) SELECT i FROM r) v",
		"VALUES ROW(0, 0), ROW(40, 100)", "VALUES ROW(40, 100), ROW(30, 75), ROW(0, 0), ROW(10, NULL), ROW(NULL, 7)",
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
		if !strings.HasPrefix(lines[1], " 100 ┤") || !strings.HasPrefix(lines[11], "   0 ┼") {
			t.Errorf("labels of\n%s", strings.Join(lines, "\n"))
		}
	}
}

// TestRoundLabels draws lines over random ranges and checks that the labels of the vertical axis are multiples of 1, 2 or 5 times
// a power of ten, as far from each other on the screen as in value, that they enclose the values, and the same of the ticks below.
func TestRoundLabels(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	round := func(step float64) bool {
		m := step / math.Pow(10, math.Floor(math.Log10(step)+1e-9))
		return math.Abs(m-1) < 1e-6 || math.Abs(m-2) < 1e-6 || math.Abs(m-5) < 1e-6
	}
	for range 60 {
		scale := math.Pow(10, float64(r.IntN(9)-3))
		lo, hi := (r.Float64()-0.5)*scale, (r.Float64()-0.5)*scale
		if lo, hi = min(lo, hi), max(lo, hi); hi-lo < scale/50 {
			continue
		}
		from := r.IntN(100)
		to := from + 3 + r.IntN(500)
		query := fmt.Sprintf("VALUES ROW(%de0, %v), ROW(%d, %v)", from, lo, to, hi)
		lines := strings.Split(strings.TrimSuffix(mustDraw(t, Options{Width: 90, Height: 16 + r.IntN(12)}, query), "\n"), "\n")
		var values []float64
		var rows []int
		for i, line := range lines {
			label, _, axis := strings.Cut(line, "┤")
			if !axis {
				label, _, axis = strings.Cut(line, "┼")
			}
			if v, err := strconv.ParseFloat(strings.TrimSpace(label), 64); axis && err == nil {
				values, rows = append(values, v), append(rows, i)
			}
		}
		if len(values) < 2 || !round(values[0]-values[1]) || values[0] < hi-1e-9 || values[len(values)-1] > lo+1e-9 {
			t.Fatalf("%s: labels %v\n%s", query, values, strings.Join(lines, "\n"))
		}
		for i := range values[1:] {
			if math.Abs((values[i]-values[i+1])/(values[0]-values[1])-1) > 1e-6 || rows[i+1]-rows[i] != rows[1]-rows[0] {
				t.Fatalf("%s: labels %v in rows %v", query, values, rows)
			}
		}
		var ticks []float64
		for _, label := range strings.Fields(lines[len(lines)-1]) {
			v, err := strconv.ParseFloat(label, 64)
			if err != nil {
				t.Fatal(err)
			}
			ticks = append(ticks, v)
		}
		if len(ticks) < 3 || !round(ticks[1]-ticks[0]) || math.Abs(math.Remainder(ticks[0], ticks[1]-ticks[0])) > 1e-6 || ticks[0] < float64(from) || ticks[len(ticks)-1] > float64(to) {
			t.Fatalf("%s: ticks %v", query, ticks)
		}
	}
}

// TestTicks checks the labels of axes of dates, times and whole numbers, and what is above one of them.
func TestTicks(t *testing.T) {
	for values, want := range map[string]string{
		"ROW(DATE '2024-01-17', 1), ROW(DATE '2024-12-05', 2)":                             "2024-04    2024-07    2024-10",
		"ROW(DATE '2024-02-27', 1), ROW(DATE '2024-03-02', 2)":                             "2024-02-27 2024-02-28 2024-02-29 2024-03-01 2024-03-02",
		"ROW(DATE '2024-02-01', 1), ROW(DATE '2024-03-25', 2)":                             "2024-02-05 2024-02-19 2024-03-04 2024-03-18", // Mondays
		"ROW(DATE '1987-05-05', 1), ROW(DATE '2024-03-25', 2)":                             "1990 1995 2000 2005 2010 2015 2020",
		"ROW(TIMESTAMP '2024-02-29 22:50:00', 1), ROW(TIMESTAMP '2024-03-01 03:10:00', 2)": "2024-02-29 23:00 2024-03-01 00:00 2024-03-01 01:00 2024-03-01 02:00 2024-03-01 03:00",
		"ROW(TIMESTAMP '2023-11-11 22:50:00', 1), ROW(TIMESTAMP '2024-03-01 03:10:00', 2)": "2023-12 2024-01 2024-02 2024-03",
		"ROW(TIME '08:10:00', 1), ROW(TIME '11:50:00', 2)":                                 "08:30:00 09:00:00 09:30:00 10:00:00 10:30:00 11:00:00 11:30:00",
		"ROW(TIME '00:00:00.25', 1), ROW(TIME '00:00:01.6', 2)":                            "00:00:00 00:00:01",
		"ROW(3, 1), ROW(5, 2)":     "3 4 5",
		"ROW(3.1, 1), ROW(3.4, 2)": "3.10 3.12",
	} {
		lines := strings.Split(strings.TrimSuffix(mustDraw(t, Options{Width: 100}, "VALUES "+values), "\n"), "\n")
		labels, axis := lines[len(lines)-1], []rune(lines[len(lines)-2])
		if got := strings.Join(strings.Fields(labels), " "); !strings.HasPrefix(got, strings.Join(strings.Fields(want), " ")) {
			t.Errorf("%s: labels %s, want %s", values, got, want)
		}
		first := strings.Fields(labels)[0]
		if at := len(labels) - len(strings.TrimLeft(labels, " ")) + len(first)/2; !strings.Contains(labels, ":") && axis[at] != '┬' {
			t.Errorf("%s: no tick above the first label\n%s\n%s", values, string(axis), labels)
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
