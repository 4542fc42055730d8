package exec

import (
	"gsql/exec/op"
	"gsql/planner/physical"
	"gsql/sql/eval"
	"gsql/sql/vec"
)

// filter keeps the rows that satisfy all predicates.
type filter struct {
	in     op.Operator
	filter *eval.Filter
	ctx    *op.Ctx
}

func newFilter(n *physical.Node, in op.Operator) (*filter, error) {
	f, err := eval.CompileFilter(n.Op.(*physical.Filter).Preds, colIDs(n.In[0]))
	return &filter{in: in, filter: f}, err
}

// Open implements op.Operator.
func (f *filter) Open(ctx *op.Ctx) error {
	f.ctx = ctx
	return f.in.Open(ctx)
}

// AllowNarrow implements op.Narrowing.
func (f *filter) AllowNarrow() { op.AllowNarrow(f.in) }

// Ordered implements op.Operator.
func (f *filter) Ordered() bool { return f.in.Ordered() }

// Stream implements op.Operator.
func (f *filter) Stream() (op.Stream, error) {
	s, err := f.in.Stream()
	if err != nil {
		return nil, err
	}
	return newFiltering(f.ctx, s, f.filter), nil
}

// Close implements op.Operator.
func (f *filter) Close() error { return f.in.Close() }

// filtering is a stream of views of the rows that a filter selects.
type filtering struct {
	op.Stream
	ctx  *op.Ctx
	eval *eval.FilterEvaluator
	rows vec.Selector
}

func newFiltering(ctx *op.Ctx, s op.Stream, f *eval.Filter) *filtering {
	return &filtering{Stream: s, ctx: ctx, eval: f.NewEvaluator(ctx.Eval)}
}

// Close implements op.Stream.
func (f *filtering) Close() error {
	f.eval.Free()
	return f.Stream.Close()
}

// Next implements op.Stream.
func (f *filtering) Next() (*vec.Batch, error) {
	for {
		if err := f.ctx.Err(); err != nil {
			return nil, err
		}
		b, err := f.Stream.Next()
		if b == nil || err != nil {
			return nil, err
		}
		idx, all, err := f.eval.Select(b)
		switch {
		case err != nil:
			return nil, err
		case all:
			return b, nil
		case len(idx) > 0:
			return f.rows.Select(b, idx), nil
		}
	}
}
