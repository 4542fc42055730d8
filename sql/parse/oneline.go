package parse

import (
	"strings"

	"gsql/sql/sqlmode"
)

// OneLine returns statements on one line without changing their meaning: line comments become /*
// ... */, and newlines in strings become
// . ok is false if that is impossible: for a newline in a quoted name or in a string without
// backslash escapes, and for a line comment within a version comment.
func OneLine(text string, mode sqlmode.Mode) (line string, ok bool) {
	text = strings.TrimSpace(text)
	if !strings.ContainsAny(text, "\r\n") {
		return text, true
	}
	var out strings.Builder
	l := lexer{text: text, mode: mode}
	for end := 0; ; {
		t := l.next()
		if !joinGap(&out, lexer{text: text[:t.start], pos: end, mode: mode}, l.version > 0) {
			return "", false
		}
		piece := text[t.start:t.end]
		switch {
		case t.kind == tokEnd:
			return strings.TrimSpace(out.String()), true
		case !strings.ContainsAny(piece, "\r\n"):
			out.WriteString(piece)
		case t.kind == tokHint:
			out.WriteString(spacesForNewlines.Replace(piece))
		case t.kind == tokString && !mode.Has(sqlmode.NoBackslashEscapes):
			out.WriteString(escapedNewlines.Replace(piece))
		default:
			return "", false
		}
		end = t.end
	}
}

var (
	spacesForNewlines = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")
	// A backslash belongs to the next character. Before a newline it has no meaning.
	escapedNewlines = strings.NewReplacer(`\\`, `\\`, "\\\n", `\n`, "\n", `\n`, "\\\r", `\r`, "\r", `\r`)
)

// joinGap writes the gap starting at l.pos, which contains only spaces and comments. It returns
// false if a line comment is inside a version comment.
func joinGap(out *strings.Builder, l lexer, inVersion bool) bool {
	for l.pos < len(l.text) {
		start := l.pos
		switch c := l.text[start]; {
		case c == '#' || c == '-':
			if inVersion {
				return false
			}
			l.skipLine()
			if l.text[l.pos-1] == '\n' {
				l.pos-- // becomes a space below
			}
			body := strings.TrimSpace(strings.TrimLeft(l.text[start:l.pos], "#-"))
			out.WriteString("/* " + strings.ReplaceAll(body, "*/", "* /") + " */")
		case c == '/':
			l.blockComment()
			out.WriteString(spacesForNewlines.Replace(l.text[start:l.pos]))
		default:
			rest := strings.TrimLeft(l.text[start:], " \t\v\f\r\n")
			l.pos = len(l.text) - len(rest)
			if space := l.text[start:l.pos]; !strings.ContainsAny(space, "\r\n") {
				out.WriteString(space)
			} else if !strings.HasSuffix(out.String(), " ") {
				out.WriteByte(' ')
			}
		}
	}
	return true
}
