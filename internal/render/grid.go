package render

import (
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"gsql"
	"gsql/sql/vec"
)

const ellipsis = "…"

// grid collects rows and writes them as a table with aligned columns: table (ASCII), box (line
// drawing) or markdown. Beyond MaxRows only the first and last rows are kept; without MaxRows, a long
// table is written as its rows come. Columns that do not fit the terminal are truncated, and middle
// ones dropped.
type grid struct {
	w     io.Writer
	opt   Options
	cols  []gsql.Column
	head  [][]string // the first rows
	tail  [][]string // a ring of the last rows
	next  int        // next position in the ring
	total int
	shown int   // columns of the table written
	flow  *flow // writes a table that is too long to be held; nil before
}

func newGrid(w io.Writer, opt Options, cols []gsql.Column) *grid {
	return &grid{w: w, opt: opt, cols: cols}
}

// Write implements Writer.
func (g *grid) Write(b *vec.Batch) error {
	for i := 0; i < b.N; i++ {
		row := make([]string, len(b.Cols))
		for c, col := range b.Cols {
			if row[c] = g.opt.cell(col, i); !col.IsNull(i) {
				row[c] = printable(row[c])
			}
		}
		g.add(row)
	}
	if g.opt.MaxRows <= 0 && len(g.head) >= heldRows {
		return g.pass()
	}
	return nil
}

func (g *grid) add(row []string) {
	g.total++
	half := g.opt.MaxRows / 2
	switch {
	case g.opt.MaxRows <= 0 || len(g.head) < g.opt.MaxRows-half:
		g.head = append(g.head, row)
	case len(g.tail) < half:
		g.tail = append(g.tail, row)
	case half > 0:
		g.tail[g.next] = row
		g.next = (g.next + 1) % half
	}
}

// printable replaces the control characters that would break a table, apart from line breaks.
func printable(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' || r == 0x7f {
			return '·'
		}
		return r
	}, s)
}

// onOneLine replaces the line breaks in rows. A single row keeps them, so that plans and CREATE statements
// are readable.
func (g *grid) onOneLine(rows [][]string) {
	if g.total == 1 && g.opt.Mode != "markdown" {
		return
	}
	for _, r := range rows {
		for c := range r {
			r[c] = strings.ReplaceAll(r[c], "\n", "↵")
		}
	}
}

// Close implements Writer.
func (g *grid) Close() error {
	if g.flow != nil {
		return g.end()
	}
	g.onOneLine(g.head)
	g.onOneLine(g.tail)
	rows := g.head
	if g.hiddenRows() > 0 {
		dots := make([]string, len(g.cols))
		for i := range dots {
			dots[i] = "·"
		}
		rows = append(rows, dots, dots, dots)
	}
	rows = append(rows, g.tail[g.next:]...)
	rows = append(rows, g.tail[:g.next]...)
	if g.opt.Mode != "markdown" && isPlan(g.cols) {
		rows = g.wrapPlan(rows)
	}
	widths, shown := fit(g.widths(rows), g.opt.Width)
	g.shown = countShown(shown)
	_, err := io.WriteString(g.w, g.table(rows, widths, shown)+"\n")
	return err
}

func (g *grid) hiddenRows() int {
	if g.flow != nil {
		return 0
	}
	return g.total - len(g.head) - len(g.tail)
}

// Hidden implements Elider.
func (g *grid) Hidden() (rows, cols int) { return g.hiddenRows(), len(g.cols) - g.shown }

// widths returns the natural width of each column and the least to which it can be truncated.
// Numbers and dates are never truncated, because half a number misleads.
func (g *grid) widths(rows [][]string) []colWidth {
	widths := make([]colWidth, len(g.cols))
	for c, col := range g.cols {
		if c < len(g.opt.Widths) && g.opt.Widths[c] > 0 {
			widths[c] = colWidth{g.opt.Widths[c], g.opt.Widths[c], varied}
			continue
		}
		head, value := max(text.StringWidthWithoutEscSequences(col.Name), 1), 0
		for _, r := range rows {
			value = max(value, text.LongestLineLen(r[c]))
		}
		natural := max(head, value)
		least := min(natural, minColumn)
		if col.Type.IsNumeric() || col.Type.IsTemporal() {
			least = max(least, value)
		}
		widths[c] = colWidth{natural, least, g.worth(rows, c)}
	}
	return widths
}

// worth ranks a column by its values. All columns of a single row are informative.
func (g *grid) worth(rows [][]string, c int) worth {
	if len(rows) < 2 {
		return varied
	}
	null, nulls, same := g.opt.nullCell(), 0, true
	for _, r := range rows {
		if r[c] == null {
			nulls++
		}
		same = same && r[c] == rows[0][c]
	}
	switch {
	case nulls == len(rows):
		return allNull
	case same:
		return constant
	case 2*nulls > len(rows):
		return mostlyNull
	}
	return varied
}

// countShown returns the number of columns in a list of fit.
func countShown(shown []int) (n int) {
	for _, c := range shown {
		if c >= 0 {
			n++
		}
	}
	return n
}

func (g *grid) table(rows [][]string, widths, shown []int) string {
	t := table.NewWriter()
	t.SetStyle(style(g.opt.Mode))
	header := make(table.Row, len(shown))
	configs := make([]table.ColumnConfig, len(shown))
	for i, c := range shown {
		header[i] = ellipsis
		configs[i] = table.ColumnConfig{Number: i + 1, AlignHeader: text.AlignLeft}
		if c >= 0 && g.flow != nil {
			configs[i].WidthMin = widths[c]
		}
		if c >= 0 {
			header[i] = snip(g.cols[c].Name, widths[c])
			if g.cols[c].Type.IsNumeric() {
				configs[i].Align, configs[i].AlignHeader = text.AlignRight, text.AlignRight
			}
		}
	}
	t.AppendHeader(header)
	t.SetColumnConfigs(configs)
	for _, r := range rows {
		row := make(table.Row, len(shown))
		for i, c := range shown {
			row[i] = ellipsis
			if c >= 0 {
				row[i] = snip(r[c], widths[c])
			}
		}
		t.AppendRow(row)
	}
	if g.opt.Mode == "markdown" {
		return t.RenderMarkdown()
	}
	return t.Render()
}

// snip truncates every line of s to width.
func snip(s string, width int) string {
	if !strings.Contains(s, "\n") {
		return text.Snip(s, width, ellipsis)
	}
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = text.Snip(l, width, ellipsis)
	}
	return strings.Join(lines, "\n")
}

func style(mode string) table.Style {
	s := table.StyleDefault
	if mode == "box" {
		s = table.StyleLight
	}
	s.Format.Header = text.FormatDefault
	return s
}
