package binder

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// caseExpr binds both forms of CASE.
func (b *block) caseExpr(n *ast.CaseExpr, pos int) (expr.Expr, error) {
	var args []expr.Expr
	var value func() (expr.Expr, error)
	if n.Value != nil {
		var err error
		if value, err = b.operand(n.Value); err != nil {
			return nil, err
		}
	}
	conds, err := b.conditions(value, n.WhenClauses, pos)
	if err != nil {
		return nil, err
	}
	for i, w := range n.WhenClauses {
		result, err := b.expr(w.Result)
		if err != nil {
			return nil, err
		}
		args = append(args, conds[i], result)
	}
	if n.ElseClause != nil {
		e, err := b.expr(n.ElseClause)
		if err != nil {
			return nil, err
		}
		args = append(args, e)
	}
	return expr.NewCall("case", args, pos)
}

// operand gives a function that binds n for one of several comparisons. What is volatile
// is the same expression each time, which is computed once a row.
func (b *block) operand(n ast.ExprNode) (func() (expr.Expr, error), error) {
	again := func() (expr.Expr, error) { return b.expr(n) }
	if n.GetFlag()&ast.FlagHasSubquery != 0 {
		return again, nil
	}
	before := b.shared.exprs
	e, err := b.expr(n)
	if err != nil {
		return nil, err
	}
	cost := b.shared.exprs - before
	if !expr.Volatile(e) {
		return again, nil
	}
	return func() (expr.Expr, error) { b.shared.exprs += cost; return e, nil }, nil
}

// conditions binds the conditions of CASE: comparisons where there is a value.
func (b *block) conditions(value func() (expr.Expr, error), whens []*ast.WhenClause, pos int) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(whens))
	if value == nil {
		for i, w := range whens {
			e, err := b.expr(w.Expr)
			if err != nil {
				return nil, err
			}
			out[i] = expr.Truth(e)
		}
		return out, nil
	}
	pairs := make([]expr.Expr, 0, 2*len(whens))
	for _, w := range whens {
		v, err := value()
		if err != nil {
			return nil, err
		}
		e, err := b.expr(w.Expr)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, v, e)
	}
	if err := expr.OneCollation("case", pairs, pos); err != nil {
		return nil, err
	}
	for i, w := range whens {
		var err error
		if out[i], err = expr.NewCall("=", pairs[2*i:2*i+2], w.OriginTextPosition()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// nullIf binds NULLIF of an operand with a subquery as the CASE it stands for: the
// operand appears twice in it and must be bound twice, so that each subquery has
// columns of its own.
func (b *block) nullIf(n *ast.FuncCallExpr, pos int) (expr.Expr, error) {
	cond, err := b.call("=", pos, n.Args...)
	if err != nil {
		return nil, err
	}
	value, err := b.expr(n.Args[0])
	if err != nil {
		return nil, err
	}
	null := &expr.Const{Value: catalog.NullOf(nullType)}
	return expr.NewCall("case", []expr.Expr{cond, null, value}, pos)
}
