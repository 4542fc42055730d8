package parse

import "github.com/pingcap/tidb/pkg/parser/ast"

// flagCollations copies the flags of x to x COLLATE c and to the enclosing expressions, which the
// grammar omits. The flags record whether an expression contains an aggregate, a window function
// or a subquery.
type flagCollations struct {
	open []ast.ExprNode // the enclosing expressions, outermost first; nil for a subquery
}

// Enter implements ast.Visitor.
func (f *flagCollations) Enter(n ast.Node) (ast.Node, bool) {
	if e, ok := n.(ast.ExprNode); ok {
		if _, sub := n.(*ast.SubqueryExpr); sub {
			e = nil
		}
		f.open = append(f.open, e)
	}
	return n, false
}

// Leave implements ast.Visitor.
func (f *flagCollations) Leave(n ast.Node) (ast.Node, bool) {
	if _, ok := n.(ast.ExprNode); !ok {
		return n, true
	}
	if c, ok := n.(*ast.SetCollationExpr); ok {
		for i := len(f.open) - 1; i >= 0 && f.open[i] != nil; i-- {
			f.open[i].SetFlag(f.open[i].GetFlag() | c.Expr.GetFlag())
		}
	}
	f.open = f.open[:len(f.open)-1]
	return n, true
}
