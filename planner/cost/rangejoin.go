package cost

import (
	"slices"

	"gsql/sql/expr"
	"gsql/sql/types"
)

// rangePair is a range predicate between the sides of a join, l op r.
type rangePair struct {
	op    expr.FuncID
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

func newRangePair(a expr.Expr, op expr.FuncID, b expr.Expr, l, r *Props) rangePair {
	p := rangePair{op: op, l: linearOf(a, l), r: linearOf(b, r)}
	known := (1 - l.nullShare(a)) * (1 - r.nullShare(b))
	if !p.usable() {
		p.share = known * defaultRange
		return p
	}
	below := differenceUpTo(&p.l, &p.r, 0)
	if op == expr.FuncGT || op == expr.FuncGE {
		below = 1 - below
	}
	// Values spread evenly over whole numbers are sometimes equal: the integral assigns half of
	// these cases to each side.
	if op == expr.FuncLE || op == expr.FuncGE {
		below += p.equalShare() / 2
	} else {
		below -= p.equalShare() / 2
	}
	p.share = known * clamp(below, 0, 1)
	return p
}

func (p *rangePair) usable() bool {
	return p.l.ok && p.r.ok && p.l.col.placed() && p.r.col.placed() && sameScale(p.l.col.Type, p.r.col.Type)
}

// placed reports whether the approximate range of a column's values is known.
func (c *Column) placed() bool {
	if c.Bounded {
		return true
	}
	_, ok := c.spread()
	return ok
}

// sameScale reports whether Datum.Float of both types counts the same unit.
func sameScale(a, b types.Type) bool {
	if a.IsNumeric() && b.IsNumeric() || a.IsString() && b.IsString() {
		return true
	}
	micros := func(t types.Type) bool { return t.ID == types.Datetime || t.ID == types.Timestamp }
	return a.ID == b.ID || micros(a) && micros(b)
}

// linearOf recognises a column under casts with constants added, subtracted or multiplied, and
// functions that are equivalent to that in comparisons of sums.
func linearOf(e expr.Expr, p *Props) linear {
	if c, ok := bareCol(e); ok {
		col, known := p.Col(c.ID)
		return linear{c.ID, col, 1, 0, known}
	}
	call, ok := e.(*expr.Call)
	if !ok {
		return linear{}
	}
	if call.Fn == expr.FuncCast && keepsOrder(call.Args[0].Type(), call.T) {
		return linearOf(call.Args[0], p)
	}
	switch call.Fn {
	case expr.FuncNeg:
		return linearOf(call.Args[0], p).times(-1)
	case expr.FuncToDays:
		return daysSince1970(call.Args, p).plus(daysTo1970)
	case expr.FuncToSeconds:
		return daysSince1970(call.Args, p).plus(daysTo1970).times(secondsADay)
	case expr.FuncUnixTimestamp:
		return daysSince1970(call.Args, p).times(secondsADay)
	case expr.FuncTimestampDiff:
		return microsFrom(call, p)
	case expr.FuncSummandFrom, expr.FuncSummandTo:
		if k := constOf(call.Args[2]); k != nil {
			return linearOf(call.Args[0], p).times(-1).plus(*k)
		}
		return linear{}
	}
	if len(call.Args) != 2 {
		return linear{}
	}
	return linearCall(call, p)
}

const (
	daysTo1970  = 719528 // TO_DAYS('1970-01-01')
	secondsADay = float64(types.Day / types.Second)
)

func daysSince1970(args []expr.Expr, p *Props) linear {
	if len(args) != 1 || !args[0].Type().IsTemporal() {
		return linear{}
	}
	return linearOf(args[0], p).times(1 / unitsADay(args[0].Type()))
}

// unitsADay returns the number of units of a type's values in a day.
func unitsADay(t types.Type) float64 {
	if t.ID == types.Date {
		return 1
	}
	return float64(types.Day)
}

// microsFrom recognises the number of microseconds from a constant time to a column.
func microsFrom(call *expr.Call, p *Props) linear {
	from, ok := call.Args[1].(*expr.Const)
	if unit, is := expr.ConstText(call.Args[0]); !ok || !is || unit != "microsecond" || from.Value.Null || !from.Value.Type.IsTemporal() {
		return linear{}
	}
	to, micros := call.Args[2], func(t types.Type) float64 { return float64(types.Day) / unitsADay(t) }
	if c, ok := to.(*expr.Call); ok && c.Fn == expr.FuncCast && c.Args[0].Type().ID == types.Date {
		to = c.Args[0]
	}
	return linearOf(to, p).times(micros(to.Type())).plus(-from.Value.Float() * micros(from.Value.Type))
}

func (x linear) times(k float64) linear {
	x.scale, x.shift = x.scale*k, x.shift*k
	return x
}

func (x linear) plus(k float64) linear {
	x.shift += k
	return x
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
	case call.Fn == expr.FuncAdd:
		return x.plus(*k)
	case call.Fn == expr.FuncSub && flipped:
		return x.times(-1).plus(*k)
	case call.Fn == expr.FuncSub:
		return x.plus(-*k)
	case call.Fn == expr.FuncMul && *k != 0:
		return x.times(*k)
	}
	return linear{}
}

