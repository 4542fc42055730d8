package scalar

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/expr"
)

// row returns the values of a row constructor. It ignores parentheses around it.
func row(n ast.ExprNode) ([]ast.ExprNode, bool) {
	if r, ok := Bare(n).(*ast.RowExpr); ok {
		return r.Values, true
	}
	return nil, false
}

// Bare removes the parentheses around an expression.
func Bare(n ast.ExprNode) ast.ExprNode {
	for {
		p, ok := n.(*ast.ParenthesesExpr)
		if !ok {
			return n
		}
		n = p.Expr
	}
}

// rowComparison binds the comparison of two rows at offset pos of the text.
type rowComparison struct {
	*Binder
	pos int
}

// rowValue is one value of a compared row. An expression is bound anew for each comparison, so that its
// subqueries have their own columns. A column of a row subquery is bound once, because the subquery is joined
// once.
type rowValue struct {
	node  ast.ExprNode
	bound expr.Expr
}

func (c rowComparison) rowValue(v rowValue) (expr.Expr, error) {
	if v.bound != nil {
		return v.bound, nil
	}
	return c.Expr(v.node)
}

// rowValues returns the values of a row constructor or of a subquery with several columns.
// Anything else is a row of one value.
func (b *Binder) rowValues(n ast.ExprNode) ([]rowValue, error) {
	n = Bare(n)
	switch x := n.(type) {
	case *ast.RowExpr:
		return unbound(x.Values), nil
	case *ast.SubqueryExpr:
		cols, err := b.rowSubquery(x, x.OriginTextPosition())
		if err != nil {
			return nil, err
		}
		out := make([]rowValue, len(cols))
		for i, c := range cols {
			out[i].bound = c
		}
		return out, nil
	}
	return []rowValue{{node: n}}, nil
}

func unbound(nodes []ast.ExprNode) []rowValue {
	out := make([]rowValue, len(nodes))
	for i, n := range nodes {
		out[i].node = n
	}
	return out
}

// rowsCompared reports whether an operator compares rows: one operand is a row constructor, or both are
// subqueries, whose columns are not yet counted.
func rowsCompared(n *ast.BinaryOperationExpr) bool {
	l, r := Bare(n.L), Bare(n.R)
	_, lsub := l.(*ast.SubqueryExpr)
	_, rsub := r.(*ast.SubqueryExpr)
	_, lrow := l.(*ast.RowExpr)
	_, rrow := r.(*ast.RowExpr)
	return lrow || rrow || lsub && rsub && !arithmetic(n.Op)
}

// inRows binds (a, b) IN ((1, 2), (3, 4)) as an OR of equal rows, and IN of a single operand with a subquery.
// The operand is bound anew for each comparison, so that its subqueries have their own columns.
func (b *Binder) inRows(n *ast.PatternInExpr, pos int) (expr.Expr, error) {
	terms := make([]expr.Expr, len(n.List))
	for i, item := range n.List {
		left, err := b.rowValues(n.Expr)
		if err != nil {
			return nil, err
		}
		e, err := rowComparison{b, pos}.compareRows(expr.FuncEQ, left, item)
		if err != nil {
			return nil, err
		}
		terms[i] = e
	}
	e := terms[0]
	if len(terms) > 1 {
		var err error
		if e, err = expr.NewCall(expr.FuncOr, terms, pos); err != nil {
			return nil, err
		}
	}
	return not(e, n.Not, pos, nil)
}

// compareRows binds a comparison of rows value by value: (a, b) < (c, d) is
// a < c OR a = c AND b < d.
func (c rowComparison) compareRows(fn expr.FuncID, left []rowValue, other ast.ExprNode) (expr.Expr, error) {
	right, err := c.rowValues(other)
	if err != nil {
		return nil, err
	}
	if len(left) != len(right) {
		return nil, operandColumns(len(left), c.pos)
	}
	switch fn {
	case expr.FuncEQ, expr.FuncNullSafeEQ:
		return c.zipRows(fn, expr.FuncAnd, left, right)
	case expr.FuncNE:
		return c.zipRows(fn, expr.FuncOr, left, right)
	case expr.FuncLT, expr.FuncLE, expr.FuncGT, expr.FuncGE:
		return c.orderRows(fn, left, right)
	}
	return nil, operandColumns(1, c.pos)
}

// zipRows compares values pairwise and connects the results.
func (c rowComparison) zipRows(fn, connective expr.FuncID, left, right []rowValue) (expr.Expr, error) {
	terms := make([]expr.Expr, len(left))
	for i := range left {
		e, err := c.compareValues(fn, left[i], right[i])
		if err != nil {
			return nil, err
		}
		terms[i] = e
	}
	if len(terms) == 1 {
		return terms[0], nil
	}
	return expr.NewCall(connective, terms, c.pos)
}

// compareValues compares two values, which may be rows themselves.
func (c rowComparison) compareValues(fn expr.FuncID, l, r rowValue) (expr.Expr, error) {
	if l.node != nil && r.node != nil {
		if inner, ok := row(l.node); ok {
			return c.compareRows(fn, unbound(inner), r.node)
		}
	}
	x, err := c.rowValue(l)
	if err != nil {
		return nil, err
	}
	y, err := c.rowValue(r)
	if err != nil {
		return nil, err
	}
	return expr.NewCall(fn, []expr.Expr{x, y}, c.pos)
}

func (c rowComparison) orderRows(fn expr.FuncID, left, right []rowValue) (expr.Expr, error) {
	if len(left) == 1 {
		return c.compareValues(fn, left[0], right[0])
	}
	first, err := c.compareValues(fn[:1], left[0], right[0])
	if err != nil {
		return nil, err
	}
	same, err := c.compareValues(expr.FuncEQ, left[0], right[0])
	if err != nil {
		return nil, err
	}
	rest, err := c.orderRows(fn, left[1:], right[1:])
	if err != nil {
		return nil, err
	}
	tie, err := expr.NewCall(expr.FuncAnd, []expr.Expr{same, rest}, c.pos)
	if err != nil {
		return nil, err
	}
	return expr.NewCall(expr.FuncOr, []expr.Expr{first, tie}, c.pos)
}
