package implement

import (
	"math"

	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// rangeDrive is what drives a range join.
type rangeDrive struct {
	ranges []physical.RangePred
	exprs  []expr.Expr // of ranges
	rest   []expr.Expr // the other comparisons
	pairs  float64     // row pairs that ranges leave
}

// drivingRanges chooses the one or two range predicates that drive a range join: those
// that together leave the fewest pairs.
func (b *bidder) drivingRanges() *rangeDrive {
	if b.byRange != nil {
		return b.byRange
	}
	first, second, best := 0, -1, math.Inf(1)
	for i := range b.conds.ranges {
		if s := b.pairs(b.conds.rangeExprs[i : i+1]); s < best {
			first, second, best = i, -1, s
		}
	}
	single := best
	for i := range b.conds.ranges {
		for j := i + 1; j < len(b.conds.ranges) && j < maxRanges; j++ {
			if s := b.pairs([]expr.Expr{b.conds.rangeExprs[i], b.conds.rangeExprs[j]}); s < best && s < single*0.9 {
				first, second, best = i, j, s
			}
		}
	}
	d := &rangeDrive{pairs: best, rest: append([]expr.Expr(nil), b.conds.keyExprs...)}
	for i, e := range b.conds.rangeExprs {
		if i == first || i == second {
			d.ranges, d.exprs = append(d.ranges, b.conds.ranges[i]), append(d.exprs, e)
		} else {
			d.rest = append(d.rest, e)
		}
	}
	d.rest = append(d.rest, b.conds.unequalExprs...)
	b.byRange = d
	return d
}

// streamedShare is how many times larger the side that streams past a range join must be: it
// looks at places of the other one in its own order, where both sides sorted look at
// neighbouring ones.
const streamedShare = 8

// haveWords tells whether the operands of predicates are compared as integers or floats.
func haveWords(ranges []physical.RangePred) bool {
	for _, r := range ranges {
		for _, t := range []types.Type{r.L.Type(), r.R.Type()} {
			if k := t.Kind(); k == types.KindStr || k == types.KindNull || k == types.KindDec && !t.FitsInt64() {
				return false
			}
		}
	}
	return true
}

// maxRanges bounds how many range predicates of a join are tried in pairs.
const maxRanges = 6
