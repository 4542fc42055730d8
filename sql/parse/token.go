package parse

import (
	"strings"

	"gsql/sql/sqlmode"
)

// token is a lexical unit of a statement. The lexer is coarse, but exact about where strings,
// quoted names and comments begin and end.
type token struct {
	kind       tokenKind
	start, end int // byte offsets
}

type tokenKind uint8

const (
	tokEnd tokenKind = iota
	tokWord
	tokQuotedName // `x`
	tokString     // 'x' or "x"
	tokNumber
	tokOperator
	tokHint // /*+ ... */
	tokOpen // an unfinished string, quoted name or comment up to the end
)

// lexer splits text into tokens. It skips spaces and comments.
type lexer struct {
	text string
	pos  int
	mode sqlmode.Mode
	// version is the offset of the latest version comment plus one; 0 if there is none.
	version int
}

// next returns the next token. At the end of the text, its kind is tokEnd.
func (l *lexer) next() token {
	for l.pos < len(l.text) {
		start, c := l.pos, l.text[l.pos]
		switch {
		case c == ' ' || c >= '\t' && c <= '\r':
			l.pos++
		case c == '#', c == '-' && l.dashComment():
			l.skipLine()
		case c == '/' && strings.HasPrefix(l.text[start:], "/*"):
			if t, ok := l.blockComment(); ok {
				return t
			}
		case c == '\'' || c == '"':
			return l.quoted(c, l.stringKind(c))
		case c == '`':
			return l.quoted(c, tokQuotedName)
		case isWordByte(c):
			return l.word()
		default:
			l.pos++
			return token{tokOperator, start, l.pos}
		}
	}
	return token{tokEnd, len(l.text), len(l.text)}
}

// dashComment reports whether a comment starts here: two dashes followed by a space, a control
// character or the end. As in MySQL, 5--1 is a subtraction.
func (l *lexer) dashComment() bool {
	rest := l.text[l.pos:]
	return strings.HasPrefix(rest, "--") && (len(rest) == 2 || rest[2] <= ' ')
}

func (l *lexer) skipLine() {
	if i := strings.IndexByte(l.text[l.pos:], '\n'); i >= 0 {
		l.pos += i + 1
		return
	}
	l.pos = len(l.text)
}

// blockComment skips /* ... */ and returns a hint as a token. In a version comment, /*!80000 ...
// */, it skips only the opening and the end, because the content is SQL.
func (l *lexer) blockComment() (token, bool) {
	start := l.pos
	if strings.HasPrefix(l.text[start:], "/*!") {
		l.version = start + 1
		l.pos += 3
		for l.pos < len(l.text) && l.text[l.pos] >= '0' && l.text[l.pos] <= '9' {
			l.pos++
		}
		return token{}, false
	}
	i := strings.Index(l.text[start+2:], "*/")
	if i < 0 {
		l.pos = len(l.text)
		return token{tokOpen, start, l.pos}, true
	}
	l.pos = start + 2 + i + 2
	if l.text[start+2] == '+' {
		return token{tokHint, start, l.pos}, true
	}
	return token{}, false
}

// stringKind reports whether a quote begins a string or a name.
func (l *lexer) stringKind(q byte) tokenKind {
	if q == '"' && l.mode.Has(sqlmode.ANSIQuotes) {
		return tokQuotedName
	}
	return tokString
}

func (l *lexer) quoted(q byte, kind tokenKind) token {
	start := l.pos
	escapes := q != '`' && !l.mode.Has(sqlmode.NoBackslashEscapes) && (q != '"' || !l.mode.Has(sqlmode.ANSIQuotes))
	for i := start + 1; i < len(l.text); i++ {
		switch {
		case l.text[i] == '\\' && escapes:
			i++
		case l.text[i] != q:
		case i+1 < len(l.text) && l.text[i+1] == q:
			i++
		default:
			l.pos = i + 1
			return token{kind, start, l.pos}
		}
	}
	l.pos = len(l.text)
	return token{tokOpen, start, l.pos}
}

func (l *lexer) word() token {
	start := l.pos
	kind := tokWord
	if c := l.text[start]; c >= '0' && c <= '9' {
		kind = tokNumber
	}
	for l.pos < len(l.text) && isWordByte(l.text[l.pos]) {
		l.pos++
	}
	return token{kind, start, l.pos}
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '@' || c >= 0x80
}

// is reports whether the token is the word w (in capitals), ignoring case.
func (l *lexer) is(t token, w string) bool {
	return t.kind == tokWord && t.end-t.start == len(w) && strings.EqualFold(l.text[t.start:t.end], w)
}

// isByte reports whether the token is the operator character c.
func (l *lexer) isByte(t token, c byte) bool {
	return t.kind == tokOperator && l.text[t.start] == c
}
