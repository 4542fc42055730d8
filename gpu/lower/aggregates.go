package lower

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"gsql/gpu/pipeline"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// variance returns a variance or a standard deviation of doubles. A first pipeline sums the values, and a
// second one the squares of their differences from the mean, as the difference of two large sums would lose
// digits. The mean is within the extremes of the values, so that the variance of equal values is 0.
func (g *grouping) variance(a *expr.Agg, v value) (value, error) {
	x := v.e
	if g.inner != nil || ofDistinct(a) || x.Kind != pipeline.Float {
		return value{}, fmt.Errorf("%s has no device form", a)
	}
	count := g.Extreme(pipeline.OpGreater, g.count(x), g.Int(1))
	key := g.Ordered(x)
	least := g.accumulate(pipeline.Min, key, pipeline.Int, math.MaxInt64, math.MinInt64, math.MaxInt64)
	most := g.accumulate(pipeline.Max, key, pipeline.Int, math.MinInt64, math.MinInt64, math.MaxInt64)
	total := g.accumulate(pipeline.Sum, x, pipeline.Float, 0, 0, 0)
	mean, err := g.Quotient(pipeline.OpQuo, total, g.ToFloat(count))
	if err != nil {
		return value{}, err
	}
	mean = g.Extreme(pipeline.OpLess, g.Extreme(pipeline.OpGreater, mean, g.FromOrdered(least)), g.FromOrdered(most))
	difference, err := g.Arith(pipeline.OpSub, x, g.ofGroup(mean))
	if err != nil {
		return value{}, err
	}
	square, err := g.Arith(pipeline.OpMul, difference, difference)
	if err != nil {
		return value{}, err
	}
	return g.spread(a, x, g.secondly(square))
}

// ofGroup returns a value of the groups for a row of the input: that of the row's group.
func (g *grouping) ofGroup(e *pipeline.Expr) *pipeline.Expr {
	slot := g.key
	if g.Program.Indexes[g.index].Hash {
		slot = g.Find(g.index, g.key)
	}
	return g.Replace(e, func(e *pipeline.Expr) *pipeline.Expr {
		if e.Op == pipeline.OpLoad {
			return g.Lookup(e.Column, slot)
		}
		return nil
	})
}

// secondly returns a sum of the second pipeline, as a column of the groups.
func (g *grouping) secondly(e *pipeline.Expr) *pipeline.Expr {
	at := slices.IndexFunc(g.again, func(a pipeline.Acc) bool { return a.Arg == e })
	if at < 0 {
		at = len(g.again)
		c := g.AddColumn(pipeline.Column{Kind: pipeline.Float, Width: 8, Relation: pipeline.None, Size: g.slots})
		g.again = append(g.again, pipeline.Acc{Op: pipeline.Sum, Column: c, Arg: e})
	}
	return g.Load(g.again[at].Column, pipeline.None, false)
}

// spread returns the result for the sum of squares of values x.
func (g *grouping) spread(a *expr.Agg, x, squares *pipeline.Expr) (value, error) {
	count, least := g.count(x), int64(1)
	n := g.Extreme(pipeline.OpGreater, count, g.Int(1))
	if a.Fn == expr.VarSamp || a.Fn == expr.StddevSamp {
		less, err := g.Arith(pipeline.OpSub, n, g.Int(1))
		if err != nil {
			return value{}, err
		}
		least, n = 2, g.Extreme(pipeline.OpGreater, less, g.Int(1))
	}
	e, err := g.Quotient(pipeline.OpQuo, squares, g.ToFloat(n))
	if err != nil {
		return value{}, err
	}
	if a.Fn == expr.StddevPop || a.Fn == expr.StddevSamp {
		e = g.Sqrt(e)
	}
	return value{e: g.If(g.Compare(pipeline.OpGE, count, g.Int(least)), e, g.Null(pipeline.Float))}, nil
}

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

// DISTINCT aggregates group twice: by the keys and the value, and then by the keys over these
// groups, each of which has one value. Aggregates of all rows next to them are computed for the
// first groups and merged for the second ones.

