package parse

import (
	"strings"

	"gsql/sql/sqlmode"
)

// RowAlias is the name of the inserted row in INSERT ... VALUES (...) AS name [(columns)] ON DUPLICATE KEY
// UPDATE.
type RowAlias struct {
	Name    string
	Columns []string // nil for the table's own names
	Pos     int      // offset of Name in the statement
}

// cutRowAlias blanks the row alias of an INSERT, which the grammar does not support. ok is false
// if there is none.
func cutRowAlias(text string, mode sqlmode.Mode) (plain string, row *RowAlias, ok bool) {
	toks := tokens(text, mode)
	word := func(i int) string {
		if i >= len(toks) {
			return ""
		}
		return strings.ToUpper(text[toks[i].start:toks[i].end])
	}
	if word(0) != "INSERT" {
		return "", nil, false
	}
	depth := 0
	for i := range toks {
		switch w := word(i); {
		case w == "(":
			depth++
		case w == ")":
			depth--
		case depth == 0 && w == "SELECT":
			return "", nil, false
		case depth == 0 && w == "AS":
			row, end := readRowAlias(text, toks, i+1)
			if row == nil || word(end) != "ON" || word(end+1) != "DUPLICATE" {
				return "", nil, false
			}
			from, to := toks[i].start, toks[end].start
			return text[:from] + strings.Repeat(" ", to-from) + text[to:], row, true
		}
	}
	return "", nil, false
}

// readRowAlias returns name [(name, ...)] at token i and the next token.
func readRowAlias(text string, toks []token, i int) (*RowAlias, int) {
	name := func(i int) (string, bool) {
		if i >= len(toks) || toks[i].kind != tokWord && toks[i].kind != tokQuotedName {
			return "", false
		}
		return identifier(text[toks[i].start:toks[i].end]), true
	}
	n, ok := name(i)
	if !ok {
		return nil, 0
	}
	row := &RowAlias{Name: n, Pos: toks[i].start}
	is := func(i int, s string) bool { return i < len(toks) && text[toks[i].start:toks[i].end] == s }
	if i++; !is(i, "(") {
		return row, i
	}
	for {
		c, ok := name(i + 1)
		if !ok {
			return nil, 0
		}
		row.Columns = append(row.Columns, c)
		if i += 2; !is(i, ",") {
			break
		}
	}
	if !is(i, ")") {
		return nil, 0
	}
	return row, i + 1
}

// tokens returns all tokens of a text.
func tokens(text string, mode sqlmode.Mode) []token {
	l := lexer{text: text, mode: mode}
	var out []token
	for t := l.next(); t.kind != tokEnd; t = l.next() {
		out = append(out, t)
	}
	return out
}

// identifier returns the name in a word or quoted name.
func identifier(s string) string {
	if len(s) >= 2 && s[0] == '`' {
		return strings.ReplaceAll(s[1:len(s)-1], "``", "`")
	}
	return s
}
