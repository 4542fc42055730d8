package parse

import (
	"strings"

	"gsql/sql/sqlmode"
)

// Hint is one hint of a /*+ ... */ comment: NAME(arg, arg@block) or NAME(@block arg, arg). gsql parses hints itself
// because the parser drops unknown names.
type Hint struct {
	Name   string   // in upper case
	Block  string   // the query block named by @block before the arguments, or ""
	Args   []string // table names as written, without back-quotes
	Blocks []string // the query block named by each argument itself, or ""
	Pos    int      // offset of the name in the statement
	End    int      // end of its comment: the hint belongs to the query block whose first select item follows
}

// String returns the hint as EXPLAIN and warnings show it.
func (h Hint) String() string {
	args := make([]string, len(h.Args))
	for i, arg := range h.Args {
		if args[i] = arg; h.Blocks[i] != "" {
			args[i] += "@" + h.Blocks[i]
		}
	}
	list := strings.Join(args, ", ")
	if h.Block != "" {
		list = strings.TrimSpace("@" + h.Block + " " + list)
	}
	return h.Name + "(" + list + ")"
}

// hints returns all hints of a statement. Malformed text in a hint comment becomes a hint of that
// name, about which the binder warns.
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
	inArgs, at, end := false, -1, -1 // at: offset of an @ before a quoted name; end: end of the last argument
	for t := l.next(); t.kind != tokEnd; t = l.next() {
		word := text[t.start:t.end]
		bare := strings.Trim(word, "`")
		switch {
		case l.isByte(t, '('):
			inArgs, at, end = len(out) > 0, -1, -1
		case l.isByte(t, ')'):
			inArgs = false
		case t.kind == tokOperator:
			at = -1
		case !inArgs:
			out = append(out, Hint{Name: strings.ToUpper(bare), Pos: t.start, End: comment.end})
		case at >= 0:
			out[len(out)-1].inBlock(bare, at == end)
			at = -1
		default:
			h := &out[len(out)-1]
			if bare != word {
				h.Args, h.Blocks, end = append(h.Args, bare), append(h.Blocks, ""), t.end
				continue
			}
			name, block, found := strings.Cut(word, "@")
			behind := t.start + len(name)
			if name != "" {
				h.Args, h.Blocks, end = append(h.Args, name), append(h.Blocks, ""), behind
			}
			if block != "" {
				h.inBlock(block, behind == end)
			} else if found {
				at = behind
			}
		}
	}
	return out
}

// inBlock records the block named by @name, for the last argument if it directly follows that
// argument.
func (h *Hint) inBlock(name string, ofLast bool) {
	if last := len(h.Args) - 1; ofLast && last >= 0 {
		h.Blocks[last] = name
		return
	}
	h.Block = name
}
