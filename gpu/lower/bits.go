package lower

import (
	"fmt"
	"math/bits"

	"gsql/gpu/pipeline"
	"gsql/sql/expr"
)

var bitwise = map[expr.AggFn]pipeline.AccOp{expr.BitAnd: pipeline.BitAnd, expr.BitOr: pipeline.BitOr, expr.BitXor: pipeline.BitXor}

// bitwise returns BIT_AND, BIT_OR or BIT_XOR of numbers that are not negative. BIT_AND of no values has all
// 64 bits, which no integer of a program has.
func (g *grouping) bitwise(a *expr.Agg, v value) (value, error) {
	e, err := g.number(v)
	if err != nil {
		return value{}, err
	}
	op := bitwise[a.Fn]
	switch {
	case e.Kind != pipeline.Int || v.scale != 0 || e.Min < 0:
		return value{}, fmt.Errorf("%s of numbers that may be negative has no device form", a)
	case op != pipeline.BitAnd:
		return value{e: g.accumulate(op, e, pipeline.Int, 0, 0, 1<<bits.Len64(uint64(e.Max))-1)}, nil
	case e.Nullable || g.unkeyed:
		return value{}, fmt.Errorf("%s of what may be no values has no device form", a)
	}
	return value{e: g.accumulate(op, e, pipeline.Int, -1, 0, e.Max)}, nil
}
