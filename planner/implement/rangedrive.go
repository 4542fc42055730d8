package implement

import (
	"math"
	"slices"

	"gsql/planner/cost"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// rangeDrive is what drives a range join besides its equality keys.
type rangeDrive struct {
	ranges []physical.RangePred
	exprs  []expr.Expr // of ranges
	rest   []expr.Expr // the other comparisons but equalities
	pairs  float64     // row pairs that keys and ranges leave
	known  bool        // the ranges' share of the pairs is more than a guess from each alone
}

// Pairs of a join from which on it matters how many of them are candidates: a third comparison
// drives, and the price of a range join hedges against guesses of candidates.
const (
	thirdRangePairs = 1e7
	hedgedPairs     = 1e9
)

// drivingRanges chooses the range predicates that drive a range join: the one or two that
// together leave the fewest pairs, and a third one where that leaves far fewer of many.
func drivingRanges(b *bidder) *rangeDrive {
	if b.byRange != nil {
		return b.byRange
	}
	by, best := []int{0}, math.Inf(1)
	for i := range b.conds.Ranges {
		if s := rangePairs(b, i); s < best {
			by, best = []int{i}, s
		}
	}
	single := best
	for i := range b.conds.Ranges {
		for j := i + 1; j < len(b.conds.Ranges) && j < maxRanges; j++ {
			if s := rangePairs(b, i, j); s < best && s < single*0.9 {
				by, best = []int{i, j}, s
			}
		}
	}
	if len(by) == 2 && best >= thirdRangePairs {
		two, double := by, best
		for k := range min(len(b.conds.Ranges), maxRanges) {
			if slices.Contains(two, k) {
				continue
			}
			if s := rangePairs(b, two[0], two[1], k); s < best && s < double/2 {
				by, best = []int{two[0], two[1], k}, s
			}
		}
	}
	b.byRange = drivenBy(b, by, best)
	return b.byRange
}

// rangePairs returns the pairs that the keys and some range predicates leave.
func rangePairs(b *bidder, by ...int) float64 {
	exprs := slices.Clone(b.conds.KeyExprs)
	for _, i := range by {
		exprs = append(exprs, b.conds.RangeExprs[i])
	}
	return b.pairs(exprs)
}

func drivenBy(b *bidder, by []int, pairs float64) *rangeDrive {
	d := &rangeDrive{pairs: pairs}
	for i, e := range b.conds.RangeExprs {
		if slices.Contains(by, i) {
			d.ranges, d.exprs = append(d.ranges, b.conds.Ranges[i]), append(d.exprs, e)
		} else {
			d.rest = append(d.rest, e)
		}
	}
	d.rest = append(d.rest, b.conds.UnequalExprs...)
	d.known = len(b.conds.Ranges) == 1 || cost.Counted(b.conds.RangeExprs, b.l, b.r)
	return d
}

// rangeBid completes a range join and what its price depends on.
func rangeBid(b *bidder, op *physical.Join, in *cost.JoinInput, buildLeft bool) {
	d := drivingRanges(b)
	op.Keys, op.Ranges, op.Residual = b.conds.Keys, d.ranges, slices.Concat(d.rest, b.conds.Rest)
	in.Ranked = !haveWords(op.Ranges)
	op.Streamed = in.Build*streamedShare <= in.Probe && len(op.Keys) == 0 && len(op.Ranges) <= 2 && !in.Ranked
	in.Ranges, in.Keys, in.Pairs, in.Streamed = len(op.Ranges), float64(len(op.Keys)), d.pairs, op.Streamed
	in.Terms = testTerms*float64(len(d.rest)) + terms(b.conds.Rest...)
	in.ProbeText, in.BuildText = textBytes(b.p, op.Keys, b.l, b.r)
	if buildLeft {
		in.BuildText, in.ProbeText = in.ProbeText, in.BuildText
	}
	if b.once() && !buildLeft && len(b.conds.Rest) == 0 {
		partners := b.pairs(b.n.On) / max(1, in.Probe)
		in.Pairs /= 1 + partners
	}
	if !d.known && in.Build*in.Probe >= hedgedPairs {
		in.Pairs, in.Out = in.Pairs/hedge, in.Out/hedge
	}
}

const (
	// testTerms is the cost of testing words relative to evaluating an expression's node.
	testTerms = 0.5
	// hedge is by how much the candidates of a range join may be guessed too high where the price
	// believes it: it is some times slower than a loop where the guess is right, and thousands
	// of times faster where there are none.
	hedge = 8
)

// streamedShare is how many times larger the side that streams past a range join must be: it
// looks at places of the other one in its own order, where both sides sorted look at
// neighbouring ones.
const streamedShare = 8

// haveWords reports whether the operands of predicates are compared as integers or floats.
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

// maxRanges bounds how many range predicates of a join are tried together.
const maxRanges = 6
