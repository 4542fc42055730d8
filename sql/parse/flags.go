package parse

import "github.com/pingcap/tidb/pkg/parser/ast"

// flagCollations gives x COLLATE c, and what it stands in, the flags of x, which the
// grammar does not: whether an aggregate, a window function or a subquery is in it.
type flagCollations struct {
	open []ast.ExprNode // the expressions around, from the outermost; nil for a subquery
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
