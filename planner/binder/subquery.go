package binder

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// truth is the type of comparisons and of EXISTS, IN, ANY and ALL.
var truth = types.T(types.Int64)

// subquery binds a query inside an expression; its free columns are the block's.
func (b *block) subquery(n ast.ExprNode) (*rel, error) {
	for {
		switch x := n.(type) {
		case *ast.ParenthesesExpr:
			n = x.Expr
			continue
		case *ast.SubqueryExpr:
			if b.shared.bound[x] {
				b.shared.exprs += boundAgain
			} else if b.shared.bound == nil {
				b.shared.bound = map[*ast.SubqueryExpr]bool{}
			}
			b.shared.bound[x] = true
			return b.query(x.Query, b, b.ctes)
		}
		return nil, sqlerr.Internal("no subquery: %T", n)
	}
}

func (b *block) scalarSubquery(n *ast.SubqueryExpr, pos int) (expr.Expr, error) {
	row, err := b.rowSubquery(n, pos)
	if err != nil {
		return nil, err
	}
	if len(row) != 1 {
		return nil, operandColumns(1, pos)
	}
	return row[0], nil
}

// rowSubquery gives the columns of a subquery of one row.
func (b *block) rowSubquery(n ast.ExprNode, pos int) ([]expr.Expr, error) {
	r, err := b.subquery(n)
	if err != nil {
		return nil, err
	}
	cols := r.node.Schema()
	row := make([]expr.Expr, len(cols))
	for i, c := range cols {
		row[i] = &expr.Subquery{Kind: expr.Scalar, Plan: r.node, Col: i, T: c.T, Coercible: isCoercible(r.node, i), Pos: pos}
	}
	return row, nil
}

func (b *block) exists(n *ast.ExistsSubqueryExpr, pos int) (expr.Expr, error) {
	r, err := b.subquery(n.Sel)
	if err != nil {
		return nil, err
	}
	return &expr.Subquery{Kind: expr.Exists, Plan: r.node, T: truth, Neg: n.Not, Pos: pos}, nil
}

// inSubquery binds left [NOT] IN (SELECT ...); left may be a row.
func (b *block) inSubquery(left []ast.ExprNode, sel ast.ExprNode, neg bool, pos int) (expr.Expr, error) {
	q, err := b.leftAndPlan(left, sel, pos)
	if err != nil {
		return nil, err
	}
	q.Kind, q.Op, q.Neg = expr.In, "=", neg
	return q, nil
}

func (b *block) leftAndPlan(left []ast.ExprNode, sel ast.ExprNode, pos int) (*expr.Subquery, error) {
	args, err := b.exprs(left...)
	if err != nil {
		return nil, err
	}
	r, err := b.subquery(sel)
	if err != nil {
		return nil, err
	}
	if len(r.node.Schema()) != len(args) {
		return nil, operandColumns(len(args), pos)
	}
	plan, err := b.inCollations(r.node, args)
	return &expr.Subquery{Plan: plan, Left: args, T: truth, Pos: pos}, err
}

// inCollations gives a plan whose columns that have no collation of their own, literals,
// have those of the values that they are compared with.
func (s *statement) inCollations(plan logical.Node, values []expr.Expr) (logical.Node, error) {
	want := slices.Clone(plan.Schema())
	for i, v := range values {
		c, _, err := expr.CollationOf(v)
		if err != nil {
			return nil, err
		}
		if c != types.Bin && want[i].T.ID == types.String && isCoercible(plan, i) {
			want[i].T = want[i].T.Collated(c)
		}
	}
	return s.castColumns(plan, want), nil
}

// quantified binds x op ANY (SELECT ...) and x op ALL (SELECT ...). = ANY is IN, and
// <> ALL is NOT IN.
func (b *block) quantified(n *ast.CompareSubqueryExpr, pos int) (expr.Expr, error) {
	left := []ast.ExprNode{n.L}
	if r, ok := row(n.L); ok {
		left = r
	}
	op := operators[n.Op]
	if op == "<=>" || len(left) > 1 && op != "=" && op != "<>" {
		return nil, operandColumns(1, pos)
	}
	q, err := b.leftAndPlan(left, n.R, pos)
	if err != nil {
		return nil, err
	}
	q.Op = op
	switch {
	case !n.All && op == "=":
		q.Kind = expr.In
	case n.All && op == "<>":
		q.Kind, q.Op, q.Neg = expr.In, "=", true
	case len(left) > 1:
		return nil, operandColumns(1, pos)
	case n.All:
		q.Kind = expr.All
	default:
		q.Kind = expr.Any
	}
	return q, nil
}
