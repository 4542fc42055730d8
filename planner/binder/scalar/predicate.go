package scalar

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/sqlmode"
)

// predicate binds expressions that have their own syntax.
func (b *Binder) predicate(n ast.ExprNode, pos int) (expr.Expr, error) {
	switch n := n.(type) {
	case *ast.BetweenExpr:
		return b.between(n, pos)
	case *ast.PatternInExpr:
		return b.in(n, pos)
	case *ast.IsNullExpr:
		return b.negatable(expr.FuncIsNull, n.Not, pos, n.Expr)
	case *ast.PatternLikeOrIlikeExpr:
		return b.like(n, pos)
	case *ast.PatternRegexpExpr:
		return b.negatable(expr.FuncRegexp, n.Not, pos, n.Expr, n.Pattern)
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

// negatable binds a call, wrapped in NOT if neg is set.
func (b *Binder) negatable(fn expr.FuncID, neg bool, pos int, nodes ...ast.ExprNode) (expr.Expr, error) {
	e, err := b.call(fn, pos, nodes...)
	return not(e, neg, pos, err)
}

func not(e expr.Expr, neg bool, pos int, err error) (expr.Expr, error) {
	if err != nil || !neg {
		return e, err
	}
	return expr.NewCall(expr.FuncNot, []expr.Expr{e}, pos)
}

// between binds BETWEEN as two comparisons. An operand that must not appear twice in a plan is bound twice, so
// that its subqueries have their own columns.
func (b *Binder) between(n *ast.BetweenExpr, pos int) (expr.Expr, error) {
	value, err := b.operand(n.Expr)
	if err != nil {
		return nil, err
	}
	var operands [4]expr.Expr // the value and a bound, twice
	for i, bound := range []ast.ExprNode{n.Left, n.Right} {
		if operands[2*i], err = value(); err != nil {
			return nil, err
		}
		if operands[2*i+1], err = b.Expr(bound); err != nil {
			return nil, err
		}
	}
	volatile := expr.Volatile(operands[0])
	if err := expr.OneCollation("between", operands[:], pos); err != nil {
		return nil, err
	}
	for i, o := range operands {
		operands[i] = expr.Unrounded(o)
	}
	var terms [2]expr.Expr
	for i, op := range []expr.FuncID{expr.FuncGE, expr.FuncLE} {
		if terms[i], err = expr.NewCall(op, operands[2*i:2*i+2], pos); err != nil {
			return nil, err
		}
	}
	e, err := expr.NewCall(expr.FuncAnd, terms[:], pos)
	if err == nil && volatile { // both comparisons must stay in one condition
		e, err = expr.NewCall(expr.FuncEQ, []expr.Expr{e, &expr.Const{Value: catalog.Int(1)}}, pos)
	}
	return not(e, n.Not, pos, err)
}

func (b *Binder) like(n *ast.PatternLikeOrIlikeExpr, pos int) (expr.Expr, error) {
	if !n.IsLike {
		return nil, sqlerr.Unsupported(pos, "ILIKE").WithHint("Write LOWER(x) LIKE LOWER(pattern).")
	}
	args, err := b.Exprs(n.Expr, n.Pattern)
	if err != nil {
		return nil, err
	}
	switch {
	case n.EscapeExplicit || n.Escape != '\\':
		args = append(args, &expr.Const{Value: catalog.Str(escapeText(n.Escape))})
	case b.Mode.Has(sqlmode.NoBackslashEscapes):
		args = append(args, &expr.Const{Value: catalog.Str("")})
	}
	e, err := expr.NewCall(expr.FuncLike, args, pos)
	return not(e, n.Not, pos, err)
}

// escapeText returns LIKE's escape character as text. An empty ESCAPE is the empty string.
func escapeText(c byte) string {
	if c == 0 {
		return ""
	}
	return string(rune(c))
}

// isTruth binds IS [NOT] TRUE and IS [NOT] FALSE, which are never NULL.
func (b *Binder) isTruth(n *ast.IsTruthExpr, pos int) (expr.Expr, error) {
	e, err := b.Expr(n.Expr)
	if err != nil {
		return nil, err
	}
	cond := expr.Truth(e)
	if n.True == 0 {
		if cond, err = expr.NewCall(expr.FuncNot, []expr.Expr{cond}, pos); err != nil {
			return nil, err
		}
	}
	yes, no := &expr.Const{Value: catalog.Int(1)}, &expr.Const{Value: catalog.Int(0)}
	if n.Not {
		yes, no = no, yes
	}
	return expr.NewCall(expr.FuncCase, []expr.Expr{cond, yes, no}, pos)
}

// tableSubquery returns the subquery that IN searches, or nil if IN has a list. A list of a single subquery is a
// table subquery: parentheses do not make it scalar.
func tableSubquery(n *ast.PatternInExpr) ast.ExprNode {
	if n.Sel != nil {
		return n.Sel
	}
	if len(n.List) == 1 {
		if sub, ok := Bare(n.List[0]).(*ast.SubqueryExpr); ok {
			return sub
		}
	}
	return nil
}

// in binds IN over a list or a subquery.
func (b *Binder) in(n *ast.PatternInExpr, pos int) (expr.Expr, error) {
	if sel := tableSubquery(n); sel != nil {
		return b.inSubquery(n.Expr, sel, n.Not, pos)
	}
	if _, ok := row(n.Expr); ok || n.Expr.GetFlag()&ast.FlagHasSubquery != 0 {
		return b.inRows(n, pos)
	}
	before := b.Shared.Exprs
	first, err := b.Expr(n.Expr)
	if err != nil {
		return nil, err
	}
	b.Shared.Exprs += (b.Shared.Exprs - before) * (len(n.List) - 1) // it may be compared with each
	var few [fewExprs]expr.Expr
	args := room(few[:], 1+len(n.List))
	args[0] = first
	if err := b.bindAll(args[1:], n.List...); err != nil {
		return nil, err
	}
	e, err := expr.NewCall(expr.FuncIn, args, pos)
	return not(e, n.Not, pos, err)
}
