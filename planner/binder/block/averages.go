package block

import (
	"gsql/sql/expr"
	"gsql/sql/types"
)

// addedDigits are the most digits of values whose sums fit in 128 bits for 10^10 rows.
const addedDigits = 28

// divideAverages computes averages that are converted to DOUBLE as MySQL does: it divides the sum by the
// count as doubles. The digits that the average carries as a decimal would be fewer. Averages that MySQL
// reads from a temporary table, those of GROUP BY and beside window functions, are decimals first.
func (l *selectList) divideAverages(preds []expr.Expr, keys []expr.SortKey) {
	g := l.b.group
	if g == nil || g.explicit && g.rollup == nil || hasWindows(l.b.sel) {
		return
	}
	l.overGroups(preds, keys, func(e expr.Expr) expr.Expr {
		return expr.Map(e, func(e expr.Expr) expr.Expr {
			if c, ok := e.(*expr.Call); ok && c.Fn == expr.FuncCast && c.T.IsFloat() {
				if q := g.realAverage(columnID(expr.AllDigits(c.Args[0]))); q != nil {
					return expr.Cast(q, c.T)
				}
			}
			return e
		})
	})
}

// realAverage returns the DOUBLE value of the average in the column id, or nil if the column is no
// average of exact numbers.
func (g *grouping) realAverage(id expr.ColID) expr.Expr {
	for i := range g.aggs {
		a := g.aggs[i].Agg
		if g.aggs[i].Col.ID != id || a.Fn != expr.Avg || !a.T.Carries() {
			continue
		}
		if t := a.Args[0].Type(); t.WholeDigits()+int(t.Scale) > addedDigits {
			return nil
		}
		sum, err := expr.NewAgg(expr.Sum, a.Args, a.Distinct)
		if err != nil {
			return nil
		}
		count, err := expr.NewAgg(expr.Count, a.Args, a.Distinct)
		if err != nil {
			return nil
		}
		t := types.T(types.Float64)
		return mustCall(expr.FuncDiv, expr.Cast(g.addAgg(sum, false), t), expr.Cast(g.addAgg(count, true), t))
	}
	return nil
}