// ofDistinct reports whether an aggregate needs distinct values. MIN and MAX do not, even if they
// are declared DISTINCT.
func ofDistinct(a *expr.Agg) bool { return a.Distinct && a.Fn != expr.Min && a.Fn != expr.Max }

// distinct groups by the keys and the argument of the first DISTINCT aggregate, if there is one. The
// aggregation continues over these groups, whose keys distinct returns.
func (g *grouping) distinct(op *physical.HashAgg, keys []value) ([]value, error) {
	for _, a := range op.Aggs {
		switch {
		case !ofDistinct(a):
		case len(a.Args) != 1:
			return nil, fmt.Errorf("%s has no device form", a)
		case g.of == nil:
			g.of = a.Args[0]
		}
	}
	if g.of == nil {
		return keys, nil
	}
	g.input, g.by = g.f, keys
	inner, at, only, err := g.distinctOf(g.of)
	if err != nil {
		return nil, err
	}
	g.inner, g.f, g.only = inner.grouping, inner.out, only
	return at, nil
}

// distinctGroups are groups by the keys and a value.
type distinctGroups struct {
	*grouping
	out *flow // over them
}

// distinctOf groups the input by the keys and an expression, and returns both for each group.
func (g *grouping) distinctOf(e expr.Expr) (inner distinctGroups, at []value, only *value, err error) {
	x, err := (&grouping{lowering: g.lowering, f: g.input}).keys([]expr.Expr{e})
	if err != nil {
		return inner, nil, nil, err
	}
	f := *g.input
	f.Stages = slices.Clone(f.Stages)
	inner.grouping = &grouping{lowering: g.lowering, f: &f}
	all := append(slices.Clip(g.by), x[0])
	parts, err := inner.pack(all, g.input.est)
	if err != nil {
		return inner, nil, nil, err
	}
	out, values, err := inner.outputs(all, parts, g.input.est)
	if err != nil {
		return inner, nil, nil, err
	}
	inner.out = out
	return inner, values[:len(g.by)], &values[len(g.by)], nil
}

// another returns the grouping that computes a DISTINCT aggregate of another argument than the first one: from
// groups by the keys and that argument, into the slots of g, whose keys have parts.
func (g *grouping) another(a *expr.Agg, parts []part) (*grouping, error) {
	for _, m := range g.more {
		if expr.Equal(m.of, a.Args[0]) {
			return m, nil
		}
	}
	inner, at, only, err := g.distinctOf(a.Args[0])
	if err != nil {
		return nil, err
	}
	m := &grouping{lowering: g.lowering, f: inner.out, inner: inner.grouping, index: g.index, slots: g.slots, unkeyed: g.unkeyed, only: only, of: a.Args[0]}
	own := make([]part, 0, len(parts))
	for i, k := range at {
		pieces, _, err := m.pieces(k.e)
		if err != nil {
			return nil, err
		}
		for _, e := range pieces {
			p, err := newPart(e, true)
			if err != nil {
				return nil, err
			}
			p.key = i
			own = append(own, p)
		}
	}
	if !slices.EqualFunc(own, parts, func(x, y part) bool {
		return x.key == y.key && y.inner == nil && x.least == y.least && x.span == y.span && x.null == y.null
	}) {
		return nil, fmt.Errorf("%s beside distinct values of %s has no device form for keys of this length", a, g.of)
	}
	if m.key, _, err = m.word(own); err != nil {
		return nil, err
	}
	g.more = append(g.more, m)
	return m, nil
}

// partial returns an accumulator of the groups by distinct values. It is NULL for groups without
// values.
func (g *grouping) partial(op pipeline.AccOp, arg *pipeline.Expr, kind pipeline.Kind, init, least, most int64) *pipeline.Expr {
	e := g.inner.accumulate(op, arg, kind, init, least, most)
	if op == pipeline.Min || op == pipeline.Max {
		e = g.inner.orNull(arg, e)
	}
	return e
}

// merged returns the accumulator that merges those of groups.
func merged(op pipeline.AccOp) pipeline.AccOp {
	switch op {
	case pipeline.Min, pipeline.Max, pipeline.BitAnd, pipeline.BitOr, pipeline.BitXor:
		return op
	}
	return pipeline.Sum
}
