package operator

import (
	"math"

	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// The functions that solve "x + y op c" of doubles for y. Because sums are rounded, y <= c - x is
// not equivalent. But sums never decrease as y increases, so the solutions are the y from
// summand_from on, or those up to summand_to.
func registerSummand() {
	doubles := func(v *vec.Vector) []float64 { return v.F64 }
	registerBound(expr.FuncSummandFrom, types.Float64, doubles, summandFrom)
	registerBound(expr.FuncSummandTo, types.Float64, doubles, summandTo)
}

// summandFrom returns the smallest y for which x + y op c holds, or +Inf if there is none. op is >
// or >=.
func summandFrom(x float64, op expr.FuncID, c float64) float64 {
	return -greatestSummand(-x, op == expr.FuncGT, -c)
}

// summandTo returns the largest y for which x + y op c holds, or -Inf if there is none. op is < or
// <=.
func summandTo(x float64, op expr.FuncID, c float64) float64 {
	return greatestSummand(x, op == expr.FuncLT, c)
}

// greatestSummand returns the largest y for which x + y is less than c, or at most c.
func greatestSummand(x float64, less bool, c float64) float64 {
	passes := func(y float64) bool { return x+y < c || !less && x+y == c }
	y := c - x
	for range 3 { // it is a neighbour unless x and c nearly cancel out
		above := math.Nextafter(y, math.Inf(1))
		switch {
		case !passes(y):
			y = math.Nextafter(y, math.Inf(-1))
		case passes(above):
			y = above
		default:
			return y
		}
	}
	low, high := floatRank(math.Inf(-1)), floatRank(math.Inf(1))
	for high-low > 1 {
		if mid := low + (high-low)/2; passes(rankedFloat(mid)) {
			low = mid
		} else {
			high = mid
		}
	}
	return rankedFloat(low)
}

// floatRank returns the rank of a double in ascending order.
func floatRank(x float64) uint64 {
	if w := math.Float64bits(x); w>>63 == 0 {
		return w | 1<<63
	} else {
		return ^w
	}
}

// rankedFloat returns the double with a rank.
func rankedFloat(rank uint64) float64 {
	if rank>>63 != 0 {
		return math.Float64frombits(rank &^ (1 << 63))
	}
	return math.Float64frombits(^rank)
}
