package binder

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/expr"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

var aggregates = map[string]expr.AggFn{
	ast.AggFuncCount: expr.Count, ast.AggFuncSum: expr.Sum, ast.AggFuncAvg: expr.Avg, ast.AggFuncMin: expr.Min, ast.AggFuncMax: expr.Max,
	ast.AggFuncGroupConcat: expr.GroupConcat, ast.AggFuncBitAnd: expr.BitAnd, ast.AggFuncBitOr: expr.BitOr, ast.AggFuncBitXor: expr.BitXor,
	ast.AggFuncStddevPop: expr.StddevPop, "std": expr.StddevPop, "stddev": expr.StddevPop, ast.AggFuncStddevSamp: expr.StddevSamp,
	ast.AggFuncVarPop: expr.VarPop, "variance": expr.VarPop, ast.AggFuncVarSamp: expr.VarSamp,
	parse.Median:            expr.Median,
	ast.AggFuncJsonArrayagg: expr.JSONArrayAgg, ast.AggFuncJsonObjectAgg: expr.JSONObjectAgg,
}

// aggregateCall binds an aggregate function to the column that will hold its value.
func (b *block) aggregateCall(n *ast.AggregateFuncExpr, pos int) (expr.Expr, error) {
	fn, ok := aggregates[strings.ToLower(n.F)]
	if !ok {
		return nil, sqlerr.Unsupported(pos, "%s()", strings.ToUpper(n.F))
	}
	if o := b.aggregateBlock(n); o != b {
		return o.aggregateFor(b, n, pos)
	}
	if !b.aggsAllowed || b.inAgg || b.group == nil {
		return nil, sqlerr.New(sqlerr.InvalidGroupFuncUse, "Invalid use of group function").At(pos).
			WithHint("%s", aggregateAdvice(b))
	}
	b.inAgg = true
	a, err := b.aggregateOf(fn, n, pos)
	b.inAgg = false
	if err != nil {
		return nil, err
	}
	if a, err = collatedAgg(a); err != nil {
		return nil, at(err, pos)
	}
	never := a.Fn == expr.Count || a.Fn == expr.CountStar || a.Fn == expr.BitAnd || a.Fn == expr.BitOr || a.Fn == expr.BitXor
	return expr.CollatedValue(b.addAgg(a, never)), nil
}

func aggregateAdvice(b *block) string {
	switch {
	case b.inAgg:
		return "Aggregates cannot be nested: compute the inner one in a derived table."
	case b.at == where:
		return "Conditions on aggregates belong into HAVING."
	}
	return "An aggregate can stand in the select list, HAVING and ORDER BY."
}

// aggregateOf binds the arguments and makes the aggregate.
func (b *block) aggregateOf(fn expr.AggFn, n *ast.AggregateFuncExpr, pos int) (*expr.Agg, error) {
	if fn == expr.GroupConcat {
		return b.groupConcat(n, pos)
	}
	args, err := b.exprs(n.Args...)
	if err != nil {
		return nil, err
	}
	if fn == expr.JSONArrayAgg || fn == expr.JSONObjectAgg {
		last := len(args) - 1
		args[last] = jsonLiteral(n.Args[last], args[last])
	}
	if fn == expr.Count && !n.Distinct && len(args) == 1 {
		if _, ok := args[0].(*expr.Const); ok && !expr.IsNull(args[0]) {
			return expr.NewAgg(expr.CountStar, nil, false)
		}
	}
	distinct := n.Distinct && fn != expr.Min && fn != expr.Max
	a, err := expr.NewAgg(fn, args, distinct)
	if err != nil {
		return nil, at(err, pos)
	}
	return a, nil
}

// groupConcat binds GROUP_CONCAT(x, ... ORDER BY ... SEPARATOR ...), whose last
// argument is the separator. Several values are concatenated.
func (b *block) groupConcat(n *ast.AggregateFuncExpr, pos int) (*expr.Agg, error) {
	values := n.Args[:len(n.Args)-1]
	args, err := b.exprs(values...)
	if err != nil {
		return nil, err
	}
	whole := args[0]
	if len(args) > 1 {
		if whole, err = expr.NewCall("concat", args, pos); err != nil {
			return nil, err
		}
	}
	a, err := expr.NewAgg(expr.GroupConcat, []expr.Expr{whole}, n.Distinct)
	if err != nil {
		return nil, at(err, pos)
	}
	if err := concatDistinct(a, args); err != nil {
		return nil, at(err, pos)
	}
	a.Sep = n.Args[len(n.Args)-1].(*parse.Literal).GetString()
	if n.Order == nil {
		return a, nil
	}
	for _, it := range n.Order.Items {
		e, err := b.concatKey(it.Expr, args)
		if err != nil {
			return nil, err
		}
		a.OrderBy = append(a.OrderBy, expr.SortKey{Expr: expr.Sortable(e), Desc: it.Desc})
	}
	return a, nil
}

// concatDistinct adds to a GROUP_CONCAT(DISTINCT) what tells its rows apart where the
// text that they add does not: the keys of texts with collations, and each of several
// values.
func concatDistinct(a *expr.Agg, values []expr.Expr) error {
	if !a.Distinct || len(values) == 1 && !expr.HasKey(a.T) {
		return nil
	}
	for _, v := range values {
		key, err := expr.CollationKey(v)
		if err != nil {
			return err
		}
		a.Args = append(a.Args, key)
	}
	return nil
}

// concatKey binds a sort key of GROUP_CONCAT; an ordinal names one of its values.
func (b *block) concatKey(n ast.ExprNode, args []expr.Expr) (expr.Expr, error) {
	p, ok := n.(*ast.PositionExpr)
	if !ok {
		return b.expr(n)
	}
	i, err := b.positionValue(p)
	if err != nil {
		return nil, err
	}
	if i < 1 || i > len(args) {
		return nil, sqlerr.New(sqlerr.BadField, "Unknown column '%d' in 'order clause'", i)
	}
	return args[i-1], nil
}

// anyValue binds ANY_VALUE(x): some row's value in a grouped query, else x itself.
func (b *block) anyValue(n *ast.FuncCallExpr, pos int) (expr.Expr, error) {
	if len(n.Args) != 1 {
		return nil, sqlerr.New(sqlerr.WrongParamCountToNativeFct, "Incorrect parameter count in the call to native function 'any_value'").At(pos)
	}
	if b.group == nil || b.inAgg || !b.aggsAllowed {
		return b.expr(n.Args[0])
	}
	b.inAgg = true
	e, err := b.expr(n.Args[0])
	b.inAgg = false
	if err != nil {
		return nil, err
	}
	a, err := expr.NewAgg(expr.First, []expr.Expr{e}, false)
	if err != nil {
		return nil, at(err, pos)
	}
	return b.addAgg(a, false), nil
}
