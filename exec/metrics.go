package exec

import (
	"sync/atomic"
	"time"

	"gsql/exec/op"
	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/vec"
)

// meter measures the operators of one execution.
type meter struct {
	account *mem.Account // the query's account; every operator gets a child of it
	space   *spill.Space // the query's; every operator gets a child of it
	nodes   map[int]*counters
	results map[int]int // for FromDevice nodes: the input whose results they bring to the host
}

// counters holds what all streams of one node have measured.
type counters struct {
	rows, batches, nanos, mem, spilled, dropped atomic.Int64
	read                                        atomic.Bool // Next has been called
	crossings                                   Crossings
}

// Crossings records the bytes that a node moved between the host and its device, the nanoseconds
// for which it used the device, and the reason if it ran on the CPU instead.
type Crossings struct {
	ToDevice, FromDevice atomic.Int64
	Time                 atomic.Int64
	Launches, Waits      atomic.Int64 // of its device
	Pieces               atomic.Int64 // in which its rows came from host memory
	Passes               atomic.Int64 // of the join with the largest index, if there were several
	Divided              atomic.Int64 // nanoseconds that the host took to divide its rows into partitions
	Spread               atomic.Pointer[Spread]
	Fallback             atomic.Pointer[string]
}

// Spread records what several devices did for one operator.
type Spread struct {
	Received []int64 // bytes that each received from others; nil if the host has divided the rows
	Sent     []int64 // bytes that the host has sent to each in that case
	Balance  float64 // the most rows that one processed over the mean
}

func newMeter(run *op.Ctx, root *physical.Node) *meter {
	m := &meter{account: run.Mem, space: run.Spill, nodes: map[int]*counters{}, results: map[int]int{}}
	m.add(root)
	return m
}

func (m *meter) add(n *physical.Node) {
	m.nodes[n.ID] = &counters{}
	if _, ok := n.Op.(*physical.FromDevice); ok {
		m.results[n.ID] = n.In[0].ID
	}
	for _, in := range n.In {
		m.add(in)
	}
}

func (m *meter) wrap(n *physical.Node, o op.Operator) op.Operator {
	return &metered{Operator: o, kind: n.Op.Kind(), meter: m, c: m.nodes[n.ID]}
}

func (m *meter) metrics() map[int]*physical.Metrics {
	out := make(map[int]*physical.Metrics, len(m.nodes))
	for id, c := range m.nodes {
		out[id] = &physical.Metrics{Rows: c.rows.Load(), Batches: c.batches.Load(), Unread: !c.read.Load(),
			Time: time.Duration(c.nanos.Load()), Mem: c.mem.Load(), Spilled: c.spilled.Load(), Dropped: c.dropped.Load(),
			BytesToDevice: c.crossings.ToDevice.Load(), BytesFromDevice: c.crossings.FromDevice.Load(),
			DeviceTime: time.Duration(c.crossings.Time.Load()), Launches: c.crossings.Launches.Load(), Waits: c.crossings.Waits.Load(), Pieces: c.crossings.Pieces.Load(), Passes: c.crossings.Passes.Load(), Divided: time.Duration(c.crossings.Divided.Load())}
		if s := c.crossings.Spread.Load(); s != nil {
			out[id].Received, out[id].Sent, out[id].Balance = s.Received, s.Sent, s.Balance
		}
		if why := c.crossings.Fallback.Load(); why != nil {
			out[id].Fallback = *why
		}
	}
	for id, in := range m.results {
		out[id].BytesFromDevice, out[in].BytesFromDevice = out[in].BytesFromDevice, 0
	}
	return out
}

// metered measures an operator. Its times include the inputs and are summed over goroutines.
type metered struct {
	op.Operator
	kind    string
	meter   *meter
	c       *counters
	account *mem.Account
	spill   *spill.Space
}

// Open implements op.Operator.
func (m *metered) Open(ctx *op.Ctx) error {
	defer m.c.since(time.Now())
	m.account = m.meter.account.Child(m.kind)
	own := *ctx
	m.spill = m.meter.space.Child()
	own.Mem, own.Spill = m.account, m.spill
	return m.Operator.Open(&own)
}

// AllowNarrow implements op.Narrowing.
func (m *metered) AllowNarrow() { op.AllowNarrow(m.Operator) }

// AllowPassing implements op.Passing.
func (m *metered) AllowPassing() { op.AllowPassing(m.Operator) }

// Stream implements op.Operator.
func (m *metered) Stream() (op.Stream, error) {
	defer m.c.since(time.Now())
	s, err := m.Operator.Stream()
	if err != nil {
		return nil, err
	}
	return &meteredStream{s, m.c}, nil
}

// Close implements op.Operator.
func (m *metered) Close() error {
	defer m.c.since(time.Now())
	if m.account != nil {
		m.c.peak(m.account.Peak())
	}
	m.c.spilled.Add(m.spill.Written())
	return m.Operator.Close()
}

func (c *counters) since(start time.Time) { c.nanos.Add(int64(time.Since(start))) }

func (c *counters) peak(n int64) {
	for p := c.mem.Load(); n > p && !c.mem.CompareAndSwap(p, n); p = c.mem.Load() {
	}
}

type meteredStream struct {
	op.Stream
	c *counters
}

// Next implements op.Stream.
func (s *meteredStream) Next() (*vec.Batch, error) {
	start := time.Now()
	s.c.read.Store(true)
	b, err := s.Stream.Next()
	s.c.since(start)
	if b != nil {
		s.c.rows.Add(int64(b.N))
		s.c.batches.Add(1)
	}
	return b, err
}
