package parse

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/sqlmode"
)

// AlterView is ALTER VIEW, for which the grammar has no rule: what it makes of the view.
type AlterView struct{ *ast.CreateViewStmt }

// parseAlterView reads ALTER VIEW as the CREATE VIEW that it is otherwise; ok is false of
// other statements.
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
		// Positions are those of the text as it was parsed, which begins that much earlier.
		return Statement{Node: &AlterView{view}, Text: full, Offset: len(text) - len(full), Hints: hints(full, mode), Params: numberParams(node, full)}, true
	}
	return s, false
}
