package edit

import (
	"fmt"
	"io"
	"runtime"
	"strings"
)

// Sequences of terminals (ECMA-48).
const (
	bell       = "\a"
	home       = "\x1b[H"
	eraseLine  = "\x1b[K" // from the cursor on
	eraseBelow = "\x1b[J" // from the cursor on
	noStyle    = "\x1b[0m"
)

// The sequences that make terminals mark what is pasted, and end that. The console of Windows does not know them.
var pasteOn, pasteOff = "\x1b[?2004h", "\x1b[?2004l"

func init() {
	if runtime.GOOS == "windows" {
		pasteOn, pasteOff = "", ""
	}
}

// screen draws the text that is being typed. It moves the cursor relative to the first row of the text.
type screen struct {
	out          io.Writer
	size         func() (width, height int)
	prompt, more string // of the first and of further lines
	text         []rune
	pos          int    // of the cursor in text
	message      string // is shown below the text
	shown        bool   // something has been drawn
	stale        bool   // text differs from what has been drawn
	drop         bool   // what the library writes next is the text
	row, column  int    // of the cursor, from the first row drawn
	widths       []int  // of the rows drawn
	top          int    // the first row drawn, if there are more rows than fit
}

// write writes to the terminal. It ignores errors, which there is no other place to show.
func (s *screen) write(text string) { _, _ = io.WriteString(s.out, text) }

// start returns the sequence that moves the cursor to the beginning of the first row.
func (s *screen) start() string {
	if s.row > 0 {
		return fmt.Sprintf("\x1b[%dA\r", s.row)
	}
	return "\r"
}

// draw draws the text, or the part around the cursor that fits.
func (s *screen) draw(style func([]rune, func(start, end int, style string))) {
	width, height := s.size()
	l := lay(s, width, style)
	if s.message != "" {
		height--
	}
	fits := max(height, 1)
	s.top = min(max(s.top, l.cursorRow-fits+1), l.cursorRow, max(len(l.rows)-fits, 0))
	rows, widths := l.rows[s.top:min(s.top+fits, len(l.rows))], l.widths[s.top:min(s.top+fits, len(l.rows))]
	if s.message != "" {
		m := lay(&screen{text: []rune(s.message)}, width, nil)
		rows, widths = append(rows[:len(rows):len(rows)], m.rows[0]), append(widths[:len(widths):len(widths)], m.widths[0])
	}
	var out strings.Builder
	if !s.shown {
		out.WriteString(pasteOn)
	}
	out.WriteString(s.start())
	writeRows(&out, rows)
	s.row, s.column = l.cursorRow-s.top, l.cursorColumn
	if up := len(rows) - 1 - s.row; up > 0 {
		fmt.Fprintf(&out, "\x1b[%dA", up)
	}
	out.WriteByte('\r')
	if s.column > 0 {
		fmt.Fprintf(&out, "\x1b[%dC", s.column)
	}
	s.widths, s.shown, s.stale = widths, true, false
	s.write(out.String())
}

// writeRows writes rows over others. It erases before it writes, since erasing after a row that is as wide as the
// terminal would erase its last character.
func writeRows(out *strings.Builder, rows []string) {
	for i, row := range rows {
		if i > 0 {
			out.WriteString("\r\n")
		}
		if i == len(rows)-1 {
			out.WriteString(eraseBelow)
		} else {
			out.WriteString(eraseLine)
		}
		out.WriteString(row)
	}
}

// finish draws the whole text for the last time and moves the cursor below it.
func (s *screen) finish(style func([]rune, func(start, end int, style string))) {
	width, _ := s.size()
	s.pos = 0 // the cursor needs no row of its own after a row that is full
	var out strings.Builder
	out.WriteString(s.start())
	writeRows(&out, lay(s, width, style).rows)
	out.WriteString(pasteOff + "\r\n")
	s.write(out.String())
	s.text, s.pos = nil, 0
	s.forget()
}

// forget forgets what has been drawn: the next row begins where the cursor is.
func (s *screen) forget() {
	s.shown, s.stale, s.row, s.column, s.top, s.widths = false, false, 0, 0, 0, nil
}

// above replaces what has been drawn by lines.
func (s *screen) above(lines string) {
	s.write(s.start() + eraseBelow + strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", "\r\n") + "\r\n")
	s.forget()
}

// clearAll clears the terminal.
func (s *screen) clearAll() {
	s.write(home + eraseBelow)
	s.forget()
}

// reflow computes where the cursor is after the width has changed: terminals wrap the rows that have become too wide.
func (s *screen) reflow() {
	width, _ := s.size()
	if width <= 0 {
		return
	}
	row := s.column / width
	for _, w := range s.widths[:s.row] {
		row += max((w+width-1)/width, 1)
	}
	s.row, s.column = row, s.column%width
}
