package edit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hinshun/vt10x"
)

// shownOn returns the lines of an emulated terminal without the blanks at their ends.
func shownOn(term vt10x.Terminal) []string {
	lines := strings.Split(strings.TrimSuffix(term.String(), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

// rowsOf returns the rows of a text on a terminal, where every character takes a column, and the row and column of the cursor.
func rowsOf(text string, pos, width int, prompt, more string) (rows []string, y, x int) {
	at := 0
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			prompt = more
		}
		whole := prompt + line
		if at <= pos && pos <= at+len(line) {
			y, x = len(rows)+(len(prompt)+pos-at)/width, (len(prompt)+pos-at)%width
			if full := len(prompt)+pos-at == len(whole) && x == 0; full && at+len(line) < len(text) {
				y, x = y-1, width-1 // on the last character of a full row that a line break follows
			}
		}
		for first := true; first || whole != ""; first = false {
			n := min(width, len(whole))
			rows, whole = append(rows, whole[:n]), whole[n:]
		}
		at += len(line) + 1
	}
	if y == len(rows) {
		rows = append(rows, "")
	}
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	return rows, y, x
}

// TestDraw draws random texts one after the other on an emulated terminal, and compares the screen with rows that are computed in
// another way: all of them, or those around the cursor if the text is longer than the screen.
func TestDraw(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const height = 12
	for range 60 {
		width := 9 + r.IntN(32)
		term := vt10x.New(vt10x.WithSize(width, height))
		above := r.IntN(height)
		for i := range above {
			fmt.Fprintf(term, "above%d\r\n", i)
		}
		s := &screen{out: term, size: func() (int, int) { return width, height }, prompt: "gsql> ", more: "   -> "}
		styled := func(text []rune, yield func(start, end int, style string)) {
			for i := range text {
				yield(i, i+1, []string{"", "\x1b[1m", "\x1b[32m"}[i/5%3])
			}
		}
		for range 25 {
			text := []byte(strings.Repeat("x", r.IntN(1+r.IntN(300))))
			for i := range text {
				text[i] = "abcdefgh 'ij\n"[r.IntN(13)]
			}
			s.text, s.pos = []rune(string(text)), r.IntN(len(text)+1)
			s.draw(styled)
			more := s.more
			if len(more) > width/2 {
				more = "-> "
			}
			rows, y, x := rowsOf(string(text), s.pos, width, s.prompt, more)
			cursor, lines := term.Cursor(), shownOn(term)
			first := cursor.Y - s.row
			if top := y - s.row; first < 0 || top < 0 || cursor.X != x {
				t.Fatalf("width %d, %q at %d: the cursor is at %d,%d, row %d of the text; want row %d, column %d", width, text, s.pos, cursor.X, cursor.Y, s.row, y, x)
			} else if want := rows[top:min(top+height, len(rows))]; strings.Join(lines[first:min(first+len(want), height)], "\n") != strings.Join(want, "\n") {
				t.Fatalf("width %d, %q at %d:\n%s\nwant\n%s", width, text, s.pos, strings.Join(lines[first:], "\n"), strings.Join(want, "\n"))
			} else if left := strings.Join(lines[min(first+len(want), height):], ""); left != "" {
				t.Fatalf("below the text: %q", left)
			}
			for i := range first {
				if n := above - first + i; lines[i] != fmt.Sprintf("above%d", n)[:min(len(fmt.Sprintf("above%d", n)), width)] && first <= above && n >= 0 {
					t.Fatalf("above the text: %q", lines)
				}
			}
		}
		s.finish(styled)
		if cursor := term.Cursor(); cursor.X != 0 {
			t.Fatalf("after the end, the cursor is in column %d", cursor.X)
		}
	}
}

// TestWideCharacters lays out characters that take two columns and none, which the emulated terminal does not know.
func TestWideCharacters(t *testing.T) {
	for _, c := range []struct {
		text     string
		pos      int
		rows     []string
		row, col int
	}{
		{"漢字漢字", 4, []string{"> 漢字漢", "字"}, 1, 2},                 // a row has nine columns: the fourth does not fit
		{"漢字漢字", 3, []string{"> 漢字漢", "字"}, 1, 0},                 // where it is
		{"漢字漢字", 2, []string{"> 漢字漢", "字"}, 0, 6},                 //
		{"e\u0301e\u0301", 4, []string{"> e\u0301e\u0301"}, 0, 4}, // accents take no column
		{"a\tb\x01", 4, []string{"> a    b␁"}, 0, 9},              // a row that is full, see below
		{"漢\n字", 1, []string{"> 漢", "-字"}, 0, 4},
	} {
		s := &screen{prompt: "> ", more: "-", text: []rune(c.text), pos: c.pos}
		l := lay(s, 9, nil)
		if c.text[0] == 'a' { // the cursor goes to the next row
			c.rows, c.row, c.col = append(c.rows, ""), 1, 0
		}
		if strings.Join(l.rows, "|") != strings.Join(c.rows, "|") || l.cursorRow != c.row || l.cursorColumn != c.col {
			t.Errorf("%q at %d: %q, cursor %d,%d; want %q, %d,%d", c.text, c.pos, l.rows, l.cursorRow, l.cursorColumn, c.rows, c.row, c.col)
		}
	}
}

// TestFinishFullRow enters a text that fills its row: what follows begins in the next row.
func TestFinishFullRow(t *testing.T) {
	term := vt10x.New(vt10x.WithSize(20, 5))
	s := &screen{out: term, size: func() (int, int) { return 20, 5 }, prompt: "gsql> ", text: []rune("SELECT 1 AS a;")}
	s.pos = len(s.text)
	s.draw(nil)
	if at := term.Cursor(); at.X != 0 || at.Y != 1 {
		t.Errorf("while it is typed, the cursor is at %d,%d", at.X, at.Y)
	}
	s.finish(nil)
	if at := term.Cursor(); at.X != 0 || at.Y != 1 {
		t.Errorf("at the end, the cursor is at %d,%d", at.X, at.Y)
	}
}

// TestReflow makes a terminal narrower: the rows that have become too wide are wrapped by the terminal, and the cursor is further down.
func TestReflow(t *testing.T) {
	width := 40
	s := &screen{out: &strings.Builder{}, size: func() (int, int) { return width, 10 }, prompt: "gsql> ", more: "   -> "}
	s.text = []rune(strings.Repeat("a", 30) + "\n" + strings.Repeat("b", 20))
	s.pos = len(s.text)
	s.draw(nil)
	if s.row != 1 || s.column != 26 {
		t.Fatalf("the cursor is at %d,%d", s.row, s.column)
	}
	width = 20
	if s.reflow(); s.row != 3 || s.column != 6 { // 36 columns are two rows, 26 are two
		t.Errorf("the cursor is at %d,%d after it became narrower", s.row, s.column)
	}
}
