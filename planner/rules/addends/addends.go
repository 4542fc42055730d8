// Package addends computes sums of expressions that differ in constant addends from one sum:
// SUM(x + 2) is SUM(x) + 2 * COUNT(x), so SUM(x), SUM(x + 1) and SUM(x + 2) together need one sum
// and one count.
package addends

import (
	"math"

	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/types"
)

const (
	// narrowBits is the number of bits up to which integers plus constants of as many bits cannot
	// leave BIGINT. Larger ones could, which is an error that the sum would not raise.
	narrowBits = 32
	// narrowDigits is the same for decimals, whose sums are exact in 128 bits.
	narrowDigits = 18
)

// shifted is an expression as base plus constants, or as constants minus base.
type shifted struct {
	base     expr.Expr
	negative bool
	terms    []term
}

// term is a constant that is added or subtracted.
type term struct {
	value expr.Expr
	minus bool
}

// Share returns a as a projection over an aggregate with fewer sums, or nil if no two sums are of
// the same base. like returns a new column for an aggregate.
func Share(a *logical.Aggregate, like func(*expr.Agg) logical.Column) (logical.Node, error) {
	parts := make([]shifted, len(a.Aggs)) // without a base for other aggregates
	for i, it := range a.Aggs {
		if it.Agg.Fn == expr.Sum && !it.Agg.Distinct {
			parts[i] = split(it.Agg.Args[0])
		}
	}
	s := sharing{like: like, under: &logical.Aggregate{In: a.In, Keys: a.Keys}}
	shared := make([]bool, len(parts))
	for i := range parts {
		if shared[i] = len(parts[i].terms) > 0 && repeated(parts, parts[i].base); !shared[i] {
			s.under.Aggs = append(s.under.Aggs, a.Aggs[i])
		}
	}
	if len(s.under.Aggs) == len(a.Aggs) {
		return nil, nil
	}
	var items []logical.Item
	for _, k := range a.Keys {
		items = append(items, logical.Item{Col: k, Expr: k.Ref()})
	}
	for i, it := range a.Aggs {
		e := expr.Expr(it.Col.Ref())
		if shared[i] {
			var err error
			if e, err = s.sum(&parts[i], it.Agg.T); err != nil {
				return nil, err
			}
		}
		items = append(items, logical.Item{Col: it.Col, Expr: e})
	}
	return &logical.Project{In: s.under, Items: items}, nil
}

// repeated reports whether base is that of at least two sums.
func repeated(parts []shifted, base expr.Expr) bool {
	n := 0
	for i := range parts {
		if parts[i].base != nil && expr.Equal(parts[i].base, base) {
			n++
		}
	}
	return n > 1
}

// split separates constant addends from e. It stops at operations that could overflow, because
// these must still raise an error.
func split(e expr.Expr) shifted {
	s := shifted{base: e}
	for {
		x, ok := s.base.(*expr.Call)
		if !ok || x.Fn != expr.FuncAdd && x.Fn != expr.FuncSub || len(x.Args) != 2 {
			break
		}
		base, value := x.Args[0], x.Args[1]
		swapped := false
		if _, ok := base.(*expr.Const); ok {
			base, value, swapped = value, base, true
		}
		if !safe(x, base, value) {
			break
		}
		// x is base + value, base - value or value - base, of which s subtracts or adds one.
		sub := x.Fn == expr.FuncSub
		s.terms = append(s.terms, term{value, s.negative != (sub && !swapped)})
		s.negative = s.negative != (sub && swapped)
		s.base = base
	}
	if expr.Volatile(s.base) {
		return shifted{}
	}
	return s
}

// safe reports whether x, the sum or difference of base and a constant, is exact and cannot
// overflow.
func safe(x *expr.Call, base, value expr.Expr) bool {
	k, ok := value.(*expr.Const)
	if !ok || k.Value.Null {
		return false
	}
	switch {
	case base.Type().ID == types.Decimal || k.Value.Type.ID == types.Decimal:
		narrow := func(t types.Type) bool { return t.ID == types.Decimal && !t.Carries() && t.Prec <= narrowDigits }
		whole := func(t types.Type) bool { return t.IsInteger() && t.Bits() <= narrowBits }
		return narrow(x.T) && (narrow(base.Type()) || whole(base.Type())) && (narrow(k.Value.Type) || small(k))
	case !base.Type().IsInteger() || base.Type().Bits() > narrowBits && !isSafe(base) || !small(k):
		return false
	case x.T.IsUnsigned(): // a difference below zero is an error
		return x.Fn == expr.FuncAdd && k.Value.I64 >= 0
	}
	return x.T.IsInteger()
}

// isSafe reports whether base is itself an integer that split can take apart: a few such steps
// cannot overflow either.
func isSafe(base expr.Expr) bool {
	x, ok := base.(*expr.Call)
	if !ok || x.Fn != expr.FuncAdd && x.Fn != expr.FuncSub || len(x.Args) != 2 {
		return false
	}
	if _, ok := x.Args[0].(*expr.Const); ok {
		return safe(x, x.Args[1], x.Args[0])
	}
	return safe(x, x.Args[0], x.Args[1])
}

// small reports whether a constant is an integer of at most narrowBits bits.
func small(k *expr.Const) bool {
	return k.Value.Type.IsInteger() && k.Value.I64 >= math.MinInt32 && k.Value.I64 <= math.MaxInt32
}

// sharing collects the aggregates below the projection.
type sharing struct {
	under *logical.Aggregate
	like  func(*expr.Agg) logical.Column
}

// sum returns the sum of p over the sum and the count of its base. Both are NULL or 0 if the base
// has no value, and so is the result.
func (s *sharing) sum(p *shifted, t types.Type) (expr.Expr, error) {
	total, err := s.aggregate(expr.Sum, p.base)
	if err != nil {
		return nil, err
	}
	count, err := s.aggregate(expr.Count, p.base)
	if err != nil {
		return nil, err
	}
	count = expr.Cast(count, types.Dec(20, 0)) // so that products cannot overflow
	if p.negative {
		if total, err = expr.NewCall(expr.FuncNeg, []expr.Expr{total}, -1); err != nil {
			return nil, err
		}
	}
	for _, x := range p.terms {
		times, err := expr.NewCall(expr.FuncMul, []expr.Expr{count, x.value}, -1)
		if err != nil {
			return nil, err
		}
		op := expr.FuncAdd
		if x.minus {
			op = expr.FuncSub
		}
		if total, err = expr.NewCall(op, []expr.Expr{total, times}, -1); err != nil {
			return nil, err
		}
	}
	return expr.Cast(total, t), nil
}

// aggregate returns a reference to an aggregate of e, which it adds unless it is there already.
func (s *sharing) aggregate(fn expr.AggFn, e expr.Expr) (expr.Expr, error) {
	for _, it := range s.under.Aggs {
		if it.Agg.Fn == fn && !it.Agg.Distinct && len(it.Agg.Args) == 1 && expr.Equal(it.Agg.Args[0], e) {
			return it.Col.Ref(), nil
		}
	}
	agg, err := expr.NewAgg(fn, []expr.Expr{e}, false)
	if err != nil {
		return nil, err
	}
	it := logical.AggItem{Col: s.like(agg), Agg: agg}
	s.under.Aggs = append(s.under.Aggs, it)
	return it.Col.Ref(), nil
}
