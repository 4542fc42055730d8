package exec

import (
	"errors"

	"gsql/exec/agg"
	"gsql/exec/op"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// newSetOp builds UNION ALL as a concatenation. The other operations are aggregations over it:
// they compute the distinct rows and, where it matters, how often each occurs on either side.
func newSetOp(n *physical.Node, l, r op.Operator) (op.Operator, error) {
	plan := n.Op.(*physical.SetOp)
	u := &union{l: l, r: r}
	if plan.Set == logical.Union && plan.All {
		return u, nil
	}
	keys := make([]expr.Expr, len(n.Cols))
	for i, c := range n.Cols {
		keys[i] = c.Ref()
	}
	if plan.Set == logical.Union {
		return agg.New(aggNode(n.Cols, keys, nil), u)
	}
	u.tag = true
	tags := sideColumns(n.Cols)
	all := append(n.Cols[:len(n.Cols):len(n.Cols)], tags...)
	counts := make([]*expr.Agg, len(tags))
	for i, t := range tags {
		counts[i] = &expr.Agg{Fn: expr.Count, Args: []expr.Expr{t.Ref()}, T: types.T(types.Int64)}
	}
	groups, err := agg.New(aggNode(all, keys, counts), u)
	return &multiset{groups: groups, set: plan.Set, all: plan.All}, err
}

// aggNode returns the plan of an aggregation whose input has the columns in.
func aggNode(in []logical.Column, keys []expr.Expr, aggs []*expr.Agg) *physical.Node {
	return &physical.Node{Op: &physical.HashAgg{Keys: keys, Aggs: aggs}, Device: physical.CPU,
		In: []*physical.Node{{Cols: in}}, Cols: in}
}

// sideColumns returns two columns with new ids. The first is not NULL in the rows of the left
// side, the second in those of the right side.
func sideColumns(cols []logical.Column) []logical.Column {
	id := expr.ColID(0)
	for _, c := range cols {
		id = max(id, c.ID)
	}
	t := types.T(types.Int64)
	return []logical.Column{{ID: id + 1, Name: "left", T: t}, {ID: id + 2, Name: "right", T: t}}
}

// union concatenates its inputs. With tag, it adds the two columns of sideColumns.
type union struct {
	l, r op.Operator
	ctx  *op.Ctx
	tag  bool
}

// Open implements op.Operator.
func (u *union) Open(ctx *op.Ctx) error {
	u.ctx = ctx
	if err := u.l.Open(ctx); err != nil {
		return err
	}
	return u.r.Open(ctx)
}

// Ordered implements op.Operator. If only one stream can be made of either input, the same holds
// for the union.
func (u *union) Ordered() bool { return u.l.Ordered() || u.r.Ordered() }

// Stream implements op.Operator.
func (u *union) Stream() (op.Stream, error) { return &unioning{u: u}, nil }

// Close implements op.Operator.
func (u *union) Close() error { return errors.Join(u.l.Close(), u.r.Close()) }

// unioning is a stream of the left rows followed by the right ones.
type unioning struct {
	u     *union
	s     op.Stream
	side  int
	batch vec.Batch
}

// Next implements op.Stream.
func (s *unioning) Next() (*vec.Batch, error) {
	for ; s.side < 2; s.side++ {
		if s.s == nil {
			in, err := [2]op.Operator{s.u.l, s.u.r}[s.side].Stream()
			if err != nil {
				return nil, err
			}
			s.s = in
		}
		b, err := s.s.Next()
		if err != nil {
			return nil, err
		}
		if b != nil {
			return s.pass(b), nil
		}
		if err := s.Close(); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// pass returns the batch without its morsel, which means nothing across sides.
func (s *unioning) pass(b *vec.Batch) *vec.Batch {
	s.batch.N = b.N
	s.batch.Cols = append(s.batch.Cols[:0], b.Cols...)
	if s.u.tag {
		one, null := vec.NewFlat(types.T(types.Int64), 1), vec.NewNull(types.T(types.Int64), b.N)
		one.Form, one.N, one.I64[0] = vec.Const, b.N, 1
		if s.side == 0 {
			s.batch.Cols = append(s.batch.Cols, one, null)
		} else {
			s.batch.Cols = append(s.batch.Cols, null, one)
		}
	}
	return &s.batch
}

// Close implements op.Stream.
func (s *unioning) Close() error {
	if s.s == nil {
		return nil
	}
	err := s.s.Close()
	s.s = nil
	return err
}

// multiset returns each distinct row as often as EXCEPT or INTERSECT requires. The last two
// columns of its input are the numbers of left and right rows.
type multiset struct {
	groups op.Operator
	set    logical.SetKind
	all    bool
}

// Open implements op.Operator.
func (m *multiset) Open(ctx *op.Ctx) error { return m.groups.Open(ctx) }

// Ordered implements op.Operator.
func (m *multiset) Ordered() bool { return m.groups.Ordered() }

// Close implements op.Operator.
func (m *multiset) Close() error { return m.groups.Close() }

// Stream implements op.Operator.
func (m *multiset) Stream() (op.Stream, error) {
	s, err := m.groups.Stream()
	return &repeating{Stream: s, m: m}, err
}

type repeating struct {
	op.Stream
	m   *multiset
	idx []int32
}

// Next implements op.Stream. For a row that is repeated very often, the batch is large in indexes
// but not in values.
func (s *repeating) Next() (*vec.Batch, error) {
	for {
		b, err := s.Stream.Next()
		if b == nil || err != nil {
			return nil, err
		}
		k := len(b.Cols) - 2
		l, r := b.Cols[k].Flatten(nil).I64, b.Cols[k+1].Flatten(nil).I64
		s.idx = s.idx[:0]
		for i := range b.N {
			for range s.m.times(l[i], r[i]) {
				s.idx = append(s.idx, int32(i))
			}
		}
		if len(s.idx) > 0 {
			return vec.Select(&vec.Batch{Cols: b.Cols[:k], N: b.N}, s.idx), nil
		}
	}
}

// times returns how often a row that occurs l times on the left and r times on the right occurs
// in the result.
func (m *multiset) times(l, r int64) int64 {
	switch {
	case m.set == logical.Intersect && m.all:
		return min(l, r)
	case m.set == logical.Intersect:
		return min(l, r, 1)
	case m.all:
		return max(l-r, 0)
	case r > 0:
		return 0
	}
	return min(l, 1)
}
