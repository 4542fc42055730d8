package sqlerr

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// maxContext is the maximum number of characters of a long line that Render shows around the
// caret.
const maxContext = 72

// Render formats err for a user in three parts: the message, the position (the line of sql with a
// caret below it, if the position is known) and the hint, if there is one. The text has no
// trailing newline.
func Render(err error, sql string) string {
	e := From(err)
	if e == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString(e.Error())
	if e.Pos >= 0 && e.Pos <= len(sql) {
		line, col := excerpt(sql, e.Pos)
		b.WriteString("\n  ")
		b.WriteString(line)
		b.WriteString("\n  ")
		b.WriteString(strings.Repeat(" ", col))
		b.WriteString("^")
	}
	if e.Hint != "" {
		b.WriteString("\n")
		b.WriteString(e.Hint)
	}
	return b.String()
}

// excerpt returns the line of sql that contains byte pos, shortened to maxContext characters
// around it, and the caret's column on a terminal.
func excerpt(sql string, pos int) (line string, col int) {
	start := strings.LastIndexByte(sql[:pos], '\n') + 1
	end := len(sql)
	if i := strings.IndexByte(sql[pos:], '\n'); i >= 0 {
		end = pos + i
	}
	before := []rune(strings.ToValidUTF8(strings.ReplaceAll(sql[start:pos], "\t", " "), "?"))
	after := []rune(strings.ToValidUTF8(strings.ReplaceAll(strings.TrimRight(sql[pos:end], "\r"), "\t", " "), "?"))
	prefix, suffix := "", ""
	if len(before) > maxContext/2 {
		before, prefix = before[len(before)-maxContext/2:], "..."
	}
	if room := maxContext - len(before); len(after) > room {
		after, suffix = after[:room], "..."
	}
	head := prefix + string(before)
	return head + string(after) + suffix, columns(head)
}

// columns returns the number of columns that a text takes on a terminal.
func columns(text string) (n int) {
	for _, r := range text {
		switch kind := width.LookupRune(r).Kind(); {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf): // combined with the character before
		case kind == width.EastAsianWide || kind == width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}
