// Package progress estimates how far the execution of a plan is. The work of an operator is its price; how much of
// it is done follows from the rows that it has read and returned, beside the rows that the planner expects.
package progress

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"gsql/exec/op"
	"gsql/exec/spill"
	"gsql/planner/physical"
	"gsql/sql/vec"
)

// most is the greatest share that a plan reports before it has ended.
const most = 0.99

// Plan follows the execution of a plan. All methods are safe for concurrent use.
type Plan struct {
	nodes []*node // inputs before their consumers
	byID  map[int]*node
	total float64
	space *spill.Space

	mu      sync.Mutex
	began   time.Time
	reached float64 // the largest share so far
}

// node is an operator of the plan.
type node struct {
	price  float64 // in milliseconds
	expect float64 // rows
	source float64 // rows of the table that it scans; 0 for none
	in     []*node

	rows, read     atomic.Int64 // returned, and read from a table
	streams, ended atomic.Int64

	// What at finds, under the lock of the plan.
	flows    bool // it returns rows before it has read its inputs to their end
	ready    time.Time
	consumed float64
	produced float64
}

// New returns the progress of a plan that is about to run. space is where it spills; it may be nil.
func New(root *physical.Node, space *spill.Space) *Plan {
	p := &Plan{byID: map[int]*node{}, space: space, began: time.Now()}
	p.add(root)
	return p
}

func (p *Plan) add(n *physical.Node) *node {
	x := &node{price: max(n.Est.CostMS, 0), expect: n.Est.Rows}
	for _, in := range n.In {
		x.in = append(x.in, p.add(in))
	}
	if s, ok := n.Op.(*physical.Scan); ok {
		x.source = float64(s.Table.Stats().Rows)
	}
	p.nodes, p.byID[n.ID] = append(p.nodes, x), x
	p.total += x.price
	return x
}

// Wrap returns an operator that also counts the rows of the node that it belongs to. A nil plan returns the operator.
func (p *Plan) Wrap(n *physical.Node, o op.Operator) op.Operator {
	if p == nil || p.byID[n.ID] == nil {
		return o
	}
	return &counted{o, p.byID[n.ID]}
}

// Spilled returns the number of bytes that the plan has written to temporary files.
func (p *Plan) Spilled() int64 {
	if p.space == nil {
		return 0
	}
	return p.space.Written()
}

// Done returns the share of the work that has been done. It never falls, and is at most 0.99.
func (p *Plan) Done() float64 { return p.at(time.Now()) }

// at returns the share of the work that has been done at a time.
func (p *Plan) at(now time.Time) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.total <= 0 {
		return 0
	}
	pace := p.pace(now)
	done := 0.0
	for _, n := range p.nodes {
		done += n.price / p.total * n.share(now, pace)
	}
	p.reached = max(p.reached, min(done, most))
	return p.reached
}

// pace returns how much time a millisecond of price has taken so far.
func (p *Plan) pace(now time.Time) float64 {
	if work := p.reached * p.total; work > 0 {
		return float64(now.Sub(p.began).Milliseconds()) / work
	}
	return 1
}

// share returns how much of an operator's work is done, after its inputs have been looked at. An operator that reads its
// inputs to their end before it returns a row does a third of its work while it reads, a third between, which is
// estimated from the time alone, and a third while it returns rows.
func (n *node) share(now time.Time, pace float64) float64 {
	ended, rows := n.streams.Load() > 0 && n.ended.Load() >= n.streams.Load(), n.rows.Load()
	read, last := n.inputs()
	n.consumed = read
	switch {
	case ended:
		n.consumed, n.produced = 1, 1
		return 1
	case len(n.in) == 0:
		n.produced = n.consumed
		return n.consumed
	case read < 1:
		n.flows = n.flows || rows > 0
		n.produced = 0
		if n.flows {
			n.produced = last
			return last
		}
		return read / 3
	}
	if n.flows {
		n.produced = most
		return most
	}
	if n.ready.IsZero() {
		n.ready = now
	}
	if rows == 0 {
		n.produced = 0
		waited := float64(now.Sub(n.ready).Milliseconds())
		return (1 + min(waited/max(n.price/3*pace, 1), 0.9)) / 3
	}
	n.produced = min(float64(rows)/max(n.expect, 1), most)
	return (2 + n.produced) / 3
}

// inputs returns how much of all inputs of an operator has been read, and how much of the one that is read last.
func (n *node) inputs() (all, last float64) {
	if len(n.in) == 0 {
		if n.source > 0 {
			all = min(float64(n.read.Load())/n.source, most)
		} else {
			all = min(float64(n.rows.Load())/max(n.expect, 1), most)
		}
		return all, all
	}
	last = 1
	weights := 0.0
	for _, in := range n.in {
		w := 1 + in.expect
		weights += w
		all += w * in.produced
		last = math.Min(last, in.produced)
	}
	return all / weights, last
}

// counted is an operator whose rows are counted.
type counted struct {
	op.Operator
	n *node
}

// Open implements op.Operator.
func (c *counted) Open(ctx *op.Ctx) error {
	own := *ctx
	own.SourceRows = &c.n.read
	return c.Operator.Open(&own)
}

// AllowNarrow implements op.Narrowing.
func (c *counted) AllowNarrow() { op.AllowNarrow(c.Operator) }

// AllowPassing implements op.Passing.
func (c *counted) AllowPassing() { op.AllowPassing(c.Operator) }

// Stream implements op.Operator.
func (c *counted) Stream() (op.Stream, error) {
	s, err := c.Operator.Stream()
	if err != nil {
		return nil, err
	}
	c.n.streams.Add(1)
	return &countedStream{Stream: s, n: c.n}, nil
}

type countedStream struct {
	op.Stream
	n     *node
	ended bool
}

// Next implements op.Stream.
func (s *countedStream) Next() (*vec.Batch, error) {
	b, err := s.Stream.Next()
	switch {
	case b != nil:
		s.n.rows.Add(int64(b.N))
	case err == nil && !s.ended:
		s.ended = true
		s.n.ended.Add(1)
	}
	return b, err
}
