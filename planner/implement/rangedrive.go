package implement

import (
	"math"
	"slices"

	"gsql/planner/cost"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// rangeDrive describes what drives a range join besides its equality keys.
type rangeDrive struct {
	ranges []physical.RangePred
	exprs  []expr.Expr // of ranges
	rest   []expr.Expr // the other comparisons, except equalities
	pairs  float64     // row pairs that satisfy keys and ranges
	known  bool        // the ranges' share of the pairs is based on more than a guess for each alone
}

// Numbers of pairs of a join from which the number of candidates matters: for a third comparison
// to drive the join, and for the price of a range join to hedge against estimates of candidates.
const (
	thirdRangePairs = 1e7
	hedgedPairs     = 1e9
)

// drivingRanges chooses the range predicates that drive a range join: the one or two that
// together leave the fewest pairs. If these are many, a third predicate is added if it removes
// more than half of them.
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

// rangePairs returns the number of pairs that satisfy the keys and some range predicates.
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

// rangeBid completes a range join and the properties that its price depends on.
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
	// hedge divides the estimated candidates of a range join if the estimate is unreliable. A
	// range join is a few times slower than a loop if the estimate is right, but thousands of
	// times faster if there are no candidates.
	hedge = 8
)

// streamedShare is how many times larger the side streamed past a range join must be. Its rows
// visit places of the other side in arbitrary order, whereas two sorted sides visit neighbouring
// places.
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

// maxRanges bounds the range predicates of a join that are tried together.
const maxRanges = 6
