package edit

import (
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/text"
)

// tabWidth is the number of columns of a tab.
const tabWidth = 4

// layout is a text as rows of the terminal.
type layout struct {
	width                   int    // of the terminal
	more                    string // the prompt of further lines
	rows                    []string
	widths                  []int
	cursorRow, cursorColumn int

	row   strings.Builder // the last row
	at    int             // its width so far
	style string          // in which it continues
}

// lay lays out the prompts and the text of a screen.
func lay(s *screen, width int, style func([]rune, func(start, end int, style string))) *layout {
	l := &layout{width: max(width, 2), more: s.more} // a wide character must fit
	if text.StringWidthWithoutEscSequences(l.more) > width/2 {
		l.more = strings.TrimLeft(l.more, " ")
	}
	l.putPrompt(s.prompt)
	if style == nil {
		style = func(text []rune, yield func(start, end int, style string)) { yield(0, len(text), "") }
	}
	style(s.text, func(start, end int, style string) {
		for i := start; i < end; i++ {
			l.putRune(s, i, style)
		}
	})
	if l.at >= l.width && s.pos == len(s.text) {
		l.wrap()
	}
	if s.pos == len(s.text) {
		l.cursorRow, l.cursorColumn = len(l.rows), l.at
	}
	l.end()
	return l
}

// putRune adds a character of the text, or the end of a line.
func (l *layout) putRune(s *screen, i int, style string) {
	shown := visible(s.text[i])
	if s.text[i] != '\n' && l.at+text.RuneWidth(shown) > l.width {
		l.wrap()
	}
	if i == s.pos {
		l.cursorRow, l.cursorColumn = len(l.rows), min(l.at, l.width-1)
	}
	switch s.text[i] {
	case '\n':
		l.end()
		l.putPrompt(l.more)
	case '\t':
		for range tabWidth {
			l.put(' ', style)
		}
	default:
		l.put(shown, style)
	}
}

// visible returns what is shown for a character.
func visible(r rune) rune {
	switch {
	case r == '\t':
		return ' '
	case r < ' ':
		return r + 0x2400 // the pictures of control characters
	case unicode.Is(unicode.Cc, r):
		return unicode.ReplacementChar
	}
	return r
}

// put adds a character to the row, or to the next one if it does not fit.
func (l *layout) put(r rune, style string) {
	width := text.RuneWidth(r)
	if l.at+width > l.width {
		l.wrap()
	}
	if style != l.style {
		if l.style != "" {
			l.row.WriteString(noStyle)
		}
		l.row.WriteString(style)
		l.style = style
	}
	l.row.WriteRune(r)
	l.at += width
}

// putPrompt adds a prompt, which may contain escape sequences that select styles.
func (l *layout) putPrompt(prompt string) {
	for prompt != "" {
		if end := strings.IndexByte(prompt, 'm'); end > 0 && strings.HasPrefix(prompt, "\x1b[") {
			l.row.WriteString(prompt[:end+1])
			prompt = prompt[end+1:]
			continue
		}
		for _, r := range prompt {
			l.put(visible(r), "")
			prompt = prompt[len(string(r)):]
			break
		}
	}
}

// wrap continues in the next row.
func (l *layout) wrap() {
	style := l.style
	l.end()
	l.row.WriteString(style)
	l.style = style
}

// end ends the row.
func (l *layout) end() {
	if l.style != "" {
		l.row.WriteString(noStyle)
	}
	l.rows, l.widths = append(l.rows, l.row.String()), append(l.widths, l.at)
	l.row.Reset()
	l.at, l.style = 0, ""
}
