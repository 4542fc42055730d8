package parse

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/sqlmode"
)

// Maintenance is CHECK TABLE, REPAIR TABLE or OPTIMIZE TABLE.
type Maintenance struct {
	ast.StmtNode // nil; embedded to implement ast.StmtNode
	Verb         string
	Tables       []*ast.TableName
}

// parseMaintenance parses a maintenance statement, or returns nil. It ignores options that
// control thoroughness, because tables in memory need no repair.
func parseMaintenance(text string, mode sqlmode.Mode) *Maintenance {
	l := lexer{text: text, mode: mode}
	verb, t := l.next(), l.next()
	if !l.is(verb, "CHECK") && !l.is(verb, "REPAIR") && !l.is(verb, "OPTIMIZE") {
		return nil
	}
	if l.is(t, "LOCAL") || l.is(t, "NO_WRITE_TO_BINLOG") {
		t = l.next()
	}
	if !l.is(t, "TABLE") && !l.is(t, "TABLES") {
		return nil
	}
	m := &Maintenance{Verb: strings.ToLower(text[verb.start:verb.end])}
	for {
		name, next, ok := l.tableName()
		if !ok {
			return nil
		}
		m.Tables = append(m.Tables, name)
		if t = next; !l.isByte(t, ',') {
			break
		}
	}
	for ; t.kind != tokEnd && !l.isByte(t, ';'); t = l.next() {
		if t.kind != tokWord {
			return nil
		}
	}
	return m
}

// tableName returns a table name with its optional database and the next token.
func (l *lexer) tableName() (n *ast.TableName, next token, ok bool) {
	name, ok := l.name(l.next())
	if next = l.next(); !ok || !l.isByte(next, '.') {
		return &ast.TableName{Name: ast.NewCIStr(name)}, next, ok
	}
	table, ok := l.name(l.next())
	return &ast.TableName{Schema: ast.NewCIStr(name), Name: ast.NewCIStr(table)}, l.next(), ok
}

// explainTree parses EXPLAIN FORMAT = TREE, which the grammar accepts only in quotes.
func explainTree(text string, mode sqlmode.Mode) (Statement, bool) {
	l := lexer{text: text, mode: mode}
	t := l.next()
	if !l.is(t, "EXPLAIN") && !l.is(t, "DESCRIBE") && !l.is(t, "DESC") {
		return Statement{}, false
	}
	if t = l.next(); l.is(t, "ANALYZE") {
		t = l.next()
	}
	equals, format := l.next(), l.next()
	if !l.is(t, "FORMAT") || !l.isByte(equals, '=') || !l.is(format, "TREE") {
		return Statement{}, false
	}
	plain := []byte(text)
	overwrite(plain, format, "JSON")
	s, err := parseOne(string(plain), mode)
	explain, ok := s.Node.(*ast.ExplainStmt)
	if err != nil || !ok {
		return Statement{}, false
	}
	explain.Format, s.Text = "tree", text
	return s, true
}
