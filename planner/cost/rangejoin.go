package cost

import (
	"math"

	"gsql/sql/expr"
	"gsql/sql/types"
)

// rangePair is a range predicate between the sides of a join, l op r.
type rangePair struct {
	op    string
	l, r  linear
	share float64 // of all pairs
}

// linear is an operand of the form scale*column + shift.
type linear struct {
	id           expr.ColID
	col          Column
	scale, shift float64
	ok           bool
}

func newRangePair(a expr.Expr, op string, b expr.Expr, l, r *Props) rangePair {
	p := rangePair{op: op, l: linearOf(a, l), r: linearOf(b, r)}
	known := (1 - l.nullShare(a)) * (1 - r.nullShare(b))
	if !p.usable() {
		p.share = known * defaultRange
		return p
	}
	below := differenceUpTo(&p.l, &p.r, 0)
	if op == ">" || op == ">=" {
		below = 1 - below
	}
	p.share = known * below
	return p
}

func (p *rangePair) usable() bool {
	return p.l.ok && p.r.ok && p.l.col.Bounded && p.r.col.Bounded && sameScale(p.l.col.Type, p.r.col.Type)
}

// sameScale tells whether Datum.Float of both types counts the same unit.
func sameScale(a, b types.Type) bool {
	if a.IsNumeric() && b.IsNumeric() || a.IsString() && b.IsString() {
		return true
	}
	micros := func(t types.Type) bool { return t.ID == types.Datetime || t.ID == types.Timestamp }
	return a.ID == b.ID || micros(a) && micros(b)
}

// linearOf recognises a column under casts, with constants added, subtracted or
// multiplied.
func linearOf(e expr.Expr, p *Props) linear {
	if c, ok := bareCol(e); ok {
		col, known := p.Col(c.ID)
		return linear{c.ID, col, 1, 0, known}
	}
	call, ok := e.(*expr.Call)
	if !ok {
		return linear{}
	}
	if call.Fn == "cast" && keepsOrder(call.Args[0].Type(), call.T) {
		return linearOf(call.Args[0], p)
	}
	if len(call.Args) != 2 {
		return linear{}
	}
	return linearCall(call, p)
}

func linearCall(call *expr.Call, p *Props) linear {
	k, flipped := constOf(call.Args[1]), false
	arg := call.Args[0]
	if k == nil {
		k, arg, flipped = constOf(call.Args[0]), call.Args[1], true
	}
	if k == nil {
		return linear{}
	}
	x := linearOf(arg, p)
	switch {
	case call.Fn == "+":
		x.shift += *k
	case call.Fn == "-" && !flipped:
		x.shift -= *k
	case call.Fn == "*" && *k > 0:
		x.scale, x.shift = x.scale**k, x.shift**k
	default:
		return linear{}
	}
	return x
}

func constOf(e expr.Expr) *float64 {
	if call, ok := e.(*expr.Call); ok && call.Fn == "cast" && call.T.IsNumeric() && call.Args[0].Type().IsNumeric() {
		return constOf(call.Args[0])
	}
	c, ok := e.(*expr.Const)
	if !ok || c.Value.Null || !c.Value.Type.IsNumeric() {
		return nil
	}
	x := c.Value.Float()
	return &x
}

// rangesShare combines range predicates of one join. Two of opposite direction
// usually bound one thing, a band or an interval: pairs that fail both are then
// rare, so that P(both) is P(first) + P(second) - 1.
func rangesShare(ranges []rangePair) float64 {
	used := make([]bool, len(ranges))
	share := 1.0
	for i := range ranges {
		if used[i] {
			continue
		}
		s := ranges[i].share
		for j := i + 1; j < len(ranges); j++ {
			if !used[j] && opposite(&ranges[i], &ranges[j]) {
				s, used[j] = between(&ranges[i], &ranges[j]), true
				break
			}
		}
		share *= s
	}
	return share
}

