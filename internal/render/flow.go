package render

import (
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// heldRows is the number of rows of a table that are held to find the widths of its columns. A longer
// table is written in parts of about as many rows.
const heldRows = 1000

// flow is the state of a table that is written in parts.
type flow struct {
	widths []int  // of the columns so far; later parts are as wide or wider
	shown  []int  // the columns shown, as fit returns them
	bottom string // the line that ends the table
}

// pass writes the rows that are held, as a part of a long table.
func (g *grid) pass() error {
	rows := g.head
	g.onOneLine(rows)
	first := g.flow == nil
	if first {
		widths, shown := fit(g.widths(rows), g.opt.Width)
		g.flow = &flow{widths: widths, shown: shown}
		g.shown = countShown(shown)
	} else {
		g.widen(rows)
	}
	part := g.table(rows, g.flow.widths, g.flow.shown)
	g.head = g.head[:0]
	if g.opt.Mode == "markdown" {
		if !first {
			part = afterLines(part, 2)
		}
		_, err := io.WriteString(g.w, part+"\n")
		return err
	}
	if !first {
		part = afterLines(part, 3) // border, header and line
	}
	end := strings.LastIndexByte(part, '\n') + 1
	g.flow.bottom = part[end:]
	_, err := io.WriteString(g.w, part[:end])
	return err
}

// widen makes columns wider for longer values, unless the table must fit a terminal.
func (g *grid) widen(rows [][]string) {
	if g.opt.Width > 0 {
		return
	}
	for c := range g.flow.widths {
		if c < len(g.opt.Widths) && g.opt.Widths[c] > 0 {
			continue
		}
		for _, r := range rows {
			g.flow.widths[c] = max(g.flow.widths[c], text.LongestLineLen(r[c]))
		}
	}
}

// end writes the rest of a long table.
func (g *grid) end() error {
	if len(g.head) > 0 {
		if err := g.pass(); err != nil {
			return err
		}
	}
	if g.flow.bottom == "" {
		return nil
	}
	_, err := io.WriteString(g.w, g.flow.bottom+"\n")
	return err
}

// afterLines returns what follows the first n lines of a text.
func afterLines(s string, n int) string {
	for range n {
		_, s, _ = strings.Cut(s, "\n")
	}
	return s
}
