package parse

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/sqlmode"
)

// parseShow parses SHOW and DESCRIBE statements that the grammar does not support: those with
// keywords that have no effect here, which are removed, and those with a LIMIT. It returns nil
// for others.
func parseShow(text string, mode sqlmode.Mode) *Statement {
	l := lexer{text: text, mode: mode}
	first, second, third := l.next(), l.next(), l.next()
	switch {
	case l.is(first, "DESCRIBE"), l.is(first, "DESC"), l.is(first, "EXPLAIN"):
		return describeLike(text, first, mode)
	case !l.is(first, "SHOW"):
		return nil
	}
	plain := []byte(text)
	for _, t := range []token{second, third} {
		next := lexer{text: text, mode: mode, pos: t.end}
		after := next.next()
		switch {
		case l.is(t, "STORAGE") && l.is(after, "ENGINES"), l.is(t, "FULL") && l.is(after, "TRIGGERS"), l.is(t, "EXTENDED"),
			l.is(t, "LOCAL") && (l.is(after, "VARIABLES") || l.is(after, "STATUS")):
			overwrite(plain, t, "")
		}
	}
	limit := ""
	if l.is(second, "WARNINGS") || l.is(second, "ERRORS") {
		at, _ := Clause(text, "LIMIT", mode)
		plain, limit = plain[:at], text[at:]
	}
	node, err := parseTree(string(plain), mode)
	if err != nil {
		return nil
	}
	show, ok := node.(*ast.ShowStmt)
	if !ok {
		return nil
	}
	if limit != "" {
		sel, err := parseTree("SELECT 1 "+limit, mode)
		if err != nil {
			return nil
		}
		show.Limit = sel.(*ast.SelectStmt).Limit
	}
	return &Statement{Node: node, Text: text}
}

// describeLike parses DESCRIBE t 'pattern' as SHOW COLUMNS FROM t LIKE 'pattern'. verb is the first word.
func describeLike(text string, verb token, mode sqlmode.Mode) *Statement {
	l, last, before := lexer{text: text, mode: mode, pos: verb.end}, verb, verb
	for t := l.next(); t.kind != tokEnd; t = l.next() {
		last, before = t, last
	}
	if last.kind != tokString || last.start == before.end { // X'00' is not a pattern
		return nil
	}
	const show = "SHOW COLUMNS FROM "
	plain := show + text[verb.end:last.start] + " LIKE " + text[last.start:]
	node, err := parseTree(plain, mode)
	if err != nil {
		return nil
	}
	return &Statement{Node: node, Text: plain, Offset: verb.end - len(show)} // keeps the table's position
}
