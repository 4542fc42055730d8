package window

import (
	"gsql/exec/accum"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// newEvaluator makes the evaluator of a function; frame is nil if the function has none.
func newEvaluator(o *Operator, f *function, frame *frame) evaluator {
	out := o.out[f.out]
	switch f.Fn {
	case expr.Lag:
		return &shifted{o: o, by: -f.N, out: out}
	case expr.Lead:
		return &shifted{o: o, by: f.N, out: out}
	case expr.FirstValue, expr.LastValue, expr.NthValue:
		nth := f.N
		if f.Fn == expr.FirstValue {
			nth = 1
		}
		return &chosen{o: o, fn: f.Fn, nth: nth, out: out}
	case expr.WindowAgg:
		return newAggregate(o, f, frame, out)
	}
	return &rank{fn: f.Fn, buckets: f.N, out: out}
}

func newAggregate(o *Operator, f *function, frame *frame, out *result) evaluator {
	if f.Agg == expr.CountStar {
		return &frameSizes{out: out}
	}
	in := input{o: o, v: o.cols[f.arg]}
	in.allNull = in.v.Type.Kind() == types.KindNull
	switch f.Agg {
	case expr.Count:
		return over[int64](o, counts{in, out}, frame, out)
	case expr.Min, expr.Max:
		if o.view != nil {
			return overBests(o, in, f.Agg == expr.Max, frame, out)
		}
		return over[int32](o, extremes{in, f.Agg == expr.Max, out}, frame, out)
	case expr.BitAnd, expr.BitOr:
		return over[uint64](o, unions{in, f.Agg == expr.BitAnd, out}, frame, out)
	case expr.BitXor:
		return over[uint64](o, parities{in, out}, frame, out)
	case expr.Sum, expr.Avg:
		if in.v.Type.Kind() == types.KindF64 {
			return over[floatSum](o, floatSums{in, f.Agg == expr.Avg, f, out}, frame, out)
		}
		return over[exactSum](o, exactSums{in, f.Agg == expr.Avg, accum.AveragingOf(f.T, in.v.Type), f.String(), out}, frame, out)
	}
	return over[moments](o, variances{in, f.Agg, out}, frame, out)
}

// over chooses the algorithm for an aggregate by how its frames move along a partition.
func over[S any](o *Operator, f fold[S], frame *frame, out *result) evaluator {
	toEnd := frame.End.Kind == expr.UnboundedFollowing
	switch {
	case frame.Start.Kind == expr.UnboundedPreceding:
		return &growing[S]{f: f, o: o, out: out}
	case toEnd && o.view == nil:
		return &shrinking[S]{f: f, o: o, out: out}
	}
	if d, ok := f.(dropping[S]); ok {
		return &sliding[S]{f: d, o: o, out: out}
	}
	if toEnd {
		return &suffixes[S]{f: f, o: o, out: out, starts: newList[S](o.view.r.pool, o.ctx.Spill)}
	}
	return &tree[S]{f: f, o: o, out: out}
}

// frameSizes is COUNT(*).
type frameSizes struct{ out *result }

func (c *frameSizes) begin(*partition) error { return nil }
func (c *frameSizes) backwards() bool        { return false }
func (c *frameSizes) free()                  {}

func (c *frameSizes) rows(p *partition, lo, hi int, f *frames) error {
	for i := lo; i < hi; i++ {
		c.out.flat.I64[i-p.base] = int64(f.to[i-lo] - f.from[i-lo])
	}
	return nil
}
