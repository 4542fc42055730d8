package exec

import (
	"gsql/exec/op"
	"gsql/planner/physical"
	"gsql/sql/vec"
)

// limit passes Count rows after the first Offset and then stops its input. It keeps the order of
// its input, so that LIMIT without ORDER BY returns the same rows every time.
type limit struct {
	plan *physical.Limit
	in   op.Operator
	ctx  *op.Ctx
}

func newLimit(b *Inputs, n *physical.Node) (op.Operator, error) {
	in, err := b.Build(n.In[0])
	if err != nil {
		return nil, err
	}
	return &limit{plan: n.Op.(*physical.Limit), in: inOrder(n.In[0], in)}, nil
}

// Open implements op.Operator.
func (l *limit) Open(ctx *op.Ctx) error {
	l.ctx = ctx
	return l.in.Open(ctx)
}

// Ordered implements op.Operator.
func (l *limit) Ordered() bool { return true }

// Stream implements op.Operator.
func (l *limit) Stream() (op.Stream, error) {
	s, err := l.in.Stream()
	if err != nil {
		return nil, err
	}
	return &limiting{s, l.plan.Offset, l.plan.Count}, nil
}

// Close implements op.Operator.
func (l *limit) Close() error { return l.in.Close() }

type limiting struct {
	op.Stream
	skip int64
	left int64 // negative: no limit
}

// Next implements op.Stream.
func (l *limiting) Next() (*vec.Batch, error) {
	for l.left != 0 {
		b, err := l.Stream.Next()
		if b == nil || err != nil {
			return nil, err
		}
		from, to := min(l.skip, int64(b.N)), int64(b.N)
		l.skip -= from
		if l.left >= 0 {
			to = from + min(to-from, l.left)
			l.left -= to - from
		}
		switch {
		case from == 0 && to == int64(b.N):
			return b, nil
		case from < to:
			return b.Slice(int(from), int(to)), nil
		}
	}
	return nil, nil
}
