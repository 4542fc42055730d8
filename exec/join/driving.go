package join

import (
	"slices"

	"gsql/exec/join/theta"
	"gsql/exec/keyenc"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/pairs"
	"gsql/sql/types"
)

// driving holds the conjuncts that find pairs, either as operands of both sides or unchanged
// (pairwise), and the residual predicates.
type driving struct {
	l, r     []expr.Expr
	nullSafe []bool // of the first operands, which are equality keys
	pairwise []expr.Expr
	residual []expr.Expr
}

// drivenByKeys finds pairs by the equality keys; ranges become residual predicates.
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

// uncast returns the integers that both operands cast to decimals, or else the operands. Signed
// and unsigned integers are compared as decimals, but equal ones have the same 64 bits.
func uncast(l, r expr.Expr) (a, b expr.Expr) {
	if a, b = integerOf(l), integerOf(r); a == nil || b == nil {
		return l, r
	}
	return a, b
}

// integerOf returns the integer that e casts to a decimal wide enough for all integers, or nil if
// e is no such cast.
func integerOf(e expr.Expr) expr.Expr {
	c, ok := e.(*expr.Call)
	if !ok || c.Fn != expr.FuncCast || c.T.ID != types.Decimal || c.T.Prec-c.T.Scale < mostDigitsOfInt || !c.Args[0].Type().IsInteger() {
		return nil
	}
	return c.Args[0]
}

// mostDigitsOfInt is the number of digits of the greatest unsigned integer.
const mostDigitsOfInt = 20

// drivenInLoop finds the pairs of a nested loop by all comparisons between the sides. It uses all
// conjuncts pairwise instead if vector instructions test them and either some are not comparisons
// or there are enough rows.
func drivenInLoop(node *physical.Node, j *physical.Join) ([]theta.Comparison, driving, error) {
	all, err := condition(j.Keys, j.Ranges)
	if err != nil {
		return nil, driving{}, err
	}
	all = append(all, j.Residual...)
	cs, rest := split(node, all)
	many := len(rest) > 0 || len(cs) > 0 && node.In[j.Built()].Est.Rows > theta.FewRows
	if many && !j.NullAware && (len(cs) == 0 || exact(cs) && vectorised(node, all)) {
		return nil, driving{pairwise: all}, nil
	}
	d := driving{residual: rest}
	d.compare(cs)
	return cs, d, nil
}

// exact reports whether comparisons involve no floats. As words, NaNs find no partner.
func exact(cs []theta.Comparison) bool {
	return !slices.ContainsFunc(cs, func(c theta.Comparison) bool { return c.L.Type().IsFloat() })
}

// vectorised reports whether vector instructions can test the conjuncts.
func vectorised(node *physical.Node, all []expr.Expr) bool {
	left := make(map[expr.ColID]bool, len(node.In[0].Cols))
	for _, c := range node.In[0].Cols {
		left[c.ID] = true
	}
	return pairs.Vectorised(all, func(id expr.ColID) bool { return left[id] })
}

// compare appends the operands of comparisons.
func (d *driving) compare(cs []theta.Comparison) {
	for _, c := range cs {
		d.l, d.r = append(d.l, c.L), append(d.r, c.R)
	}
}

func asComparison(e expr.Expr, sides *columnMap) (theta.Comparison, bool) {
	c, ok := e.(*expr.Call)
	if !ok || theta.Flip(c.Fn) == "" || len(c.Args) != 2 || !sameForm(c.Args[0], c.Args[1]) {
		return theta.Comparison{}, false
	}
	a, b := c.Args[0], c.Args[1]
	if !keyenc.HasOrderKeys(a.Type()) || !keyenc.HasOrderKeys(b.Type()) || c.Fn == expr.FuncNE && a.Type().IsFloat() {
		return theta.Comparison{}, false
	}
	switch {
	case dependsOn(a, sides, fromLeft) && dependsOn(b, sides, fromRight):
		return theta.Comparison{Op: c.Fn, L: a, R: b}, true
	case dependsOn(a, sides, fromRight) && dependsOn(b, sides, fromLeft):
		return theta.Comparison{Op: theta.Flip(c.Fn), L: b, R: a}, true
	}
	return theta.Comparison{}, false
}

// dependsOn reports whether e reads columns of one side and nothing else that differs between
// pairs.
func dependsOn(e expr.Expr, sides *columnMap, on source) bool {
	some, ok := false, !expr.Volatile(e)
	expr.Walk(e, func(e expr.Expr) bool {
		if c, isCol := e.(*expr.Col); isCol {
			side, at := sides.find(c.ID)
			some, ok = true, ok && side == on && at >= 0
		}
		return ok
	})
	return some && ok
}

// split returns the comparisons among the join's conjuncts and the others.
func split(node *physical.Node, all []expr.Expr) (cs []theta.Comparison, rest []expr.Expr) {
	sides := columnMap{cols: [2][]logical.Column{node.In[0].Cols, node.In[1].Cols}}
	for _, e := range all {
		if c, ok := asComparison(e, &sides); ok {
			cs = append(cs, c)
		} else {
			rest = append(rest, e)
		}
	}
	return cs, rest
}
