package parse

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/sqlmode"
)

// plainUsing rejects USING (t.a), which the grammar accepts: USING lists columns of both tables.
func plainUsing(node ast.StmtNode, text string, mode sqlmode.Mode) error {
	if !hasFold(text, "using") {
		return nil
	}
	var f qualifiedUsing
	node.Accept(&f)
	if !f.found {
		return nil
	}
	l := lexer{text: text, mode: mode}
	for t := l.next(); t.kind != tokEnd; t = l.next() {
		if !l.is(t, "USING") || !l.isByte(l.next(), '(') {
			continue
		}
		for t = l.next(); t.kind != tokEnd && !l.isByte(t, ')'); t = l.next() {
			if l.isByte(t, '.') {
				return nearError(text, mode, t.start).WithHint("USING lists the names of columns that both tables have, without table names.")
			}
		}
	}
	return nearError(text, mode, 0)
}

// qualifiedUsing looks for a join whose USING contains a qualified name.
type qualifiedUsing struct{ found bool }

// Enter implements ast.Visitor.
func (f *qualifiedUsing) Enter(n ast.Node) (ast.Node, bool) {
	if j, ok := n.(*ast.Join); ok {
		for _, c := range j.Using {
			f.found = f.found || c.Table.O != ""
		}
	}
	return n, false
}

// Leave implements ast.Visitor.
func (f *qualifiedUsing) Leave(n ast.Node) (ast.Node, bool) { return n, true }
