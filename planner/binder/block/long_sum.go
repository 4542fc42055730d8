package block

import (
	"gsql/sql/expr"
	"gsql/sql/types"
)

// summandDigits allows for sums of 10^5 values that have as many digits before the point as their type
// allows, which is more than quotients have: it allows for the greatest dividend and the smallest divisor.
const summandDigits = types.MaxPrecision - 5

// fractionDigits are the most digits after the point of a summand. Sums of 10^11 fractions fit.
const fractionDigits = 27

// isLong reports whether sums of values of type t may need more than 128 bits for the digits that the
// values carry.
func isLong(t types.Type) bool {
	return t.Carries() && t.WholeDigits()+int(t.Scale) > summandDigits
}

// longSum returns the value of a SUM or AVG of long values, whose digits before and after the point are
// summed separately. It returns nil for other aggregates.
func (g *grouping) longSum(a *expr.Agg) expr.Expr {
	if a.Distinct || a.Fn != expr.Sum && a.Fn != expr.Avg || !isLong(a.Args[0].Type()) {
		return nil
	}
	x := a.Args[0]
	t := x.Type()
	whole := mustCall(expr.FuncTruncate, x, number(0))
	fraction := expr.Cast(mustCall(expr.FuncSub, x, whole), types.Dec(1, 0).Carrying(min(int(t.Scale), fractionDigits)))
	total := func(e expr.Expr) expr.Expr { return g.addAgg(mustAgg(expr.Sum, []expr.Expr{e}), false) }
	shown := types.Dec(types.MaxPrecision, int(t.Shown().Scale))
	sum := expr.Cast(mustCall(expr.FuncAdd, total(whole), total(fraction)), shown.Carrying(int(t.Scale)))
	if a.Fn == expr.Sum {
		return sum
	}
	return expr.Mean(sum, g.addAgg(mustAgg(expr.Count, []expr.Expr{whole}), true), a.T)
}
