package parse

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/sqlmode"
)

// AlterView is ALTER VIEW, which the grammar does not support. It holds the new definition of the
// view.
type AlterView struct{ *ast.CreateViewStmt }

// parseAlterView parses ALTER VIEW as the CREATE VIEW of the same definition. ok is false for other statements.
func parseAlterView(text string, mode sqlmode.Mode) (s Statement, ok bool) {
	l := lexer{text: text, mode: mode}
	first := l.next()
	if !l.is(first, "ALTER") {
		return s, false
	}
	const create = "CREATE OR REPLACE"
	full := text[:first.start] + create + text[first.end:]
	node, err := parseTree(full, mode)
	if view, is := node.(*ast.CreateViewStmt); is && err == nil {
		// The parsed text starts that many bytes before the statement.
		return Statement{Node: &AlterView{view}, Text: full, Offset: len(text) - len(full), Hints: hints(full, mode), Params: numberParams(node, full)}, true
	}
	return s, false
}
