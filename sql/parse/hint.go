package parse

import (
	"strings"

	"gsql/sql/sqlmode"
)

// Hint is one hint of a /*+ ... */ comment: NAME(arg, arg). gsql parses hints itself because the parser drops
// unknown names.
type Hint struct {
	Name string   // in capitals
	Args []string // table names as written, without back-quotes and @block
	Pos  int      // offset of the name in the statement
	End  int      // end of its comment: the hint belongs to the query block whose first select item follows
}

// String returns the hint as EXPLAIN and warnings show it.
func (h Hint) String() string { return h.Name + "(" + strings.Join(h.Args, ", ") + ")" }

// hints returns all hints of a statement. Malformed text in a hint comment becomes a hint of that name, of which
// the binder warns.
func hints(text string, mode sqlmode.Mode) []Hint {
	if !strings.Contains(text, "/*+") {
		return nil
	}
	var out []Hint
	l := lexer{text: text, mode: mode}
	for t := l.next(); t.kind != tokEnd; t = l.next() {
		if t.kind == tokHint {
			out = append(out, hintComment(text, t)...)
		}
	}
	return out
}

// hintComment returns the hints of one comment.
func hintComment(text string, comment token) []Hint {
	l := lexer{text: text[:comment.end-2], pos: comment.start + 3}
	var out []Hint
	inArgs, afterAt := false, false
	for t := l.next(); t.kind != tokEnd; t = l.next() {
		word := strings.Trim(text[t.start:t.end], "`")
		switch {
		case l.isByte(t, '('):
			inArgs = len(out) > 0
		case l.isByte(t, ')'):
			inArgs = false
		case t.kind == tokOperator:
			afterAt = l.isByte(t, '@')
		case !inArgs:
			out = append(out, Hint{Name: strings.ToUpper(word), Pos: t.start, End: comment.end})
		case afterAt:
			afterAt = false
		default:
			word, _, _ = strings.Cut(word, "@")
			if word != "" {
				h := &out[len(out)-1]
				h.Args = append(h.Args, word)
			}
		}
	}
	return out
}
