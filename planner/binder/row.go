package binder

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// row gives the values of a row constructor, parentheses around it aside.
func row(n ast.ExprNode) ([]ast.ExprNode, bool) {
	for {
		switch x := n.(type) {
		case *ast.ParenthesesExpr:
			n = x.Expr
		case *ast.RowExpr:
			return x.Values, true
		default:
			return nil, false
		}
	}
}

// inRows binds (a, b) IN ((1, 2), (3, 4)) as an OR of equal rows. It also serves a
// single operand that must be bound anew for each comparison.
func (b *block) inRows(n *ast.PatternInExpr, left []ast.ExprNode, pos int) (expr.Expr, error) {
	terms := make([]expr.Expr, len(n.List))
	for i, item := range n.List {
		e, err := b.compareRows("=", left, item, pos)
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
func (b *block) compareRows(fn string, left []ast.ExprNode, other ast.ExprNode, pos int) (expr.Expr, error) {
	if len(left) == 1 {
		if _, nested := row(left[0]); !nested {
			return b.call(fn, pos, left[0], other)
		}
	}
	right, ok := row(other)
	if !ok {
		if _, sub := other.(*ast.SubqueryExpr); sub {
			return nil, sqlerr.Unsupported(pos, "comparison of a row with a subquery").WithHint("Write (a, b) IN (SELECT ...).")
		}
		return nil, operandColumns(len(left), pos)
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
func (b *block) zipRows(fn, connective string, left, right []ast.ExprNode, pos int) (expr.Expr, error) {
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
func (b *block) compareValues(fn string, l, r ast.ExprNode, pos int) (expr.Expr, error) {
	if inner, ok := row(l); ok {
		return b.compareRows(fn, inner, r, pos)
	}
	return b.call(fn, pos, l, r)
}

func (b *block) orderRows(fn string, left, right []ast.ExprNode, pos int) (expr.Expr, error) {
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
