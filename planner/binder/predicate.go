package binder

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
)

// predicate binds the forms that have a grammar of their own.
func (b *block) predicate(n ast.ExprNode, pos int) (expr.Expr, error) {
	switch n := n.(type) {
	case *ast.BetweenExpr:
		return b.between(n, pos)
	case *ast.PatternInExpr:
		return b.in(n, pos)
	case *ast.IsNullExpr:
		return b.negatable("isnull", n.Not, pos, n.Expr)
	case *ast.PatternLikeOrIlikeExpr:
		return b.like(n, pos)
	case *ast.PatternRegexpExpr:
		return b.negatable("regexp", n.Not, pos, n.Expr, n.Pattern)
	case *ast.IsTruthExpr:
		return b.isTruth(n, pos)
	case *ast.CaseExpr:
		return b.caseExpr(n, pos)
	case *ast.SetCollationExpr:
		return b.collate(n, pos)
	case *ast.MatchAgainst:
		return nil, sqlerr.Unsupported(pos, "MATCH ... AGAINST").WithHint("Use LIKE or REGEXP.")
	}
	return nil, sqlerr.Unsupported(pos, "expression %T", n)
}

// negatable is call, and NOT around it when neg.
func (b *block) negatable(fn string, neg bool, pos int, nodes ...ast.ExprNode) (expr.Expr, error) {
	e, err := b.call(fn, pos, nodes...)
	return not(e, neg, pos, err)
}

func not(e expr.Expr, neg bool, pos int, err error) (expr.Expr, error) {
	if err != nil || !neg {
		return e, err
	}
	return expr.NewCall("not", []expr.Expr{e}, pos)
}

// between binds BETWEEN as two comparisons. An operand that must not stand in a plan
// twice is bound twice, so that its subqueries have columns of their own.
func (b *block) between(n *ast.BetweenExpr, pos int) (expr.Expr, error) {
	value, err := b.operand(n.Expr)
	if err != nil {
		return nil, err
	}
	var operands [4]expr.Expr // the value and a bound, twice
	for i, bound := range []ast.ExprNode{n.Left, n.Right} {
		if operands[2*i], err = value(); err != nil {
			return nil, err
		}
		if operands[2*i+1], err = b.expr(bound); err != nil {
			return nil, err
		}
	}
	volatile := expr.Volatile(operands[0])
	if err := expr.OneCollation("between", operands[:], pos); err != nil {
		return nil, err
	}
	var terms [2]expr.Expr
	for i, op := range []string{">=", "<="} {
		if terms[i], err = expr.NewCall(op, operands[2*i:2*i+2], pos); err != nil {
			return nil, err
		}
	}
	e, err := expr.NewCall("and", terms[:], pos)
	if err == nil && volatile { // both comparisons must stay in one condition
		e, err = expr.NewCall("=", []expr.Expr{e, &expr.Const{Value: catalog.Int(1)}}, pos)
	}
	return not(e, n.Not, pos, err)
}

func (b *block) like(n *ast.PatternLikeOrIlikeExpr, pos int) (expr.Expr, error) {
	if !n.IsLike {
		return nil, sqlerr.Unsupported(pos, "ILIKE").WithHint("Write LOWER(x) LIKE LOWER(pattern).")
	}
	args, err := b.exprs(n.Expr, n.Pattern)
	if err != nil {
		return nil, err
	}
	switch {
	case n.EscapeExplicit || n.Escape != '\\':
		args = append(args, &expr.Const{Value: catalog.Str(escapeText(n.Escape))})
	case b.mode.Has(sqlmode.NoBackslashEscapes):
		args = append(args, &expr.Const{Value: catalog.Str("")})
	}
	e, err := expr.NewCall("like", args, pos)
	return not(e, n.Not, pos, err)
}

// escapeText gives LIKE's escape character as text, which an empty ESCAPE leaves empty.
func escapeText(c byte) string {
	if c == 0 {
		return ""
	}
	return string(rune(c))
}

// isTruth binds IS [NOT] TRUE and IS [NOT] FALSE, which are never NULL.
func (b *block) isTruth(n *ast.IsTruthExpr, pos int) (expr.Expr, error) {
	e, err := b.expr(n.Expr)
	if err != nil {
		return nil, err
	}
	cond := expr.Truth(e)
	if n.True == 0 {
		if cond, err = expr.NewCall("not", []expr.Expr{cond}, pos); err != nil {
			return nil, err
		}
	}
	yes, no := &expr.Const{Value: catalog.Int(1)}, &expr.Const{Value: catalog.Int(0)}
	if n.Not {
		yes, no = no, yes
	}
	return expr.NewCall("case", []expr.Expr{cond, yes, no}, pos)
}

// in binds IN over a list or a subquery.
func (b *block) in(n *ast.PatternInExpr, pos int) (expr.Expr, error) {
	if n.Sel != nil {
		left := []ast.ExprNode{n.Expr}
		if r, ok := row(n.Expr); ok {
			left = r
		}
		return b.inSubquery(left, n.Sel, n.Not, pos)
	}
	if r, ok := row(n.Expr); ok {
		return b.inRows(n, r, pos)
	}
	if n.Expr.GetFlag()&ast.FlagHasSubquery != 0 {
		return b.inRows(n, []ast.ExprNode{n.Expr}, pos)
	}
	before := b.shared.exprs
	first, err := b.expr(n.Expr)
	if err != nil {
		return nil, err
	}
	b.shared.exprs += (b.shared.exprs - before) * (len(n.List) - 1) // it may be compared with each
	var few [fewExprs]expr.Expr
	args := room(few[:], 1+len(n.List))
	args[0] = first
	if err := b.bindAll(args[1:], n.List...); err != nil {
		return nil, err
	}
	e, err := expr.NewCall("in", args, pos)
	return not(e, n.Not, pos, err)
}
