package scalar

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/scope"
	"gsql/planner/binder/statement"
	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// truth is the type of comparisons and of EXISTS, IN, ANY and ALL.
var truth = types.T(types.Int64)

// boundAgain is the number of expressions that a subquery counts for when it is bound again, because each
// binding becomes a join.
const boundAgain = 150

// subquery binds a query inside an expression. Its free columns are those of the block.
func (b *Binder) subquery(n ast.ExprNode, keeps statement.Digits) (logical.Node, error) {
	for {
		switch x := n.(type) {
		case *ast.ParenthesesExpr:
			n = x.Expr
			continue
		case *ast.SubqueryExpr:
			if b.Shared.Bound[x] {
				b.Shared.Exprs += boundAgain
			} else if b.Shared.Bound == nil {
				b.Shared.Bound = map[*ast.SubqueryExpr]bool{}
			}
			b.Shared.Bound[x] = true
			return b.Block.Subquery(x.Query, keeps)
		}
		return nil, sqlerr.Internal("no subquery: %T", n)
	}
}

func (b *Binder) scalarSubquery(n *ast.SubqueryExpr, pos int) (expr.Expr, error) {
	row, err := b.rowSubquery(n, pos)
	if err != nil {
		return nil, err
	}
	if len(row) != 1 {
		return nil, operandColumns(1, pos)
	}
	return row[0], nil
}

// rowSubquery returns the columns of a subquery that has one row.
func (b *Binder) rowSubquery(n ast.ExprNode, pos int) ([]expr.Expr, error) {
	keeps := statement.OneValue
	if b.Shared.Shown[n] {
		keeps = statement.ShownOnly
	}
	plan, err := b.subquery(n, keeps)
	if err != nil {
		return nil, err
	}
	cols := plan.Schema()
	row := make([]expr.Expr, len(cols))
	reduced := isReduced(n)
	for i, c := range cols {
		row[i] = &expr.Subquery{Kind: expr.Scalar, Plan: plan, Col: i, T: c.T, Hex: c.Hex && reduced, Coercible: IsCoercible(plan, i), Pos: pos}
	}
	return row, nil
}

// isReduced reports whether MySQL replaces a scalar subquery by the expressions of its select list.
func isReduced(n ast.ExprNode) bool {
	q, ok := Bare(n).(*ast.SubqueryExpr)
	if !ok {
		return false
	}
	sel, ok := q.Query.(*ast.SelectStmt)
	return ok && sel.Kind == ast.SelectStmtKindSelect && sel.From == nil && sel.Where == nil && sel.GroupBy == nil && sel.Having == nil
}

func (b *Binder) exists(n *ast.ExistsSubqueryExpr, pos int) (expr.Expr, error) {
	plan, err := b.subquery(n.Sel, statement.ShownOnly)
	if err != nil {
		return nil, err
	}
	return &expr.Subquery{Kind: expr.Exists, Plan: plan, T: truth, Neg: n.Not, Pos: pos, Hint: b.joinHint(plan)}, nil
}

// inSubquery binds left [NOT] IN (SELECT ...). left may be a row or a subquery of one row.
func (b *Binder) inSubquery(left, sel ast.ExprNode, neg bool, pos int) (expr.Expr, error) {
	q, err := b.leftAndPlan(left, sel, pos)
	if err != nil {
		return nil, err
	}
	q.Kind, q.Op, q.Neg = expr.In, expr.FuncEQ, neg
	return q, nil
}

func (b *Binder) leftAndPlan(left, sel ast.ExprNode, pos int) (*expr.Subquery, error) {
	args, err := b.leftValues(left)
	if err != nil {
		return nil, err
	}
	plan, err := b.subquery(sel, statement.ShownOnly)
	if err != nil {
		return nil, err
	}
	cols := plan.Schema()
	if len(cols) != len(args) {
		return nil, operandColumns(len(args), pos)
	}
	for i, a := range args {
		if t := cols[i].T; !t.IsFloat() && !t.IsString() {
			args[i] = expr.Shown(a)
		}
	}
	hint := b.joinHint(plan)
	plan = hexNumbers(b.Statement, plan, args)
	plan, err = inCollations(b.Statement, plan, args)
	return &expr.Subquery{Plan: plan, Left: args, T: truth, Pos: pos, Hint: hint}, err
}

// hexNumbers returns the plan with numbers instead of the hexadecimal literals that are compared with numbers.
func hexNumbers(s *statement.Statement, plan logical.Node, values []expr.Expr) logical.Node {
	cols := plan.Schema()
	items, some := scope.PassItems(cols), false
	for i, c := range cols {
		if !c.Hex || !values[i].Type().IsNumeric() {
			continue
		}
		ref := c.Ref()
		ref.Hex = true
		e := expr.HexNumber(ref)
		items[i], some = logical.Item{Col: logical.Column{ID: s.NewID(), Name: c.Name, T: e.Type(), NotNull: c.NotNull}, Expr: e}, true
	}
	if !some {
		return plan
	}
	return &logical.Project{In: plan, Items: items}
}

// joinHint returns the hint for the join that a subquery becomes, or nil.
func (b *Binder) joinHint(plan logical.Node) any {
	if h := b.Shared.JoinHints[plan]; h != nil {
		return h
	}
	return nil
}

// leftValues binds the left operand of a subquery comparison: a value, a row, or a subquery of one row.
func (b *Binder) leftValues(left ast.ExprNode) ([]expr.Expr, error) {
	switch x := Bare(left).(type) {
	case *ast.RowExpr:
		return b.Exprs(x.Values...)
	case *ast.SubqueryExpr:
		return b.rowSubquery(x, x.OriginTextPosition())
	}
	return b.Exprs(left)
}

// inCollations returns the plan with its literal columns, which have no collation of their own,
// in the collations of the values that they are compared with.
func inCollations(s *statement.Statement, plan logical.Node, values []expr.Expr) (logical.Node, error) {
	want := slices.Clone(plan.Schema())
	for i, v := range values {
		c, _, err := expr.CollationOf(v)
		if err != nil {
			return nil, err
		}
		if c != types.Bin && want[i].T.ID == types.String && IsCoercible(plan, i) {
			want[i].T = want[i].T.Collated(c)
		}
	}
	return scope.CastColumns(s, plan, want), nil
}

// quantified binds x op ANY (SELECT ...) and x op ALL (SELECT ...). = ANY is IN and <> ALL is NOT IN.
func (b *Binder) quantified(n *ast.CompareSubqueryExpr, pos int) (expr.Expr, error) {
	op := operators[n.Op]
	if op == expr.FuncNullSafeEQ {
		return nil, operandColumns(1, pos)
	}
	q, err := b.leftAndPlan(n.L, n.R, pos)
	if err != nil {
		return nil, err
	}
	q.Op = op
	switch {
	case !n.All && op == expr.FuncEQ:
		q.Kind = expr.In
	case n.All && op == expr.FuncNE:
		q.Kind, q.Op, q.Neg = expr.In, expr.FuncEQ, true
	case len(q.Left) > 1:
		return nil, operandColumns(1, pos)
	case n.All:
		q.Kind = expr.All
	default:
		q.Kind = expr.Any
	}
	return q, nil
}
