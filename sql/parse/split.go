package parse

import (
	"strings"

	"gsql/sql/sqlmode"
)

// Piece is one statement's text within a longer text.
type Piece struct {
	Text   string // without the semicolon and surrounding spaces
	Offset int    // offset of Text
}

// Split splits text at the semicolons outside strings, quoted names and comments. It omits empty
// statements. rest is the text after the last semicolon: "" if that contains only spaces and
// complete comments, else the beginning of an unfinished statement.
func Split(text string, mode sqlmode.Mode) (stmts []Piece, rest string) {
	l := lexer{text: text, mode: mode}
	if strings.IndexByte(text, ';') < 0 {
		return nil, text[l.begin(l.next()):]
	}
	first, last := -1, 0 // first token of the current statement and end of its last one
	var block blockDepth
	for {
		t := l.next()
		if block.within(&l, t) {
			last = t.end
			continue
		}
		switch {
		case t.kind == tokEnd:
			if first >= 0 {
				rest = text[first:]
			}
			return stmts, rest
		case l.isByte(t, ';'):
			if first >= 0 {
				stmts = append(stmts, Piece{Text: text[first:last], Offset: first})
			}
			first, block, l.version = -1, blockDepth{}, 0
		case first < 0:
			first, last = l.begin(t), t.end
		default:
			last = t.end
		}
	}
}

// begin returns the position where a statement with first token t begins: before the version
// comment that contains the token, because the grammar parses those.
func (l *lexer) begin(t token) int {
	if l.version > 0 && t.kind != tokEnd {
		return l.version - 1
	}
	return t.start
}

// blockDepth tracks CREATE TRIGGER, whose body may contain semicolons between BEGIN and END.
type blockDepth struct {
	words   int // words of the statement so far
	trigger bool
	open    int
}

// maxTriggerWord is the maximum position of the word TRIGGER in a statement. A DEFINER may precede it.
const maxTriggerWord = 6

// within reports whether t is inside a trigger's BEGIN ... END.
func (b *blockDepth) within(l *lexer, t token) bool {
	if t.kind != tokWord {
		return b.open > 0 && t.kind != tokEnd
	}
	b.words++
	switch {
	case b.words == 1 && !l.is(t, "CREATE"):
		b.words = maxTriggerWord // no trigger can follow
	case b.words <= maxTriggerWord && l.is(t, "TRIGGER"):
		b.trigger = true
	case b.trigger && (l.is(t, "BEGIN") || l.is(t, "CASE") && b.open > 0):
		b.open++
		return b.open > 1
	case b.open > 0 && l.is(t, "END"):
		b.open--
	}
	return b.open > 0
}
