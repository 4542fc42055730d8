package render

import (
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"gsql"
	"gsql/sql/vec"
)

const (
	ellipsis  = "…"
	minColumn = 5 // a column is not made narrower to fit the terminal
)

// grid collects rows and writes them as a table with aligned columns: table (ASCII),
// box (line drawing) or markdown. Beyond MaxRows only the first and last rows are
// kept; columns that do not fit the terminal are cut, and middle ones left out.
type grid struct {
	w     io.Writer
	opt   Options
	cols  []gsql.Column
	head  [][]string // the first rows
	tail  [][]string // a ring of the last rows
	next  int        // where the ring goes on
	total int
}

func newGrid(w io.Writer, opt Options, cols []gsql.Column) *grid {
	return &grid{w: w, opt: opt, cols: cols}
}

// Write implements Writer.
func (g *grid) Write(b *vec.Batch) error {
	for i := 0; i < b.N; i++ {
		row := make([]string, len(b.Cols))
		for c, col := range b.Cols {
			row[c] = printable(g.opt.cell(col, i))
		}
		g.add(row)
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

// printable shows control characters that would break a table.
func printable(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return '↵'
		case r < ' ' || r == 0x7f:
			return '·'
		}
		return r
	}, s)
}

// Close implements Writer.
func (g *grid) Close() error {
	rows := g.head
	elided := g.total - len(g.head) - len(g.tail)
	if elided > 0 {
		dots := make([]string, len(g.cols))
		for i := range dots {
			dots[i] = "·"
		}
		rows = append(rows, dots, dots, dots)
	}
	rows = append(rows, g.tail[g.next:]...)
	rows = append(rows, g.tail[:g.next]...)
	widths := g.widths(rows)
	shown := fit(widths, g.opt.Width)
	_, err := io.WriteString(g.w, g.table(rows, widths, shown)+"\n")
	return err
}

// widths gives the natural width of each column, or the one set by hand.
func (g *grid) widths(rows [][]string) []int {
	widths := make([]int, len(g.cols))
	for c, col := range g.cols {
		if c < len(g.opt.Widths) && g.opt.Widths[c] > 0 {
			widths[c] = g.opt.Widths[c]
			continue
		}
		widths[c] = max(text.StringWidthWithoutEscSequences(col.Name), 1)
		for _, r := range rows {
			widths[c] = max(widths[c], text.StringWidthWithoutEscSequences(r[c]))
		}
	}
	return widths
}

// fit narrows widths until a table of them fits limit terminal columns and gives the
// columns to show; -1 stands for the ones left out in the middle.
func fit(widths []int, limit int) []int {
	shown := make([]int, len(widths))
	for i := range shown {
		shown[i] = i
	}
	if limit <= 0 {
		return shown
	}
	need := func() int {
		sum := 1
		for _, c := range shown {
			if c < 0 {
				sum += 4
			} else {
				sum += widths[c] + 3
			}
		}
		return sum
	}
	for over := need() - limit; over > 0; over = need() - limit {
		widest, second := -1, minColumn
		for _, c := range shown {
			switch {
			case c < 0 || widths[c] <= minColumn:
			case widest < 0 || widths[c] > widths[widest]:
				if widest >= 0 {
					second = widths[widest]
				}
				widest = c
			case widths[c] > second:
				second = widths[c]
			}
		}
		if widest >= 0 {
			widths[widest] = max(widths[widest]-over, min(second, widths[widest]-1), minColumn)
			continue
		}
		if len(shown) <= 3 {
			return shown
		}
		mid := len(shown) / 2
		if shown[mid] < 0 {
			mid--
		}
		if contains(shown, -1) {
			shown = append(shown[:mid:mid], shown[mid+1:]...)
		} else {
			shown[mid] = -1
		}
	}
	return shown
}

func contains(s []int, x int) bool {
	for _, y := range s {
		if x == y {
			return true
		}
	}
	return false
}

func (g *grid) table(rows [][]string, widths, shown []int) string {
	t := table.NewWriter()
	t.SetStyle(style(g.opt.Mode))
	header := make(table.Row, len(shown))
	configs := make([]table.ColumnConfig, len(shown))
	for i, c := range shown {
		header[i] = ellipsis
		configs[i] = table.ColumnConfig{Number: i + 1, AlignHeader: text.AlignLeft}
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

func snip(s string, width int) string { return text.Snip(s, width, ellipsis) }

func style(mode string) table.Style {
	s := table.StyleDefault
	if mode == "box" {
		s = table.StyleLight
	}
	s.Format.Header = text.FormatDefault
	return s
}
