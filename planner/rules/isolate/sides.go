package isolate

import (
	"slices"

	"gsql/planner/rules/cond"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// Isolated returns conditions that replace the comparison e and whose operands depend on one
// input each: l.a * 3 + r.b > r.a * 2 becomes l.a * 3 > r.a * 2 - r.b, by which rows can be
// sorted. It returns nil if e stays. Sums are of integers or exact decimals; DATEDIFF is a
// difference of day numbers, TIMESTAMPDIFF one of microseconds, and ABS(x) <= c is x <= c AND x
// >= -c. The rewrite requires that the types of the columns, or their tables' statistics, rule
// out an overflow in both the original and the replacement. For doubles see apartDoubles.
func (in *Join) Isolated(e expr.Expr) []expr.Expr {
	x, ok := cond.CallOf(e, expr.FuncEQ, expr.FuncLT, expr.FuncLE, expr.FuncGT, expr.FuncGE, expr.FuncNE)
	if !ok || in.of(x.Args[0]) != Both && in.of(x.Args[1]) != Both {
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
func (in *Join) comparison(x *expr.Call) []expr.Expr {
	op, inner, bound := absBound(x)
	if op == "" {
		return in.apart(x.Fn, x.Args[0], x.Args[1], 1)
	}
	below, above := in.apart(op, inner, bound, 1), in.apart(cond.Flipped[op], inner, bound, -1)
	if below == nil || above == nil {
		return nil
	}
	return slices.Concat(below, above)
}

// apart isolates a op b, or a op -b if sign is -1.
func (in *Join) apart(op expr.FuncID, a, b expr.Expr, sign int64) []expr.Expr {
	if k, ok := bigintConst(b); ok {
		if x, ok := cond.CallOf(a, expr.FuncTimestampDiff); ok {
			return in.elapsed(op, x, sign*k)
		}
	}
	if k, ok := bigintConst(a); ok && sign > 0 {
		if x, ok := cond.CallOf(b, expr.FuncTimestampDiff); ok {
			return in.elapsed(cond.Flipped[op], x, k)
		}
	}
	if a.Type().IsFloat() && b.Type().IsFloat() {
		if sign < 0 {
			b = minus(b)
		}
		if in.of(a) != Both {
			return in.apartDoubles(cond.Flipped[op], b, a)
		}
		return in.apartDoubles(op, a, b)
	}
	s := sum{in: in, decimal: a.Type().ID == types.Decimal || b.Type().ID == types.Decimal}
	if !s.add(a, whole(1)) || !s.add(b, whole(-sign)) {
		return nil
	}
	return in.separate(&s, op)
}

// separate rewrites s op 0 with one operand per input.
func (in *Join) separate(s *sum, op expr.FuncID) []expr.Expr {
	left, right := sum{decimal: s.decimal}, sum{decimal: s.decimal}
	for _, t := range s.terms {
		switch in.of(t.e) {
		case Left:
			left.terms = append(left.terms, t)
		case Right:
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
		op = cond.Flipped[op]
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
		return []expr.Expr{cond.Call(op, a, b)}
	}
	return compareDecimals(op, a, b, s.most)
}

// narrowDigits is the precision of decimals that are computed in 64 bits.
const narrowDigits = 18

// compareDecimals compares sums whose magnitudes are at most most, in 64 bits if these suffice.
func compareDecimals(op expr.FuncID, a, b expr.Expr, most float64) []expr.Expr {
	e, err := expr.NewCall(op, []expr.Expr{a, b}, -1)
	if err != nil {
		return nil
	}
	x, ok := cond.CallOf(e, op)
	if !ok || x.Args[0].Type().Scale != x.Args[1].Type().Scale {
		return nil
	}
	l, r := x.Args[0].Type(), x.Args[1].Type()
	narrow := types.Dec(narrowDigits, int(l.Scale))
	if !(l.FitsInt64() && r.FitsInt64()) && narrow.FitsInt64() && hasRoom(narrow, most) {
		return []expr.Expr{cond.Call(op, expr.Cast(a, narrow), expr.Cast(b, narrow))}
	}
	return []expr.Expr{x}
}

// bigintConst returns the value of an integer constant.
func bigintConst(e expr.Expr) (int64, bool) {
	k, ok := e.(*expr.Const)
	if !ok || k.Value.Null || !isBigint(k) {
		return 0, false
	}
	return k.Value.I64, true
}
