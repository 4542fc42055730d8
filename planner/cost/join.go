package cost

import (
	"math"

	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// JoinShare returns the share of the pairs of l and r for which all of on are true.
func JoinShare(on []expr.Expr, l, r *Props) float64 {
	var keys []keyPair
	var compared []sided
	var rest []expr.Expr
	for _, e := range on {
		if a, op, b, ok := Sides(e, l, r); !ok {
			rest = append(rest, e)
		} else if op == expr.FuncEQ || op == expr.FuncNullSafeEQ {
			keys = append(keys, keyPair{a, b})
		} else if isRange(op) {
			compared = append(compared, sided{a, op, b})
		} else {
			rest = append(rest, e)
		}
	}
	compared, share := takeAdjacent(compared, l, r)
	ranges := make([]rangePair, len(compared))
	for i, c := range compared {
		ranges[i] = newRangePair(c.l, c.op, c.r, l, r)
	}
	together := rangesShare(ranges)
	if counted, ok := countedShare(compared, l, r, together); ok {
		together = counted
	}
	share *= keysShare(keys, l, r) * together
	if len(rest) > 0 {
		both := &Props{Rows: max(1, l.Rows*r.Rows), in: [2]*Props{l, r}}
		share *= Conj(rest, both)
	}
	return share
}

type keyPair struct{ l, r expr.Expr }

// Sides splits a comparison into the operand over columns of l and the one over columns of r: a
// op b with a from l. It fails for other predicates, and if an operand has columns of both sides
// or of neither.
func Sides(e expr.Expr, l, r *Props) (a expr.Expr, op expr.FuncID, b expr.Expr, ok bool) {
	c, isCall := e.(*expr.Call)
	if !isCall || len(c.Args) != 2 {
		return nil, "", nil, false
	}
	switch c.Fn {
	case expr.FuncEQ, expr.FuncNullSafeEQ, expr.FuncLT, expr.FuncLE, expr.FuncGT, expr.FuncGE, expr.FuncNE:
	default:
		return nil, "", nil, false
	}
	x, y := sideOf(c.Args[0], l, r), sideOf(c.Args[1], l, r)
	switch {
	case x == 1 && y == 2:
		return c.Args[0], c.Fn, c.Args[1], true
	case x == 2 && y == 1:
		return c.Args[1], Mirror(c.Fn), c.Args[0], true
	}
	return nil, "", nil, false
}

// sideOf returns 1 if e has columns of l only, 2 of r only, 3 of both, 0 of neither.
func sideOf(e expr.Expr, l, r *Props) int {
	side := 0
	expr.Walk(e, func(e expr.Expr) bool {
		if c, ok := e.(*expr.Col); ok {
			if l.has(c.ID) {
				side |= 1
			} else if r.has(c.ID) {
				side |= 2
			}
		}
		return true
	})
	return side
}

func (p *Props) has(id expr.ColID) bool {
	for i := range p.own {
		if p.own[i].id == id {
			return true
		}
	}
	if p.scan != nil {
		for i := range p.scan.Columns {
			if p.scan.Columns[i].ID == id {
				return true
			}
		}
		return false
	}
	for _, in := range p.in {
		if in != nil && in.has(id) {
			return true
		}
	}
	return false
}

// keysShare estimates equalities by containment of the smaller value set in the larger: one match
// per distinct value of the larger set. For several keys the numbers of values are multiplied,
// but never exceed the combinations that the rows of one side can have.
func keysShare(keys []keyPair, l, r *Props) float64 {
	if len(keys) == 0 {
		return 1
	}
	if len(keys) == 1 {
		if s, ok := columnEqShare(keys[0], l, r); ok {
			return s
		}
	}
	k := newKeyPairs(keys, l, r)
	return k.known / k.combinations()
}

// columnEqShare estimates column = column with statistics beyond distinct counts: values common
// on both sides are matched exactly, and values outside the range of the other side cannot match.
func columnEqShare(k keyPair, l, r *Props) (float64, bool) {
	a, aok := columnOf(k.l, l)
	b, bok := columnOf(k.r, r)
	if !aok || !bok {
		return 0, false
	}
	knownA, knownB := 1-a.Null, 1-b.Null
	if a.Bounded && b.Bounded && a.Type.Kind() == b.Type.Kind() {
		lo, hi := max(a.Lo, b.Lo), min(a.Hi, b.Hi)
		fa, fb := a.rangeShare(lo, hi, false, false), b.rangeShare(lo, hi, false, false)
		if lo > hi {
			return 0, true
		}
		if share, ok := keptShare(&a, &b, fa); ok {
			return share, true
		}
		if share, ok := keptShare(&b, &a, fb); ok {
			return share, true
		}
		a.Domain, b.Domain = shrink(a.Domain, fa, knownA), shrink(b.Domain, fb, knownB)
		knownA, knownB = clipped(&a, fa, l.Rows), clipped(&b, fb, r.Rows)
	}
	matched, restA, restB, n := commonShare(&a, &b)
	restA, restB = max(0, knownA-restA), max(0, knownB-restB)
	domain := max(a.Domain, b.Domain) * min(metShare(&a, &b, r.Rows), metShare(&b, &a, l.Rows))
	return matched + restA*restB/max(1, domain-n), true
}

func shrink(ndv, kept, known float64) float64 {
	if known <= 0 {
		return 1
	}
	return max(1, ndv*kept/known)
}

// commonShare matches the most common values of both columns. It returns the share of pairs that
// match, the share of each side that the matches cover, and their number.
func commonShare(a, b *Column) (matched, coverA, coverB, n float64) {
	if len(a.mcv) == 0 || len(b.mcv) == 0 || a.Type.Kind() != b.Type.Kind() {
		return 0, 0, 0, 0
	}
	for i := range a.mcv {
		va := &a.mcv[i].Value
		for j := range b.mcv {
			if !sameValue(&b.mcv[j].Value, va, va.Float()) {
				continue
			}
			pa, pb := float64(a.mcv[i].Rows)/max(1, a.base), float64(b.mcv[j].Rows)/max(1, b.base)
			matched, coverA, coverB, n = matched+pa*pb, coverA+pa, coverB+pb, n+1
			break
		}
	}
	return matched, coverA, coverB, n
}

func columnOf(e expr.Expr, p *Props) (Column, bool) {
	c, ok := bareCol(e)
	if !ok || c.T.Kind() == types.KindNull {
		return Column{}, false
	}
	return p.Col(c.ID)
}

// MatchShare returns the share of l's rows that have a partner in r.
func MatchShare(on []expr.Expr, l, r *Props) float64 {
	if len(on) == 0 || r.Rows <= 0 {
		return clamp(r.Rows, 0, 1)
	}
	var keys []keyPair
	known, others := 1.0, false
	for _, e := range on {
		a, op, b, ok := Sides(e, l, r)
		if !ok {
			others = true
			continue
		}
		known = min(known, 1-l.nullShare(a))
		if op == expr.FuncEQ || op == expr.FuncNullSafeEQ {
			keys = append(keys, keyPair{a, b})
		} else {
			others = true
		}
	}
	partners := JoinShare(on, l, r) * r.Rows
	if len(keys) == 0 {
		return known * clamp(1-math.Exp(-partners/max(known, tiny)), 0, 1)
	}
	found := known * keysFound(keys, l, r)
	// Partners of a row whose keys are found; other predicates may reject all of them.
	each := partners / max(found, tiny)
	if others {
		return clamp(-found*math.Expm1(-each), 0, 1)
	}
	return clamp(found*min(1, each), 0, 1)
}

// keysFound returns the share of l's keys that r has.
func keysFound(keys []keyPair, l, r *Props) float64 {
	if len(keys) > 1 {
		return newKeyPairs(keys, l, r).found()
	}
	if share, ok := foundFar(keys[0], l, r); ok {
		return share
	}
	domain := max(l.domain(keys[0].l), r.domain(keys[0].r))
	if a, ok := columnOf(keys[0].l, l); ok {
		if b, ok := columnOf(keys[0].r, r); ok {
			domain *= metShare(&a, &b, r.Rows)
		}
	}
	return min(1, r.NDV(keys[0].r)/max(1, domain))
}

// metShare returns the share of a key's values that are left in a, most of whose rows joins have
// dropped. b is the same key of the same dimension, filtered in another way: a query is assumed to
// select rows that the facts it has joined a with refer to. The share is 1 for other columns.
func metShare(a, b *Column, rows float64) float64 {
	left := 1 - a.unmet
	if left >= farther || a.scan == nil || b.scan == nil || a.scan.Table != b.scan.Table || a.ordinal != b.ordinal {
		return 1
	}
	if a.base <= 0 || a.whole < nearly*a.base || rows >= farther*b.base || b.unmet > 0 && rows >= left*b.base {
		return 1
	}
	return left
}

// tiny avoids division by zero.
const tiny = 1e-12

// drawn returns the number of distinct values expected in rows drawn at random from the
// given number of values.
func drawn(values, rows float64) float64 {
	if values <= 0 {
		return 0
	}
	return -values * math.Expm1(-rows/values)
}

// joinRows returns the output rows of a join.
func joinRows(kind logical.JoinKind, on []expr.Expr, l, r *Props) float64 {
	switch kind {
	case logical.Mark, logical.Single:
		return l.Rows
	case logical.Semi:
		return l.Rows * MatchShare(on, l, r)
	case logical.Anti:
		return l.Rows * (1 - MatchShare(on, l, r))
	}
	rows := l.Rows * r.Rows * JoinShare(on, l, r)
	switch kind {
	case logical.Full:
		return max(l.Rows, r.Rows, rows+l.Rows*(1-MatchShare(on, l, r))+r.Rows*(1-MatchShare(on, r, l)))
	case logical.Left:
		return max(l.Rows, rows+l.Rows*(1-MatchShare(on, l, r)))
	}
	return rows
}

// Product returns the Props of the cross product of several results.
func Product(in []*Props) *Props {
	p := in[0]
	for _, r := range in[1:] {
		p = &Props{Rows: p.Rows * r.Rows, in: [2]*Props{p, r}}
	}
	return p
}
