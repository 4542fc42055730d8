package scalar

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// caseExpr binds both forms of CASE.
func (b *Binder) caseExpr(n *ast.CaseExpr, pos int) (expr.Expr, error) {
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
		result, err := b.Expr(w.Result)
		if err != nil {
			return nil, err
		}
		args = append(args, conds[i], result)
	}
	if n.ElseClause != nil {
		e, err := b.Expr(n.ElseClause)
		if err != nil {
			return nil, err
		}
		args = append(args, e)
	}
	return expr.NewCall(expr.FuncCase, args, pos)
}

// operand returns a function that binds n for one of several comparisons. A volatile operand is
// the same expression each time, computed once per row.
func (b *Binder) operand(n ast.ExprNode) (func() (expr.Expr, error), error) {
	again := func() (expr.Expr, error) { return b.Expr(n) }
	if n.GetFlag()&ast.FlagHasSubquery != 0 {
		return again, nil
	}
	before := b.Shared.Exprs
	e, err := b.Expr(n)
	if err != nil {
		return nil, err
	}
	cost := b.Shared.Exprs - before
	if !expr.Volatile(e) {
		return again, nil
	}
	return func() (expr.Expr, error) { b.Shared.Exprs += cost; return e, nil }, nil
}

// conditions binds the conditions of CASE, which are comparisons if there is a value.
func (b *Binder) conditions(value func() (expr.Expr, error), whens []*ast.WhenClause, pos int) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(whens))
	if value == nil {
		for i, w := range whens {
			e, err := b.Expr(w.Expr)
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
		e, err := b.Expr(w.Expr)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, expr.Unrounded(v), expr.Unrounded(e))
	}
	if err := expr.OneCollation("case", pairs, pos); err != nil {
		return nil, err
	}
	for i, w := range whens {
		var err error
		if out[i], err = expr.NewCall(expr.FuncEQ, pairs[2*i:2*i+2], w.OriginTextPosition()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// nullIf binds NULLIF as a CASE if its operand has a subquery. The operand appears twice and is bound twice, so
// that each subquery has its own columns.
func (b *Binder) nullIf(n *ast.FuncCallExpr, pos int) (expr.Expr, error) {
	cond, err := b.call(expr.FuncEQ, pos, n.Args...)
	if err != nil {
		return nil, err
	}
	value, err := b.Expr(n.Args[0])
	if err != nil {
		return nil, err
	}
	null := &expr.Const{Value: catalog.NullOf(nullType)}
	return expr.NewCall(expr.FuncCase, []expr.Expr{cond, null, value}, pos)
}
