package lower

import (
	"errors"
	"math"
	"slices"

	"gsql/gpu/pipeline"
	"gsql/planner/physical"
)

// The rows that an order with a limit needs are found among others by a sample: those up to the sample's
// word of the limit's rank are enough. Where they are still many, they are written, and sampled again.

const (
	// sampled is the expected number of rows of a sample, half of those that it has space for.
	sampled = pipeline.BoundWords / 2
	// fewRows are ordered at once.
	fewRows = 2048
	// topMost is the largest limit for which samples drop most of the rows.
	topMost = sampled / 4
)

// sort returns a flow with an order, and without most of the rows that a limit drops.
func (l ordered) sort(n *physical.Node, op *physical.Sort) (*flow, error) {
	f, err := l.input(n.In[0])
	if err != nil {
		return nil, err
	}
	digits, err := l.digits(f.env, op.Keys)
	if err != nil {
		return nil, err
	}
	need := op.Limit + op.Offset
	drops := op.Limit >= 0 && need > 0 && need <= topMost && f.est > fewRows
	if drops { // of rows with equal keys, the limit needs but some
		digits = append(digits, l.Row(pipeline.None, f.Rows, false))
	}
	if len(digits) == 0 && op.Limit < 0 { // all keys are constants: any order of all rows
		return f, nil
	}
	p, err := l.packed(digits)
	if err != nil {
		return nil, err
	}
	f.order = &ordering{words: p.words, limit: op.Limit, offset: op.Offset, kept: f.est}
	if !drops {
		return f, nil
	}
	return l.bounded(f, n.In[0], p.lead, need)
}

// bounded drops rows of a flow of n's until few more are expected than an order needs, whose first word is
// lead if all of its digits but the first are 0.
func (l ordered) bounded(f *flow, n *physical.Node, lead *pipeline.Expr, need int64) (_ *flow, err error) {
	for order := f.order; order.kept > fewRows && order.kept > 2*float64(need); {
		sample := int64(order.kept * l.factor / sampled)
		if sample < 4 && len(f.Stages) > 0 { // another run of the stages would cost more than writing their rows
			if f, err = l.rewritten(f, n, order.kept); err != nil {
				return nil, err
			}
			lead = nil
		}
		l.bound(f, lead, need, sample)
		if order.kept > fewRows {
			if f, err = l.rewritten(f, n, order.kept); err != nil {
				return nil, err
			}
			lead = nil
		}
	}
	return f, nil
}

// bound adds the pipelines that find bounds by samples: of the first word, of the second among the rows
// whose first word is the bound, and so on; and the predicates that drop rows beyond them. The first one
// needs but the first digit of the order.
func (l ordered) bound(f *flow, lead *pipeline.Expr, need, sample int64) {
	order := f.order
	keeps := max(float64(need), order.kept*float64(need)/min(order.kept, sampled)) / order.kept
	order.kept *= keeps
	limits, stages := make([]*pipeline.Expr, len(order.words)), f.Stages
	for i, word := range order.words {
		if i > 0 {
			same := l.Compare(pipeline.OpEQ, order.words[i-1], limits[i-1])
			stages = append(slices.Clip(stages), pipeline.Stage{Pred: same, Selectivity: keeps})
		}
		p := f.Pipeline
		p.Stages, p.Sample = slices.Clone(stages), sample
		limits[i] = l.ranked(p, word, need)
	}
	if lead != nil && lead != order.words[0] {
		before := min(1, 2*keeps)
		f.Stages = append(f.Stages, pipeline.Stage{Pred: l.Compare(pipeline.OpLE, lead, limits[0]), Selectivity: before})
		keeps /= before
	}
	f.Stages = append(f.Stages, pipeline.Stage{Pred: l.within(order.words, limits), Selectivity: keeps})
}

// ranked ends a pipeline in the words of its rows, and returns the one of a rank.
func (l ordered) ranked(p pipeline.Pipeline, word *pipeline.Expr, need int64) *pipeline.Expr {
	words, count := l.array(8, pipeline.BoundWords, 0, word.Min, word.Max), l.array(4, 1, 0, 0, 1<<32-1)
	p.Sink = pipeline.Sink{Op: pipeline.Write, Count: count, Partial: true, Stores: []pipeline.Store{{Column: words, Expr: word}}}
	to := l.array(8, 1, 0, math.MinInt64, math.MaxInt64)
	l.Program.Pipelines = append(l.Program.Pipelines, p, pipeline.Pipeline{
		Name: "bound of " + p.Name, Rows: 1, Counted: pipeline.None,
		Bound: &pipeline.Bound{Words: words, Count: count, To: to, Need: need},
	})
	return l.Lookup(to, l.Int(0))
}

// within reports whether words are not after limits.
func (l ordered) within(words, limits []*pipeline.Expr) *pipeline.Expr {
	if len(words) == 1 {
		return l.Compare(pipeline.OpLE, words[0], limits[0])
	}
	same := l.Compare(pipeline.OpEQ, words[0], limits[0])
	return l.Or(l.Compare(pipeline.OpLT, words[0], limits[0]), l.And(same, l.within(words[1:], limits[1:])))
}

// limit returns a flow of which the host gets some rows.
func (l *lowering) limit(n *physical.Node, op *physical.Limit) (*flow, error) {
	f, err := l.node(n.In[0])
	switch {
	case err != nil:
		return nil, err
	case op.Count < 0:
		return nil, errors.New("OFFSET alone has no device form")
	case f.order == nil:
		f.order = &ordering{limit: op.Count, offset: op.Offset, kept: min(f.est, float64(op.Count+op.Offset))}
	case f.order.limit >= 0:
		return nil, errors.New("a limit of another has no device form")
	default:
		f.order.limit, f.order.offset = op.Count, op.Offset
		f.order.kept = f.est
	}
	return f, nil
}

// input returns the flow of an input whose rows may be in any order.
func (l *lowering) input(n *physical.Node) (*flow, error) {
	f, err := l.node(n)
	if err != nil || f.order == nil {
		return f, err
	}
	if f.order.limit >= 0 {
		name, _ := n.Op.Describe()
		return nil, &Refusal{n, name + " below another operator has no device form"}
	}
	f.order = nil
	return f, nil
}
