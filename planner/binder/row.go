package binder

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/expr"
)

// row gives the values of a row constructor, parentheses around it aside.
func row(n ast.ExprNode) ([]ast.ExprNode, bool) {
	if r, ok := bare(n).(*ast.RowExpr); ok {
		return r.Values, true
	}
	return nil, false
}

// bare takes the parentheses off an expression.
func bare(n ast.ExprNode) ast.ExprNode {
	for {
		p, ok := n.(*ast.ParenthesesExpr)
		if !ok {
			return n
		}
		n = p.Expr
	}
}

// rowValue is a value of a row that is compared: an expression that is bound anew for
// each comparison, so that its subqueries have columns of their own, or a column of a row
// subquery, which is joined once.
type rowValue struct {
	node  ast.ExprNode
	bound expr.Expr
}

func (b *block) rowValue(v rowValue) (expr.Expr, error) {
	if v.bound != nil {
		return v.bound, nil
	}
	return b.expr(v.node)
}

// rowValues gives the values of a row constructor or of a subquery of several columns;
// anything else is a row of one value.
func (b *block) rowValues(n ast.ExprNode) ([]rowValue, error) {
	n = bare(n)
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

// rowsCompared tells whether an operator compares rows: one operand is a row constructor,
// or both are subqueries, whose columns are not counted yet.
func rowsCompared(n *ast.BinaryOperationExpr) bool {
	l, r := bare(n.L), bare(n.R)
	_, lsub := l.(*ast.SubqueryExpr)
	_, rsub := r.(*ast.SubqueryExpr)
	_, lrow := l.(*ast.RowExpr)
	_, rrow := r.(*ast.RowExpr)
	return lrow || rrow || lsub && rsub && !arithmetic(n.Op)
}

// inRows binds (a, b) IN ((1, 2), (3, 4)) as an OR of equal rows. It also serves a
// single operand that must be bound anew for each comparison.
func (b *block) inRows(n *ast.PatternInExpr, left []ast.ExprNode, pos int) (expr.Expr, error) {
	terms := make([]expr.Expr, len(n.List))
	for i, item := range n.List {
		e, err := b.compareRows("=", unbound(left), item, pos)
		if err != nil {
			return nil, err
		}
		terms[i] = e
	}
	e := terms[0]
	if len(terms) > 1 {
		var err error
		if e, err = expr.NewCall("or", terms, pos); err != nil {
			return nil, err
		}
	}
	return not(e, n.Not, pos, nil)
}

// compareRows binds a comparison of rows value by value: (a, b) < (c, d) is
// a < c OR a = c AND b < d.
func (b *block) compareRows(fn string, left []rowValue, other ast.ExprNode, pos int) (expr.Expr, error) {
	right, err := b.rowValues(other)
	if err != nil {
		return nil, err
	}
	if len(left) != len(right) {
		return nil, operandColumns(len(left), pos)
	}
	switch fn {
	case "=", "<=>":
		return b.zipRows(fn, "and", left, right, pos)
	case "<>":
		return b.zipRows(fn, "or", left, right, pos)
	case "<", "<=", ">", ">=":
		return b.orderRows(fn, left, right, pos)
	}
	return nil, operandColumns(1, pos)
}

// zipRows compares values pairwise and connects the results.
func (b *block) zipRows(fn, connective string, left, right []rowValue, pos int) (expr.Expr, error) {
	terms := make([]expr.Expr, len(left))
	for i := range left {
		e, err := b.compareValues(fn, left[i], right[i], pos)
		if err != nil {
			return nil, err
		}
		terms[i] = e
	}
	if len(terms) == 1 {
		return terms[0], nil
	}
	return expr.NewCall(connective, terms, pos)
}

// compareValues compares two values that may be rows themselves.
func (b *block) compareValues(fn string, l, r rowValue, pos int) (expr.Expr, error) {
	if l.node != nil && r.node != nil {
		if inner, ok := row(l.node); ok {
			return b.compareRows(fn, unbound(inner), r.node, pos)
		}
	}
	x, err := b.rowValue(l)
	if err != nil {
		return nil, err
	}
	y, err := b.rowValue(r)
	if err != nil {
		return nil, err
	}
	return expr.NewCall(fn, []expr.Expr{x, y}, pos)
}

func (b *block) orderRows(fn string, left, right []rowValue, pos int) (expr.Expr, error) {
	if len(left) == 1 {
		return b.compareValues(fn, left[0], right[0], pos)
	}
	first, err := b.compareValues(fn[:1], left[0], right[0], pos)
	if err != nil {
		return nil, err
	}
	same, err := b.compareValues("=", left[0], right[0], pos)
	if err != nil {
		return nil, err
	}
	rest, err := b.orderRows(fn, left[1:], right[1:], pos)
	if err != nil {
		return nil, err
	}
	tie, err := expr.NewCall("and", []expr.Expr{same, rest}, pos)
	if err != nil {
		return nil, err
	}
	return expr.NewCall("or", []expr.Expr{first, tie}, pos)
}
