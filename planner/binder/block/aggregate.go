package block

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/scalar"
	"gsql/planner/binder/scope"
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

// Aggregate implements scalar.Block. It binds an aggregate function to the column that will hold its value.
func (b *Block) Aggregate(n *ast.AggregateFuncExpr, pos int) (expr.Expr, error) {
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
		return nil, sqlerr.From(err).At(pos)
	}
	if sum := b.group.longSum(a); sum != nil {
		return b.group.passed(sum), nil
	}
	never := a.Fn == expr.Count || a.Fn == expr.CountStar || a.Fn == expr.BitAnd || a.Fn == expr.BitOr || a.Fn == expr.BitXor
	return b.group.passed(expr.CollatedValue(b.group.addAgg(a, never))), nil
}

func aggregateAdvice(b *Block) string {
	switch {
	case b.inAgg:
		return "Aggregates cannot be nested: compute the inner one in a derived table."
	case b.At == scope.Where:
		return "Conditions on aggregates belong in HAVING."
	}
	return "An aggregate can appear in the select list, HAVING and ORDER BY."
}

// aggregateOf binds the arguments of an aggregate and returns it.
func (b *Block) aggregateOf(fn expr.AggFn, n *ast.AggregateFuncExpr, pos int) (*expr.Agg, error) {
	if fn == expr.GroupConcat {
		return b.groupConcat(n, pos)
	}
	args, err := b.Exprs(n.Args...)
	if err != nil {
		return nil, err
	}
	if fn == expr.JSONArrayAgg || fn == expr.JSONObjectAgg {
		last := len(args) - 1
		args[last] = scalar.JSONLiteral(n.Args[last], args[last])
	}
	if fn == expr.Count && !n.Distinct && len(args) == 1 {
		if _, ok := args[0].(*expr.Const); ok && !expr.IsNull(args[0]) {
			return expr.NewAgg(expr.CountStar, nil, false)
		}
	}
	distinct := n.Distinct && fn != expr.Min && fn != expr.Max
	b.group.aggregated(args, fn, distinct)
	a, err := expr.NewAgg(fn, args, distinct)
	if fn.Averages() {
		a, err = expr.NewAverage(fn, args, distinct, b.Increment())
	}
	if err != nil {
		return nil, sqlerr.From(err).At(pos)
	}
	return a, nil
}

// groupConcat binds GROUP_CONCAT(x, ... ORDER BY ... SEPARATOR ...), whose last argument is the separator. It
// concatenates several values of a row.
func (b *Block) groupConcat(n *ast.AggregateFuncExpr, pos int) (*expr.Agg, error) {
	values := n.Args[:len(n.Args)-1]
	args, err := b.Exprs(values...)
	if err != nil {
		return nil, err
	}
	whole := args[0]
	if len(args) > 1 {
		if whole, err = expr.NewCall(expr.FuncConcat, args, pos); err != nil {
			return nil, err
		}
	}
	a, err := expr.NewAgg(expr.GroupConcat, []expr.Expr{whole}, n.Distinct)
	if err != nil {
		return nil, sqlerr.From(err).At(pos)
	}
	if err := concatDistinct(a, args); err != nil {
		return nil, sqlerr.From(err).At(pos)
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

// concatDistinct adds to a GROUP_CONCAT(DISTINCT) the values that distinguish its rows if the
// concatenated text does not: the collation keys of texts, and each of several values.
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

// concatKey binds a sort key of GROUP_CONCAT. An ordinal refers to one of its values.
func (b *Block) concatKey(n ast.ExprNode, args []expr.Expr) (expr.Expr, error) {
	p, ok := n.(*ast.PositionExpr)
	if !ok {
		return b.Expr(n)
	}
	i, err := b.PositionValue(p)
	if err != nil {
		return nil, err
	}
	if i < 1 || i > len(args) {
		return nil, sqlerr.New(sqlerr.BadField, "Unknown column '%d' in 'order clause'", i)
	}
	return args[i-1], nil
}

// AnyValue implements scalar.Block. It binds ANY_VALUE(x): the value of an arbitrary row in a
// grouped query, else x itself.
func (b *Block) AnyValue(n *ast.FuncCallExpr, pos int) (expr.Expr, error) {
	if len(n.Args) != 1 {
		return nil, sqlerr.New(sqlerr.WrongParamCountToNativeFct, "Incorrect parameter count in the call to native function 'any_value'").At(pos)
	}
	if b.group == nil || b.inAgg || !b.aggsAllowed {
		return b.Expr(n.Args[0])
	}
	b.inAgg = true
	e, err := b.Expr(n.Args[0])
	b.inAgg = false
	if err != nil {
		return nil, err
	}
	a, err := expr.NewAgg(expr.First, []expr.Expr{expr.Shown(e)}, false)
	if err != nil {
		return nil, sqlerr.From(err).At(pos)
	}
	return b.group.addAgg(a, false), nil
}

// collatedAgg returns the aggregate that compares and orders texts by their collation. For MIN
// and MAX its value is then a pair.
func collatedAgg(a *expr.Agg) (_ *expr.Agg, err error) {
	switch {
	case a.Fn == expr.Count && a.Distinct:
		for i := range a.Args {
			if a.Args[i], err = expr.CollationKey(a.Args[i]); err != nil {
				return nil, err
			}
		}
	case a.Fn == expr.Min || a.Fn == expr.Max:
		pair, err := expr.CollatedPair(a.Args[0])
		if err != nil || pair == a.Args[0] {
			return a, err
		}
		return expr.NewAgg(a.Fn, []expr.Expr{pair}, a.Distinct)
	}
	return a, nil
}
