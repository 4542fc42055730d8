package rules

import (
	"slices"

	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// isolateSides rearranges comparisons of sums in join conditions so that each operand depends
// on one input: l.a * 3 + r.b > r.a * 2 becomes l.a * 3 > r.a * 2 - r.b, by which rows can be
// sorted. Sums are of integers or exact decimals; DATEDIFF is a difference of day numbers,
// TIMESTAMPDIFF one of microseconds, and ABS(x) <= c is x <= c AND x >= -c. It does so only
// where the types of the columns, or what their tables hold, leave no overflow, neither in what
// was written nor in what takes its place. For doubles see apartDoubles.
func isolateSides(c *context, n logical.Node) logical.Node {
	j, ok := n.(*logical.Join)
	if !ok || len(j.On) == 0 {
		return n
	}
	in := c.sidesOf(j)
	var on []expr.Expr
	changed := false
	for _, e := range j.On {
		if apart := in.isolated(e); apart != nil {
			on, changed = append(on, apart...), true
			continue
		}
		on = append(on, e)
	}
	if !changed {
		return n
	}
	m := *j
	m.On = on
	return &m
}

// isolated returns the conditions that take the place of e, nil where it stays.
func (in *sides) isolated(e expr.Expr) []expr.Expr {
	x, ok := callOf(e, expr.FuncEQ, expr.FuncLT, expr.FuncLE, expr.FuncGT, expr.FuncGE, expr.FuncNE)
	if !ok || in.of(x.Args[0]) != onBoth && in.of(x.Args[1]) != onBoth {
		return nil
	}
	var out []expr.Expr
	for _, x := range exactBounds(x) {
		apart := in.comparison(x)
		if apart == nil {
			return nil
		}
		out = append(out, apart...)
	}
	return out
}

// comparison isolates a comparison.
func (in *sides) comparison(x *expr.Call) []expr.Expr {
	op, inner, bound := absBound(x)
	if op == "" {
		return in.apart(x.Fn, x.Args[0], x.Args[1], 1)
	}
	below, above := in.apart(op, inner, bound, 1), in.apart(flipped[op], inner, bound, -1)
	if below == nil || above == nil {
		return nil
	}
	return concat(below, above)
}

// apart isolates a op b, or a op -b where sign is -1.
func (in *sides) apart(op expr.FuncID, a, b expr.Expr, sign int64) []expr.Expr {
	if k, ok := bigintConst(b); ok {
		if x, ok := callOf(a, expr.FuncTimestampDiff); ok {
			return in.elapsed(op, x, sign*k)
		}
	}
	if k, ok := bigintConst(a); ok && sign > 0 {
		if x, ok := callOf(b, expr.FuncTimestampDiff); ok {
			return in.elapsed(flipped[op], x, k)
		}
	}
	if a.Type().IsFloat() && b.Type().IsFloat() {
		if sign < 0 {
			b = minus(b)
		}
		if in.of(a) != onBoth {
			return in.apartDoubles(flipped[op], b, a)
		}
		return in.apartDoubles(op, a, b)
	}
	s := sum{in: in, decimal: a.Type().ID == types.Decimal || b.Type().ID == types.Decimal}
	if !s.add(a, whole(1)) || !s.add(b, whole(-sign)) {
		return nil
	}
	return in.separate(&s, op)
}

// separate writes s op 0 with an operand for each input.
func (in *sides) separate(s *sum, op expr.FuncID) []expr.Expr {
	left, right := sum{decimal: s.decimal}, sum{decimal: s.decimal}
	for _, t := range s.terms {
		switch in.of(t.e) {
		case onLeft:
			left.terms = append(left.terms, t)
		case onRight:
			t.factor = t.factor.negative()
			right.terms = append(right.terms, t)
		default:
			return nil
		}
	}
	right.constant = s.constant.negative()
	if len(left.terms) == 0 || len(right.terms) == 0 {
		return nil
	}
	if !slices.ContainsFunc(left.terms, func(t term) bool { return t.factor.sign() > 0 }) {
		left.negate()
		right.negate()
		op = flipped[op]
	}
	a, err := left.expr()
	if err != nil {
		return nil
	}
	b, err := right.expr()
	if err != nil {
		return nil
	}
	if !s.decimal {
		return []expr.Expr{boolCall(op, a, b)}
	}
	return compareDecimals(op, a, b, s.most)
}

// narrowDigits are those of decimals that are computed with in 64 bits.
const narrowDigits = 18

// compareDecimals compares sums of which none exceeds most, in 64 bits where these suffice.
func compareDecimals(op expr.FuncID, a, b expr.Expr, most float64) []expr.Expr {
	e, err := expr.NewCall(op, []expr.Expr{a, b}, -1)
	if err != nil {
		return nil
	}
	x, ok := callOf(e, op)
	if !ok || x.Args[0].Type().Scale != x.Args[1].Type().Scale {
		return nil
	}
	l, r := x.Args[0].Type(), x.Args[1].Type()
	narrow := types.Dec(narrowDigits, int(l.Scale))
	if !(l.FitsInt64() && r.FitsInt64()) && narrow.FitsInt64() && hasRoom(narrow, most) {
		return []expr.Expr{boolCall(op, expr.Cast(a, narrow), expr.Cast(b, narrow))}
	}
	return []expr.Expr{x}
}

// bigintConst returns the value of a constant.
func bigintConst(e expr.Expr) (int64, bool) {
	k, ok := e.(*expr.Const)
	if !ok || k.Value.Null || !isBigint(k) {
		return 0, false
	}
	return k.Value.I64, true
}
