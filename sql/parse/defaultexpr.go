package parse

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/sqlmode"
)

// defaultExprs reads a CREATE or ALTER TABLE in which DEFAULT stands before an expression
// in brackets that the grammar refuses: it takes literals and calls only. Each such
// expression is hidden behind a literal of its length, so that positions stay right,
// parsed on its own and put in the literal's place. ok is false when that does not help.
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

// closing skips to behind the bracket that closes the one just read and gives where it
// stands; the end of the text where there is none.
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

// hiddenExpr is an expression and the brackets between which it stands.
type hiddenExpr struct {
	open, close int
	expr        ast.ExprNode
}

// parseExprAt parses the expression from byte from to the end of text, with positions that
// count from the start of text.
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

// uncover puts hidden expressions back.
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
