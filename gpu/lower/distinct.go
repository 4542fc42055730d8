package lower

import (
	"fmt"

	"gsql/gpu/pipeline"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// DISTINCT aggregates group twice: by the keys and the value, and then by the keys over these
// groups, each of which has one value. Aggregates of all rows next to them are computed for the
// first groups and merged for the second ones.

// ofDistinct reports whether an aggregate needs distinct values. MIN and MAX do not, even if they
// are declared DISTINCT.
func ofDistinct(a *expr.Agg) bool { return a.Distinct && a.Fn != expr.Min && a.Fn != expr.Max }

// distinct groups by the keys and the argument of the DISTINCT aggregates, if there are any, which
// must all have the same argument. The aggregation continues over these groups, whose keys distinct
// returns.
func (g *grouping) distinct(op *physical.HashAgg, keys []value) ([]value, error) {
	var first *expr.Agg
	for _, a := range op.Aggs {
		switch {
		case !ofDistinct(a):
		case len(a.Args) != 1 || first != nil && !expr.Equal(a.Args[0], first.Args[0]):
			return nil, fmt.Errorf("%s beside %s has no device form", first, a)
		case first == nil:
			first = a
		}
	}
	if first == nil {
		return keys, nil
	}
	x, err := g.keys(first.Args)
	if err != nil {
		return nil, err
	}
	g.inner = &grouping{lowering: g.lowering, f: g.f}
	all := append(keys, x[0])
	parts, err := g.inner.pack(all, g.f.est)
	if err != nil {
		return nil, err
	}
	out, at, err := g.inner.outputs(all, parts, g.f.est)
	if err != nil {
		return nil, err
	}
	g.f, g.only = out, &at[len(keys)]
	return at[:len(keys)], nil
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
