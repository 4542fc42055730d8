package eval

import (
	"math"

	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func init() {
	double, text := types.T(types.Float64), types.T(types.String)
	for name, bound := range map[string]func(x float64, op string, c float64) float64{"summand_from": summandFrom, "summand_to": summandTo} {
		expr.Register(expr.Sig{Name: name, Min: 3, Max: 3, Resolve: expr.Fixed(double, double, text, double), Internal: true})
		Register(Def{Name: name, Bind: bindSummand(bound), Total: Always})
	}
}

// bindSummand serves the functions that solve "x + y op c" of doubles for y, op being a constant:
// as sums are rounded, y <= c - x is not the same. But no sum gets less as y gets greater, so that
// the y that pass are those from summand_from or those up to summand_to.
func bindSummand(bound func(x float64, op string, c float64) float64) func(*expr.Call) (Kernel, error) {
	return func(call *expr.Call) (Kernel, error) {
		k, ok := call.Args[1].(*expr.Const)
		if !ok {
			return nil, notConstant(call.Args[1])
		}
		op := k.Value.Str
		return func(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
			xs, cs, r := args[0].F64, args[2].F64, out.F64
			mx, mc := mask(args[0]), mask(args[2])
			for i := range r {
				r[i] = bound(xs[i&mx], op, cs[i&mc])
			}
			return nil
		}, nil
	}
}

// summandFrom gives the least y for which x + y op c holds, op being > or >=; +Inf where there is
// none.
func summandFrom(x float64, op string, c float64) float64 {
	return -greatestSummand(-x, op == ">", -c)
}

// summandTo gives the greatest y for which x + y op c holds, op being < or <=; -Inf where there is
// none.
func summandTo(x float64, op string, c float64) float64 { return greatestSummand(x, op == "<", c) }

// greatestSummand gives the greatest y for which x + y is less than c, or not greater.
func greatestSummand(x float64, less bool, c float64) float64 {
	passes := func(y float64) bool { return x+y < c || !less && x+y == c }
	y := c - x
	for range 3 { // it is among the neighbours but where x and c nearly cancel out
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

// floatRank numbers the doubles in ascending order.
func floatRank(x float64) uint64 {
	if w := math.Float64bits(x); w>>63 == 0 {
		return w | 1<<63
	} else {
		return ^w
	}
}

// rankedFloat gives the double with a rank.
func rankedFloat(rank uint64) float64 {
	if rank>>63 != 0 {
		return math.Float64frombits(rank &^ (1 << 63))
	}
	return math.Float64frombits(^rank)
}
