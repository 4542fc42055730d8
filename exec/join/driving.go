package join

import (
	"slices"

	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/pairs"
	"gsql/sql/types"
)

// driving are the conjuncts that find pairs, as operands of either side or as they are, and
// the residual ones.
type driving struct {
	l, r     []expr.Expr
	nullSafe []bool // of the first operands, which are equality keys
	pairwise []expr.Expr
	residual []expr.Expr
}

// drivenByKeys makes the equality keys find the pairs; ranges are residuals.
func drivenByKeys(j *physical.Join) (driving, error) {
	var d driving
	for _, k := range j.Keys {
		l, r := uncast(k.L, k.R)
		d.l, d.r, d.nullSafe = append(d.l, l), append(d.r, r), append(d.nullSafe, k.NullSafe)
	}
	ranges, err := condition(nil, j.Ranges)
	d.residual = append(ranges, j.Residual...)
	return d, err
}

// uncast gives the integers that both of two operands are as decimals: signed and unsigned ones
// are compared by way of these, but equal ones are the same 64 bits.
func uncast(l, r expr.Expr) (a, b expr.Expr) {
	if a, b = integerOf(l), integerOf(r); a == nil || b == nil {
		return l, r
	}
	return a, b
}

// integerOf gives the integer that e casts to a decimal with room for all integers, else nil.
func integerOf(e expr.Expr) expr.Expr {
	c, ok := e.(*expr.Call)
	if !ok || c.Fn != "cast" || c.T.ID != types.Decimal || c.T.Prec-c.T.Scale < mostDigitsOfInt || !c.Args[0].Type().IsInteger() {
		return nil
	}
	return c.Args[0]
}

// mostDigitsOfInt is the number of digits of the greatest unsigned integer.
const mostDigitsOfInt = 20

// drivenInLoop makes all comparisons between the sides find the pairs of a nested loop, or
// all conjuncts where a program tests them, and some are no comparisons or there are rows
// enough for it.
func drivenInLoop(node *physical.Node, j *physical.Join) ([]comparison, driving, error) {
	all, err := condition(j.Keys, j.Ranges)
	if err != nil {
		return nil, driving{}, err
	}
	all = append(all, j.Residual...)
	cs, rest := split(node, all)
	many := len(rest) > 0 || len(cs) > 0 && node.In[j.Built()].Est.Rows > fewRows
	if many && !j.NullAware && (len(cs) == 0 || exact(cs) && vectorised(node, all)) {
		return nil, driving{pairwise: all}, nil
	}
	d := driving{residual: rest}
	d.compare(cs)
	return cs, d, nil
}

// exact tells whether comparisons are of integers and decimals only. Floats have NaNs, which
// find no partner as words.
func exact(cs []comparison) bool {
	return !slices.ContainsFunc(cs, func(c comparison) bool { return c.l.Type().IsFloat() })
}

// vectorised tells whether conjuncts are tested by vector instructions.
func vectorised(node *physical.Node, all []expr.Expr) bool {
	left := make(map[expr.ColID]bool, len(node.In[0].Cols))
	for _, c := range node.In[0].Cols {
		left[c.ID] = true
	}
	return pairs.Vectorised(all, func(id expr.ColID) bool { return left[id] })
}

// compare adds the operands of comparisons.
func (d *driving) compare(cs []comparison) {
	for _, c := range cs {
		d.l, d.r = append(d.l, c.l), append(d.r, c.r)
	}
}
