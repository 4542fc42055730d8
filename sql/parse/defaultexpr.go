package parse

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/sqlmode"
)

// defaultExprs parses a CREATE or ALTER TABLE with parenthesised DEFAULT expressions. The grammar
// rejects them because it accepts only literals and calls there. Each expression is replaced by a
// literal of the same length, so that positions stay valid, parsed separately and put back into
// the tree. ok is false if that does not help.
func defaultExprs(text string, mode sqlmode.Mode) (node ast.StmtNode, ok bool) {
	plain := []byte(text)
	var hidden []hiddenExpr
	l := lexer{text: text, mode: mode}
	prev := l.next()
	if !l.is(prev, "CREATE") && !l.is(prev, "ALTER") {
		return nil, false
	}
	for t := l.next(); t.kind != tokEnd; prev, t = t, l.next() {
		if !l.is(prev, "DEFAULT") || !l.isByte(t, '(') {
			continue
		}
		inside := token{start: t.end, end: l.closing()}
		e := parseExprAt(text[:inside.end], inside.start, mode)
		if e == nil {
			return nil, false
		}
		hidden = append(hidden, hiddenExpr{t.start, inside.end, e})
		overwrite(plain, inside, "0")
	}
	if hidden == nil {
		return nil, false
	}
	tree, err := parseTree(string(plain), mode)
	if err != nil {
		return nil, false
	}
	tree.Accept(&uncover{hidden})
	return tree, true
}

// closing skips to the token after the bracket that closes the one just read. It returns the
// bracket's position, or the end of the text if there is none.
func (l *lexer) closing() int {
	for depth := 1; ; {
		switch t := l.next(); {
		case t.kind == tokEnd:
			return t.start
		case l.isByte(t, '('):
			depth++
		case l.isByte(t, ')'):
			if depth--; depth == 0 {
				return t.start
			}
		}
	}
}

// hiddenExpr is an expression and the positions of the brackets around it.
type hiddenExpr struct {
	open, close int
	expr        ast.ExprNode
}

// parseExprAt parses the expression from byte from to the end of text. Positions count from the start of text.
func parseExprAt(text string, from int, mode sqlmode.Mode) ast.ExprNode {
	const verb = "SELECT "
	if from < len(verb) {
		return nil
	}
	tree, err := parseTree(strings.Repeat(" ", from-len(verb))+verb+text[from:], mode)
	sel, ok := tree.(*ast.SelectStmt)
	if err != nil || !ok || sel.From != nil || len(sel.Fields.Fields) != 1 || sel.Fields.Fields[0].Expr == nil {
		return nil
	}
	return sel.Fields.Fields[0].Expr
}

// uncover puts the hidden expressions back into the tree.
type uncover struct{ hidden []hiddenExpr }

// Enter implements ast.Visitor.
func (u *uncover) Enter(n ast.Node) (ast.Node, bool) {
	opt, ok := n.(*ast.ColumnOption)
	if !ok || opt.Tp != ast.ColumnOptionDefaultValue {
		return n, false
	}
	for _, h := range u.hidden {
		if at := opt.Expr.OriginTextPosition(); at >= h.open && at < h.close {
			opt.Expr = h.expr
		}
	}
	return n, true
}

// Leave implements ast.Visitor.
func (u *uncover) Leave(n ast.Node) (ast.Node, bool) { return n, true }
