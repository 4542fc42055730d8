package render

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/jedib0t/go-pretty/v6/text"

	"gsql"
	"gsql/sql/types"
	"gsql/sql/vec"
)

var columns = []gsql.Column{
	{Name: "n", Type: types.T(types.Int64)},
	{Name: "text", Type: types.T(types.String)},
	{Name: "price", Type: types.Dec(10, 2)},
}

func sample() *vec.Batch {
	n := vec.NewFlat(columns[0].Type, 2)
	n.I64[0], n.I64[1] = 7, -10
	s := vec.NewFlat(columns[1].Type, 2)
	s.Str[0], s.Str[1] = "a,\"b\"\nc", "naïve"
	p := vec.NewFlat(columns[2].Type, 2)
	p.Dec[0], p.Dec[1] = decimal128.FromI64(150), decimal128.FromI64(0)
	p.SetNull(1)
	return &vec.Batch{Cols: []*vec.Vector{n, s, p}, N: 2}
}

func render(t *testing.T, opt Options, batches ...*vec.Batch) string {
	t.Helper()
	var b strings.Builder
	w, err := New(&b, opt, columns)
	if err != nil {
		t.Fatal(err)
	}
	for _, batch := range batches {
		if err := w.Write(batch); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestModes(t *testing.T) {
	for mode, want := range map[string]string{
		"csv":      "n,text,price\n7,\"a,\"\"b\"\"\nc\",1.50\n-10,naïve,NIL\n",
		"tsv":      "n\ttext\tprice\n7\t\"a,\"\"b\"\"\nc\"\t1.50\n-10\tnaïve\tNIL\n",
		"json":     "[{\"n\":7,\"text\":\"a,\\\"b\\\"\\nc\",\"price\":1.50},\n {\"n\":-10,\"text\":\"naïve\",\"price\":null}]\n",
		"jsonl":    "{\"n\":7,\"text\":\"a,\\\"b\\\"\\nc\",\"price\":1.50}\n{\"n\":-10,\"text\":\"naïve\",\"price\":null}\n",
		"line":     "    n = 7\n text = a,\"b\"\nc\nprice = 1.50\n\n    n = -10\n text = naïve\nprice = NIL\n",
		"insert":   "INSERT INTO `t` (`n`, `text`, `price`) VALUES (7, 'a,\"b\"\nc', 1.50);\nINSERT INTO `t` (`n`, `text`, `price`) VALUES (-10, 'naïve', NULL);\n",
		"html":     "<table>\n<thead>\n<tr><th style=\"text-align:right\">n</th><th>text</th><th style=\"text-align:right\">price</th></tr>\n</thead>\n<tbody>\n<tr><td style=\"text-align:right\">7</td><td>a,&#34;b&#34;<br>c</td><td style=\"text-align:right\">1.50</td></tr>\n<tr><td style=\"text-align:right\">-10</td><td>naïve</td><td style=\"text-align:right\">NIL</td></tr>\n</tbody>\n</table>\n",
		"latex":    "\\begin{tabular}{rlr}\n\\hline\nn & text & price \\\\\n\\hline\n7 & a,\"b\" c & 1.50 \\\\\n-10 & naïve & NIL \\\\\n\\hline\n\\end{tabular}\n",
		"markdown": "| n | text | price |\n| ---:| --- | ---:|\n| 7 | a,\"b\"↵c | 1.50 |\n| -10 | naïve | NIL |\n",
		"table":    "+-----+---------+-------+\n|   n | text    | price |\n+-----+---------+-------+\n|   7 | a,\"b\"↵c |  1.50 |\n| -10 | naïve   |   NIL |\n+-----+---------+-------+\n",
	} {
		if got := render(t, Options{Mode: mode, Null: "NIL"}, sample()); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", mode, got, want)
		}
	}
}

func TestEmptyResults(t *testing.T) {
	for mode, want := range map[string]string{"csv": "n,text,price\n", "json": "[]\n", "jsonl": "", "line": "", "insert": ""} {
		if got := render(t, Options{Mode: mode}); got != want {
			t.Errorf("%s without rows: %q, want %q", mode, got, want)
		}
	}
}

// An empty line is no record to readers of CSV.
func TestLoneEmptyValue(t *testing.T) {
	v := vec.NewFlat(types.T(types.String), 3)
	v.Str[0], v.Str[2] = "a", "b"
	var b strings.Builder
	w, err := New(&b, Options{Mode: "csv"}, []gsql.Column{{Name: "s", Type: v.Type}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(&vec.Batch{N: 3, Cols: []*vec.Vector{v}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "s\na\n\"\"\nb\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLongResultsAreElidedInTheMiddle(t *testing.T) {
	batches := make([]*vec.Batch, 50)
	for i := range batches {
		b := sample()
		b.Cols[0].I64[0], b.Cols[0].I64[1] = int64(2*i), int64(2*i+1)
		batches[i] = b
	}
	got := render(t, Options{Mode: "table", MaxRows: 5}, batches...)
	if n := strings.Count(got, "\n"); n != 4+5+3 {
		t.Errorf("%d lines:\n%s", n, got)
	}
	for _, want := range []string{"|  0 |", "|  2 |", "|  · |", "| 98 |", "| 99 |"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
	if strings.Contains(got, "|  3 |") || strings.Contains(got, "| 97 |") {
		t.Errorf("too many rows:\n%s", got)
	}
}

func TestTablesFitTheTerminal(t *testing.T) {
	b := sample()
	b.Cols[1].Str[0] = strings.Repeat("wide ", 40)
	for _, width := range []int{80, 40, 25} {
		for line := range strings.Lines(render(t, Options{Mode: "box", Width: width}, b)) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > width {
				t.Errorf("line of %d characters at width %d: %s", n, width, line)
			}
		}
	}
}

func TestFit(t *testing.T) {
	same := func(n, natural, least int) []colWidth {
		cols := make([]colWidth, n)
		for i := range cols {
			cols[i] = colWidth{natural, least, varied}
		}
		return cols
	}
	for _, c := range []struct {
		name   string
		cols   []colWidth
		limit  int
		shown  []int
		widths []int // of the columns shown
	}{
		{"no limit", same(3, 100, 8), 0, []int{0, 1, 2}, []int{100, 100, 100}},
		{"room for all", same(3, 5, 5), 25, []int{0, 1, 2}, []int{5, 5, 5}},
		{"the widest is cut", []colWidth{{5, 5, varied}, {60, 8, varied}, {10, 8, varied}}, 40, []int{0, 1, 2}, []int{5, 15, 10}},
		{"the middle goes before columns get useless", same(8, 5, 5), 40, []int{0, 1, -1, 6, 7}, []int{5, 5, 5, 5}},
		{"numbers are not cut", []colWidth{{9, 8, varied}, {12, 12, varied}, {9, 8, varied}}, 30, []int{0, -1, 2}, []int{9, 9}},
		{"one column at least", same(2, 50, 50), 20, []int{0, -1}, []int{12}},
		{"no columns", nil, 20, []int{}, nil},
	} {
		widths, shown := fit(c.cols, c.limit)
		if !slices.Equal(shown, c.shown) {
			t.Errorf("%s: shown %v, want %v", c.name, shown, c.shown)
			continue
		}
		sum, i := 1, 0
		for _, col := range shown {
			if col < 0 {
				sum += 4
				continue
			}
			sum += widths[col] + 3
			if widths[col] != c.widths[i] {
				t.Errorf("%s: column %d is %d wide, want %d", c.name, col, widths[col], c.widths[i])
			}
			i++
		}
		if c.limit > 0 && sum > c.limit {
			t.Errorf("%s: %d characters, limit %d", c.name, sum, c.limit)
		}
	}
}

func TestHiddenCountsRowsAndColumns(t *testing.T) {
	w, err := New(io.Discard, Options{Mode: "box", Width: 20, MaxRows: 4}, columns)
	if err != nil {
		t.Fatal(err)
	}
	b := sample()
	b.Cols[1].Str[0] = strings.Repeat("x", 30)
	for range 5 {
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if rows, cols := w.(Elider).Hidden(); rows != 6 || cols != 1 {
		t.Errorf("%d rows and %d columns hidden, want 6 and 1", rows, cols)
	}
}

func TestWideCharactersAlign(t *testing.T) {
	b := sample()
	b.Cols[1].Str[0], b.Cols[1].Str[1] = "日本語テキスト日本語", "é"
	widths := map[int]bool{}
	for line := range strings.Lines(render(t, Options{Mode: "table", Width: 30}, b)) {
		widths[text.StringWidthWithoutEscSequences(strings.TrimSuffix(line, "\n"))] = true
	}
	if len(widths) != 1 {
		t.Errorf("lines of different widths: %v", widths)
	}
}

func TestALoneRowKeepsItsLines(t *testing.T) {
	b := sample().Slice(0, 1)
	want := "+---+-------+-------+\n| n | text  | price |\n+---+-------+-------+\n| 7 | a,\"b\" |  1.50 |\n|   | c     |       |\n+---+-------+-------+\n"
	if got := render(t, Options{Mode: "table"}, b); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestLongTables checks that a table that is too long to be held is written as its rows come, that its
// lines are those of a table written at once, and that later values make columns wider.
func TestLongTables(t *testing.T) {
	batch := func(from, n int) *vec.Batch {
		b := &vec.Batch{N: n}
		for _, c := range columns {
			b.Cols = append(b.Cols, vec.NewFlat(c.Type, n))
		}
		for i := range n {
			b.Cols[0].I64[i], b.Cols[1].Str[i], b.Cols[2].Dec[i] = int64(from+i), "x", decimal128.FromI64(150)
		}
		return b
	}
	for _, mode := range []string{"table", "box", "markdown"} {
		var out strings.Builder
		w, err := New(&out, Options{Mode: mode, Null: "NULL"}, columns)
		if err != nil {
			t.Fatal(err)
		}
		const rows, step = 9 * heldRows, heldRows / 2
		for at := 0; at < rows; at += step {
			if err := w.Write(batch(at, step)); err != nil {
				t.Fatal(err)
			}
			if lines := strings.Count(out.String(), "\n"); at >= heldRows && lines < at-heldRows {
				t.Fatalf("%s: %d lines after %d rows", mode, lines, at)
			}
		}
		long := batch(rows, 1)
		long.Cols[1].Str[0] = strings.Repeat("long", 10)
		if err := w.Write(long); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if mode == "markdown" {
			if len(lines) != rows+3 || lines[2] != "| 0 | x | 1.50 |" || lines[rows+1] != "| 8999 | x | 1.50 |" {
				t.Errorf("%d lines of markdown: %q ... %q", len(lines), lines[:3], lines[rows+1:])
			}
			continue
		}
		whole := strings.Split(render(t, Options{Mode: mode}, batch(0, 500), batch(500, 499)), "\n")
		if len(lines) != rows+5 || lines[3] != strings.Replace(whole[3], "│   0", "│    0", 1) && lines[3] != whole[3] {
			t.Errorf("%s: %d lines, %q, want %q", mode, len(lines), lines[3], whole[3])
		}
		if last := lines[len(lines)-1]; text.StringWidthWithoutEscSequences(last) != text.StringWidthWithoutEscSequences(lines[len(lines)-2]) || !strings.Contains(lines[len(lines)-2], "longlong") {
			t.Errorf("%s ends with %q and %q", mode, lines[len(lines)-2], last)
		}
	}
}

// TestDimNulls checks that NULL is dim in tables, which it does not make wider, that the text NULL is not,
// and that nothing is dim in formats for programs.
func TestDimNulls(t *testing.T) {
	b := sample()
	b.Cols[1].Str[1] = "NULL"
	b.Cols[1].Str[0] = "\x1b[2mx"
	for mode, want := range map[string]string{
		"table": "| -10 | NULL  |  \x1b[2mNULL\x1b[0m |", "box": "│  \x1b[2mNULL\x1b[0m │", "vertical": "price: \x1b[2mNULL\x1b[0m\n", "csv": "-10,NULL,NULL\n", "markdown": "| NULL |", "html": ">NULL<",
	} {
		got := render(t, Options{Mode: mode, Null: "NULL", Dim: true}, b)
		if !strings.Contains(got, want) || strings.Count(got, "\x1b[2mNULL") > 1 {
			t.Errorf("%s: %q, want %q", mode, got, want)
		}
		if mode == "table" && strings.Contains(got, "\x1b[2mx") {
			t.Errorf("an escape sequence of a value reaches the terminal: %q", got)
		}
	}
}