func upward(op string) bool { return op == ">" || op == ">=" }

func opposite(a, b *rangePair) bool {
	if !a.usable() || !b.usable() || upward(a.op) == upward(b.op) {
		return false
	}
	return a.l.id == b.l.id || a.r.id == b.r.id || sameDomain(&a.l, &b.l) && sameDomain(&a.r, &b.r)
}

// sameDomain is true of columns that range over nearly the same values, as the start
// and the end of intervals do.
func sameDomain(a, b *linear) bool {
	overlap := math.Min(a.col.Hi, b.col.Hi) - math.Max(a.col.Lo, b.col.Lo)
	return overlap >= 0.9*math.Max(a.col.Hi-a.col.Lo, b.col.Hi-b.col.Lo)
}

func between(a, b *rangePair) float64 {
	least := a.share * b.share / math.Max(1, math.Min(a.l.col.NDV, a.r.col.NDV))
	if a.l.id == b.l.id && a.r.id == b.r.id && a.l.scale == b.l.scale && a.r.scale == b.r.scale {
		least = a.equalShare()
	}
	return math.Max(a.share+b.share-1+a.equalShare(), least)
}

// equalShare gives the share of pairs whose operands are equal, which closed bounds
// include on both sides.
func (p *rangePair) equalShare() float64 {
	if !p.l.col.Type.IsInteger() || !p.r.col.Type.IsInteger() {
		return 0
	}
	return 1 / math.Max(1, math.Max(p.l.col.NDV, p.r.col.NDV))
}

// pieces is how many parts of equal weight stand for a column's distribution.
const pieces = 24

// differenceUpTo gives P(a - b <= d) for independent values of both columns, each
// taken as uniform within each of its quantile pieces.
func differenceUpTo(a, b *linear, d float64) float64 {
	qa, qb := a.quantiles(), b.quantiles()
	var sum float64
	for i := 0; i < pieces; i++ {
		for j := 0; j < pieces; j++ {
			sum += uniformDifference(qa[i], qa[i+1], qb[j], qb[j+1], d)
		}
	}
	return sum / (pieces * pieces)
}

// quantiles gives the bounds of the pieces of the operand's distribution.
func (x *linear) quantiles() [pieces + 1]float64 {
	var q [pieces + 1]float64
	c := &x.col
	lo, hi := c.Lo, c.Hi
	for i := range q {
		v := lo + (hi-lo)*float64(i)/pieces
		if c.hist != nil {
			v = c.quantile(float64(i) / pieces)
		}
		q[i] = v*x.scale + x.shift
	}
	return q
}

// quantile inverts cdf by bisection.
func (c *Column) quantile(f float64) float64 {
	lo, hi := c.Lo, c.Hi
	if f <= 0 {
		return lo
	}
	for i := 0; i < 30 && hi > lo; i++ {
		mid := lo + (hi-lo)/2
		if c.cdf(mid) < f {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// uniformDifference gives P(u - v <= d) for u uniform in [a, b] and v in [c, e].
func uniformDifference(a, b, c, e, d float64) float64 {
	a, b = a-d, b-d // now P(u <= v)
	switch {
	case b <= c:
		return 1
	case a >= e && b > e:
		return 0
	case b-a <= 0 && e-c <= 0:
		if a <= c {
			return 1
		}
		return 0
	case b-a <= 0:
		return clamp((e-a)/(e-c), 0, 1)
	case e-c <= 0:
		return clamp((c-a)/(b-a), 0, 1)
	}
	// Area of {u <= v} in the rectangle: for each v the length of u below it.
	area := func(v float64) float64 { // integral of clamp(v-a, 0, b-a) up to v
		switch {
		case v <= a:
			return 0
		case v <= b:
			return (v - a) * (v - a) / 2
		}
		return (b-a)*(b-a)/2 + (v-b)*(b-a)
	}
	return clamp((area(e)-area(c))/((b-a)*(e-c)), 0, 1)
}
