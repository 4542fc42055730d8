package exec

import (
	"errors"
	"sync"
	"sync/atomic"

	"gsql/exec/colstore"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// sharedPlans holds the subplans of one execution that several operators read, by number.
type sharedPlans map[int]*sharedPlan

func (s *sharedPlans) plan(id int) *sharedPlan {
	if *s == nil {
		*s = sharedPlans{}
	}
	if (*s)[id] == nil {
		(*s)[id] = &sharedPlan{}
	}
	return (*s)[id]
}

// sharedPlan computes a subplan when its first reader is opened, and keeps the rows.
type sharedPlan struct {
	node   *physical.Node // the subplan
	inputs *Inputs        // to build it again
	users  int            // readers not yet closed

	once    sync.Once
	err     error
	account *mem.Account
	in      op.Operator // kept open: rows may refer to its memory
	store   *colstore.Store
	rows    vec.Batch
	refused bool // the rows did not fit in memory
}

// open computes the rows. It gives them up if they do not fit in memory or take more than they
// leave to other operators.
func (p *sharedPlan) open(ctx *op.Ctx) error {
	p.once.Do(func() {
		p.err = p.compute(ctx)
		if errors.Is(p.err, sqlerr.OutOfMemory) || p.err == nil && p.account.Used() > p.account.Left() {
			p.refused, p.err = true, p.free()
		}
	})
	return p.err
}

func (p *sharedPlan) compute(ctx *op.Ctx) (err error) {
	if err := p.in.Open(ctx); err != nil {
		return err
	}
	ts := make([]types.Type, len(p.node.Cols))
	for i, c := range p.node.Cols {
		ts[i] = c.T
	}
	p.account = ctx.Mem.Child("Shared")
	stores := make([]*colstore.Store, max(ctx.Workers, 1))
	for i := range stores {
		stores[i] = colstore.New(ts, p.account)
	}
	err = op.Each(ctx, p.in, func(w int, b *vec.Batch) error { return stores[w].Append(b) })
	if err != nil {
		for _, s := range stores {
			s.Free()
		}
		return err
	}
	if p.store, err = colstore.Concat(ctx, stores...); err != nil {
		return err
	}
	p.rows.Cols, p.rows.N = p.store.Columns(), p.store.Rows()
	for _, c := range p.rows.Cols {
		c.Fixed = true
	}
	return nil
}

// leave frees the rows when the last reader is closed.
func (p *sharedPlan) leave() error {
	if p.users--; p.users > 0 {
		return nil
	}
	return p.free()
}

func (p *sharedPlan) free() error {
	p.store.Free()
	p.store = nil
	if p.in == nil {
		return nil
	}
	in := p.in
	p.in = nil
	return in.Close()
}

// shared is one reader of a shared subplan; its streams share a cursor.
type shared struct {
	plan   *sharedPlan
	at     []int // columns of the subplan
	ctx    *op.Ctx
	cursor atomic.Int64
	own    op.Operator // the subplan built again, if its rows are not kept
}

func newShared(b *Inputs, n *physical.Node) (op.Operator, error) {
	o := n.Op.(*physical.Shared)
	s := &shared{plan: b.shared.plan(o.ID), at: o.At}
	s.plan.users++
	if len(n.In) == 0 {
		return s, nil
	}
	for i := range n.Cols {
		s.at = append(s.at, i)
	}
	if s.plan.node != nil { // inside another shared subplan that is built again
		return s, nil
	}
	s.plan.node, s.plan.inputs = n.In[0], b
	var err error
	s.plan.in, err = b.Build(n.In[0])
	return s, err
}

// Open implements op.Operator.
func (s *shared) Open(ctx *op.Ctx) (err error) {
	s.ctx = ctx
	if err := s.plan.open(ctx); err != nil || !s.plan.refused {
		return err
	}
	if s.own, err = s.plan.inputs.Build(s.plan.node); err != nil {
		return err
	}
	return s.own.Open(ctx)
}

// Ordered implements op.Operator.
func (s *shared) Ordered() bool { return s.own != nil && s.own.Ordered() }

// Stream implements op.Operator.
func (s *shared) Stream() (op.Stream, error) {
	out := &sharedStream{s: s}
	out.batch.Cols = make([]*vec.Vector, len(s.at))
	if s.own == nil {
		return out, nil
	}
	var err error
	out.own, err = s.own.Stream()
	return out, err
}

// Close implements op.Operator.
func (s *shared) Close() error {
	err := s.plan.leave()
	if s.own != nil {
		err = errors.Join(err, s.own.Close())
	}
	return err
}

// sharedStream returns the kept rows, or recomputes them.
type sharedStream struct {
	s     *shared
	own   op.Stream
	batch vec.Batch
}

// Next implements op.Stream.
func (t *sharedStream) Next() (*vec.Batch, error) {
	if err := t.s.ctx.Err(); err != nil {
		return nil, err
	}
	if t.own != nil {
		b, err := t.own.Next()
		if b == nil || err != nil {
			return nil, err
		}
		t.batch.N, t.batch.Morsel = b.N, b.Morsel
		for i, at := range t.s.at {
			t.batch.Cols[i] = b.Cols[at]
		}
		return &t.batch, nil
	}
	rows, n := &t.s.plan.rows, int64(t.s.ctx.Rows())
	to := t.s.cursor.Add(n)
	from := to - n
	if from >= int64(rows.N) {
		return nil, nil
	}
	to = min(to, int64(rows.N))
	t.batch.N = int(to - from)
	for i, at := range t.s.at {
		t.batch.Cols[i] = rows.Cols[at].Slice(int(from), int(to))
	}
	return &t.batch, nil
}

// Close implements op.Stream.
func (t *sharedStream) Close() error {
	if t.own != nil {
		return t.own.Close()
	}
	return nil
}
