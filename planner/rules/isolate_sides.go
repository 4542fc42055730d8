package rules

import (
	"math"
	"slices"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// isolateSides rearranges comparisons of sums of integers in join conditions so that each
// operand depends on one input: l.a * 3 + r.b > r.a * 2 becomes l.a * 3 > r.a * 2 - r.b, by
// which rows can be sorted; DATEDIFF is a difference of day numbers. It does so only where the types of the columns leave no
// overflow, neither in what was written nor in what takes its place.
func isolateSides(c *context, n logical.Node) logical.Node {
	j, ok := n.(*logical.Join)
	if !ok || len(j.On) == 0 {
		return n
	}
	in := c.sidesOf(j)
	on, changed := logical.MapList(j.On, in.isolated)
	if !changed {
		return n
	}
	m := *j
	m.On = on
	return &m
}

func (in *sides) isolated(e expr.Expr) expr.Expr {
	x, ok := callOf(e, "=", "<", "<=", ">", ">=", "<>")
	if !ok || in.of(x.Args[0]) != onBoth && in.of(x.Args[1]) != onBoth || !isBigint(x.Args[0]) || !isBigint(x.Args[1]) {
		return e
	}
	var s sum
	if !s.add(x.Args[0], 1) || !s.add(x.Args[1], -1) || s.most >= math.MaxInt64/2 {
		return e
	}
	var left, right sum
	for _, t := range s.terms {
		switch in.of(t.e) {
		case onLeft:
			left.terms = append(left.terms, t)
		case onRight:
			t.factor = -t.factor
			right.terms = append(right.terms, t)
		default:
			return e
		}
	}
	right.constant = -s.constant
	if len(left.terms) == 0 || len(right.terms) == 0 {
		return e
	}
	fn := x.Fn
	if !slices.ContainsFunc(left.terms, func(t term) bool { return t.factor > 0 }) {
		left.negate()
		right.negate()
		fn = flipped[fn]
	}
	a, err := left.expr()
	if err != nil {
		return e
	}
	b, err := right.expr()
	if err != nil {
		return e
	}
	return boolCall(fn, a, b)
}

// isBigint tells whether an expression computes in signed 64-bit integers.
func isBigint(e expr.Expr) bool {
	t := e.Type()
	return t.IsInteger() && t.Kind() == types.KindI64
}

// term is a factor times an expression.
type term struct {
	factor int64
	e      expr.Expr
}

// sum is a linear form over expressions, with a bound of the magnitude that it and all its
// parts can have.
type sum struct {
	terms    []term
	constant int64
	most     float64
}

func (s *sum) negate() {
	for i := range s.terms {
		s.terms[i].factor = -s.terms[i].factor
	}
	s.constant = -s.constant
}

// add adds factor * e, and is false where e is not linear in columns of known range.
func (s *sum) add(e expr.Expr, factor int64) bool {
	if !isBigint(e) || math.Abs(float64(factor)) > 1<<31 {
		return false
	}
	switch x := e.(type) {
	case *expr.Const:
		if x.Value.Null || x.Value.I64 < -1<<31 || x.Value.I64 > 1<<31 {
			return false
		}
		s.constant += factor * x.Value.I64
		s.most += math.Abs(float64(factor) * float64(x.Value.I64))
		return s.most < math.MaxInt64/2
	case *expr.Col:
		if x.T.Bits() == 0 || x.T.Bits() > 32 {
			return false
		}
		s.terms = append(s.terms, term{factor, x})
		s.most += math.Abs(float64(factor)) * math.Ldexp(1, x.T.Bits()-1)
		return s.most < math.MaxInt64/2
	case *expr.Call:
		return s.addCall(x, factor)
	}
	return false
}

func (s *sum) addCall(x *expr.Call, factor int64) bool {
	switch x.Fn {
	case "+":
		return s.add(x.Args[0], factor) && s.add(x.Args[1], factor)
	case "-":
		return s.add(x.Args[0], factor) && s.add(x.Args[1], -factor)
	case "neg":
		return s.add(x.Args[0], -factor)
	case "cast":
		from, ok := x.Args[0].(*expr.Col)
		return ok && isBigint(from) && x.T.Bits() >= from.T.Bits() && s.add(from, factor)
	case "datediff":
		return s.addDays(x.Args[0], factor) && s.addDays(x.Args[1], -factor)
	case "*":
		for i, a := range x.Args {
			k, ok := a.(*expr.Const)
			if ok && isBigint(k) && !k.Value.Null && k.Value.I64 > -1<<31 && k.Value.I64 < 1<<31 {
				return s.add(x.Args[1-i], factor*k.Value.I64)
			}
		}
	}
	return false
}

// addDays adds factor times the day number of a column of dates.
func (s *sum) addDays(e expr.Expr, factor int64) bool {
	const dayBits = 22 // of the day number of 9999-12-31
	if _, ok := e.(*expr.Col); !ok || !e.Type().IsTemporal() || e.Type().ID == types.Time {
		return false
	}
	days, err := expr.NewCall("to_days", []expr.Expr{e}, -1)
	if err != nil {
		return false
	}
	s.terms = append(s.terms, term{factor, days})
	s.most += math.Abs(float64(factor)) * math.Ldexp(1, dayBits)
	return s.most < math.MaxInt64/2
}

// expr writes the sum; positive terms come first.
func (s *sum) expr() (out expr.Expr, err error) {
	for _, positive := range []bool{true, false} {
		for _, t := range s.terms {
			if (t.factor > 0) == positive {
				if out, err = plus(out, t); err != nil {
					return nil, err
				}
			}
		}
	}
	if s.constant == 0 {
		return out, nil
	}
	return plus(out, term{1, &expr.Const{Value: catalog.Int(s.constant)}})
}

func plus(sum expr.Expr, t term) (expr.Expr, error) {
	fn, factor := "+", t.factor
	if sum != nil && factor < 0 {
		fn, factor = "-", -factor
	}
	e := t.e
	if factor != 1 {
		var err error
		if e, err = expr.NewCall("*", []expr.Expr{e, &expr.Const{Value: catalog.Int(factor)}}, -1); err != nil {
			return nil, err
		}
	}
	if sum == nil {
		return e, nil
	}
	return expr.NewCall(fn, []expr.Expr{sum, e}, -1)
}
