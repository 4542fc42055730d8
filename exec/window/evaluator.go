package window

import (
	"gsql/sql/expr"
	"gsql/sql/types"
)

// newEvaluator makes the evaluator of a function; frame is nil where it has none.
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
		return &chosen{o: o, fn: f.Fn, nth: nth, out: out, id: f.out, frame: frame}
	case expr.WindowAgg:
		return newAggregate(o, f, frame, out)
	}
	return &rank{fn: f.Fn, buckets: f.N, out: out}
}

func newAggregate(o *Operator, f *function, frame *frame, out *result) evaluator {
	if f.Agg == expr.CountStar {
		return &frameSizes{out: out, frame: frame}
	}
	in := input{o: o, v: o.cols[f.arg]}
	in.allNull = in.v.Type.Kind() == types.KindNull
	switch f.Agg {
	case expr.Count:
		return over[int64](o, f, counts{in, out}, frame, out)
	case expr.Min, expr.Max:
		return over[int32](o, f, extremes{in, f.Agg == expr.Max, out}, frame, out)
	case expr.BitAnd, expr.BitOr:
		return over[uint64](o, f, unions{in, f.Agg == expr.BitAnd, out}, frame, out)
	case expr.BitXor:
		return over[uint64](o, f, parities{in, out}, frame, out)
	case expr.Sum, expr.Avg:
		if in.v.Type.Kind() == types.KindF64 {
			return over[floatSum](o, f, floatSums{in, f.Agg == expr.Avg, out}, frame, out)
		}
		return over[exactSum](o, f, exactSums{in, f.Agg == expr.Avg, f.String(), out}, frame, out)
	}
	return over[moments](o, f, variances{in, f.Agg, out}, frame, out)
}

// over chooses the algorithm for an aggregate by what its frames do along a partition.
func over[S any](o *Operator, fn *function, f fold[S], frame *frame, out *result) evaluator {
	switch {
	case frame.Start.Kind == expr.UnboundedPreceding:
		return &growing[S]{f: f, o: o, out: out, id: fn.out, whole: frame.End.Kind == expr.UnboundedFollowing}
	case frame.End.Kind == expr.UnboundedFollowing:
		return &shrinking[S]{f: f, o: o, out: out, id: fn.out}
	}
	if d, ok := f.(dropping[S]); ok {
		return &sliding[S]{f: d, o: o, out: out}
	}
	return &tree[S]{f: f, o: o, out: out}
}

// frameSizes is COUNT(*).
type frameSizes struct {
	out   *result
	frame *frame
}

func (c *frameSizes) begin(*partition) error { return nil }
func (c *frameSizes) backwards() bool        { return false }
func (c *frameSizes) free()                  {}

func (c *frameSizes) rows(p *partition, lo, hi int, f *frames) error {
	more := 0
	if c.frame.Start.Kind == expr.UnboundedPreceding {
		more = p.before
	}
	if c.frame.End.Kind == expr.UnboundedFollowing {
		more += p.size() - p.before - (p.hi - p.lo)
	}
	for i := lo; i < hi; i++ {
		c.out.flat.I64[i] = int64(int(f.to[i-lo]-f.from[i-lo]) + more)
	}
	return nil
}
