package exec

import (
	"errors"
	"sync"

	"gsql/exec/op"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/vec"
)

// gatherRows is the table size from which a streaming chain is worth several goroutines and the
// cost of copying its output between them.
const gatherRows = 200_000

// inOrder makes in return its rows in one stream and in the table's order. A streaming chain on a
// big table is divided among goroutines; the consumer pulls everything else itself.
func inOrder(n *physical.Node, in op.Operator) op.Operator {
	if rows := chainRows(n); rows < gatherRows {
		return in
	}
	return &gather{in: in}
}

// chainRows returns the size of the table below a chain of streaming operators that compute
// something, or 0 if n is not such a chain.
func chainRows(n *physical.Node) int64 {
	computes := false
	for {
		switch x := n.Op.(type) {
		case *physical.Filter:
			computes = true
		case *physical.Project:
			computes = computes || !passesColumns(x)
		case *physical.Scan:
			if !computes && len(x.Preds) == 0 {
				return 0
			}
			st := x.Table.Stats()
			if st.Rows == 0 && !st.Exact {
				return gatherRows
			}
			return st.Rows
		default:
			return 0
		}
		n = n.In[0]
	}
}

func passesColumns(p *physical.Project) bool {
	for _, e := range p.Exprs {
		if _, ok := e.(*expr.Col); !ok {
			return false
		}
	}
	return true
}

// gather runs streams of its input in goroutines and merges their batches by morsel. Each stream
// returns ascending morsels, so the head with the smallest morsel is next.
type gather struct {
	in  op.Operator
	ctx *op.Ctx
}

// Open implements op.Operator.
func (g *gather) Open(ctx *op.Ctx) error {
	g.ctx = ctx
	return g.in.Open(ctx)
}

// Ordered implements op.Operator.
func (g *gather) Ordered() bool { return true }

// Close implements op.Operator.
func (g *gather) Close() error { return g.in.Close() }

// Stream implements op.Operator.
func (g *gather) Stream() (op.Stream, error) {
	if g.ctx.Workers <= 1 || g.in.Ordered() {
		return g.in.Stream()
	}
	s := &gathering{ctx: g.ctx, quit: make(chan struct{})}
	for range g.ctx.Workers {
		in, err := g.in.Stream()
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.start(in)
	}
	return s, nil
}

// gatherDepth is the number of batches by which a worker may be ahead of the consumer.
const gatherDepth = 16

// gathering is the merged stream of a gather.
type gathering struct {
	ctx     *op.Ctx
	workers []*producer
	quit    chan struct{}
	running sync.WaitGroup
	last    *producer // its head was the last batch returned
}

// producer pulls one stream of the input in its own goroutine.
type producer struct {
	full chan *vec.Batch // closed at the end or after an error
	free chan *vec.Batch
	err  error // read after full is closed
	head *vec.Batch
	done bool
}

func (s *gathering) start(in op.Stream) {
	p := &producer{full: make(chan *vec.Batch, gatherDepth), free: make(chan *vec.Batch, gatherDepth+1)}
	s.workers = append(s.workers, p)
	s.running.Add(1)
	go func() {
		defer s.running.Done()
		defer close(p.full)
		p.err = op.Guard(func() error { return errors.Join(p.pump(s.ctx, in, s.quit), in.Close()) })
	}()
}

func (p *producer) pump(ctx *op.Ctx, in op.Stream, quit chan struct{}) error {
	for {
		b, err := in.Next()
		if b == nil || err != nil {
			return err
		}
		var spare *vec.Batch
		select {
		case spare = <-p.free:
		default:
		}
		select {
		case p.full <- cloneBatch(spare, b):
		case <-quit:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Next implements op.Stream.
func (s *gathering) Next() (*vec.Batch, error) {
	if p := s.last; p != nil {
		s.last = nil
		select {
		case p.free <- p.head:
		default:
		}
		p.head = nil
	}
	var first *producer
	for _, p := range s.workers {
		if err := s.fill(p); err != nil {
			return nil, err
		}
		if p.head != nil && (first == nil || p.head.Morsel < first.head.Morsel) {
			first = p
		}
	}
	if first == nil {
		return nil, nil
	}
	s.last = first
	return first.head, nil
}

// fill waits for the worker's next batch or for its end.
func (s *gathering) fill(p *producer) error {
	if p.head != nil || p.done {
		return nil
	}
	select {
	case b, ok := <-p.full:
		if !ok {
			p.done = true
			return p.err
		}
		p.head = b
		return nil
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
}

// Close implements op.Stream. It stops the workers and waits for them.
func (s *gathering) Close() error {
	close(s.quit)
	s.running.Wait()
	return nil
}