func constOf(e expr.Expr) *float64 {
	if call, ok := e.(*expr.Call); ok && call.Fn == expr.FuncCast && call.T.IsNumeric() && call.Args[0].Type().IsNumeric() {
		return constOf(call.Args[0])
	}
	c, ok := e.(*expr.Const)
	if !ok || c.Value.Null || !c.Value.Type.IsNumeric() {
		return nil
	}
	x := c.Value.Float()
	return &x
}

// rangesShare combines range predicates of one join. Two of opposite direction usually bound the
// same quantity, as a band or an interval: pairs that fail both are then rare, so that P(both) is
// P(first) + P(second) - 1.
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

func upward(op expr.FuncID) bool { return op == expr.FuncGT || op == expr.FuncGE }

func opposite(a, b *rangePair) bool {
	if !a.usable() || !b.usable() || upward(a.op) == upward(b.op) {
		return false
	}
	return a.l.id == b.l.id || a.r.id == b.r.id || sameDomain(&a.l, &b.l) && sameDomain(&a.r, &b.r)
}

// sameDomain reports whether columns range over nearly the same values, as the start and end of
// intervals do.
func sameDomain(a, b *linear) bool {
	if !a.col.Bounded || !b.col.Bounded {
		return false
	}
	overlap := min(a.col.Hi, b.col.Hi) - max(a.col.Lo, b.col.Lo)
	return overlap >= 0.9*max(a.col.Hi-a.col.Lo, b.col.Hi-b.col.Lo)
}

// between returns the share of the pairs that satisfy both of two opposite comparisons. Four
// different columns may be the ends of intervals or have nothing to do with each other.
func between(a, b *rangePair) float64 {
	least := a.share * b.share / max(1, min(a.l.col.NDV, a.r.col.NDV))
	if a.l.id == b.l.id && a.r.id == b.r.id && a.l.scale == b.l.scale && a.r.scale == b.r.scale {
		least = a.equalShare()
	}
	least = max(a.share+b.share-1, least)
	if a.l.id != b.l.id && a.r.id != b.r.id {
		return (least + a.share*b.share) / 2
	}
	return least
}

// equalShare returns the share of pairs whose operands are equal when both are whole
// numbers spread over their ranges.
func (p *rangePair) equalShare() float64 {
	if !p.l.col.Type.IsInteger() || !p.r.col.Type.IsInteger() || !p.l.col.Bounded || !p.r.col.Bounded {
		return 0
	}
	lo, hi := max(p.l.col.Lo, p.r.col.Lo), min(p.l.col.Hi, p.r.col.Hi)
	if lo > hi {
		return 0
	}
	return (hi - lo + 1) / (p.l.col.Hi - p.l.col.Lo + 1) / (p.r.col.Hi - p.r.col.Lo + 1)
}

// maxPieces bounds the number of equal-weight pieces that represent a column's distribution.
const maxPieces = 48

// differenceUpTo returns P(a - b <= d) for independent values of both columns, assuming a uniform
// distribution within each piece.
func differenceUpTo(a, b *linear, d float64) float64 {
	qa, qb := a.quantiles(), b.quantiles()
	var sum float64
	for i := 1; i < len(qa); i++ {
		for j := 1; j < len(qb); j++ {
			sum += uniformDifference(qa[i-1], qa[i], qb[j-1], qb[j], d)
		}
	}
	return sum / float64((len(qa)-1)*(len(qb)-1))
}

// quantiles returns the bounds of the pieces of the operand's distribution: those of the
// histogram itself if it is complete, which avoids interpolation.
func (x *linear) quantiles() []float64 {
	c := &x.col
	var q []float64
	m, normal := c.spread()
	switch {
	case normal:
		q = m.quantiles()
	case c.hist == nil:
		q = []float64{c.Lo, c.Hi}
	case len(c.hist.Bounds) <= maxPieces+1 && c.hist.Bounds[0] == c.Lo && c.hist.Bounds[len(c.hist.Bounds)-1] == c.Hi:
		q = append(q, c.hist.Bounds...)
	default:
		d := c.distribution()
		q = d.quantiles(maxPieces)
	}
	for i := range q {
		q[i] = q[i]*x.scale + x.shift
	}
	if x.scale < 0 {
		slices.Reverse(q)
	}
	return q
}

// uniformDifference returns P(u - v <= d) for u uniform in [a, b] and v in [c, e].
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
