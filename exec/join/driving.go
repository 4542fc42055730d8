package join

import (
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// driving are the conjuncts that find pairs, as operands of either side, and the
// residual ones.
type driving struct {
	l, r     []expr.Expr
	nullSafe []bool // of the first operands, which are equality keys
	residual []expr.Expr
}

// drivenByKeys makes the equality keys find the pairs; ranges are residuals.
func drivenByKeys(j *physical.Join) (driving, error) {
	var d driving
	for _, k := range j.Keys {
		d.l, d.r, d.nullSafe = append(d.l, k.L), append(d.r, k.R), append(d.nullSafe, k.NullSafe)
	}
	ranges, err := condition(nil, j.Ranges)
	d.residual = append(ranges, j.Residual...)
	return d, err
}

// drivenByComparisons makes all comparisons between the sides find the pairs.
func drivenByComparisons(node *physical.Node, j *physical.Join) ([]comparison, driving, error) {
	all, err := condition(j.Keys, j.Ranges)
	if err != nil {
		return nil, driving{}, err
	}
	cs, rest := split(node, append(all, j.Residual...))
	d := driving{residual: rest}
	d.compare(cs)
	return cs, d, nil
}

// compare adds the operands of comparisons.
func (d *driving) compare(cs []comparison) {
	for _, c := range cs {
		d.l, d.r = append(d.l, c.l), append(d.r, c.r)
	}
}
