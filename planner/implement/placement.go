package implement

import (
	"sort"

	"gsql/planner/cost"
	"gsql/planner/fuse"
	"gsql/planner/implement/transfer"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/deviceset"
)

// Placement determines where operators may run.
type Placement struct {
	CPU cost.Profile // the zero value: the built-in profile of a CPU with one worker
	// Device is the set that is requested (package deviceset): "auto" or "" for the cheapest place,
	// "cpu" for the CPU only, and others to run whatever these devices can run there.
	Device string
	// Open returns the devices of a set in order of preference, or a one-line reason why there are
	// none. It is called only if a plan may use a device. If nil, there are none.
	Open func(set string) (devices []cost.Accelerator, reason string)
	// Opened reports whether the devices of a set are open, so that Open takes no time. Of a set that only
	// names a kind, one device suffices. If nil, none is.
	Opened func(set string) bool
	// Forms describes subtrees of plans as pipelines of a device. If nil, none can be one.
	Forms fuse.Forms
	// Resident reports whether a table's column is in a device's memory. If nil, none is.
	Resident transfer.Residency
}

// pipelinesRule is the name that disables pipelines on devices in gsql_disable_rules.
const pipelinesRule = "DevicePipelines"

// Least prices of a CPU plan for which devices are considered. For cheaper plans, a device would
// still have to be opened and could save little; once it is open, the plan is still made twice.
const (
	worthwhileMS        = 5
	worthwhileOpenMS    = 0.1
	worthwhileSeveralMS = 1000 // for other devices than the first GPU, unless all are open: starting them, to learn their links, takes a fraction of a second each
)

// worthwhile reports whether devices are considered for a CPU plan of the given price.
func (pl *Placement) worthwhile(ms float64) bool {
	return pl.Open != nil && (ms >= worthwhileMS || ms >= worthwhileOpenMS && pl.Opened != nil && pl.Opened(pl.set(0)))
}

// set returns the devices to open for a CPU plan of the given price.
func (pl *Placement) set(ms float64) string {
	switch {
	case pl.forced():
		return pl.Device
	case ms >= worthwhileSeveralMS || pl.Opened != nil && pl.Opened(allGPUs):
		return allGPUs
	}
	return deviceset.GPU
}

var allGPUs = deviceset.Set{Kind: deviceset.GPU, All: true}.String()

// forced reports whether devices are used wherever possible.
func (pl *Placement) forced() bool {
	set, ok := deviceset.Parse(pl.Device)
	return ok && set.Several()
}

// several reports whether several devices are requested.
func (pl *Placement) several() bool {
	set, ok := deviceset.Parse(pl.Device)
	return ok && (set.All || len(set.Numbers) > 1)
}

func (pl *Placement) open(ms float64) ([]cost.Accelerator, string) {
	if pl.Open == nil {
		return nil, "there are no devices"
	}
	return pl.Open(pl.set(ms))
}

// variant is a plan of a result and the cost of copying the result to the host, which is zero for
// a plan that ends there.
type variant struct {
	node  *physical.Node // nil if the result is not produced there
	bytes float64
	ms    float64
}

// variants are the cheapest plans of one result by the device that holds it: first the CPU, then
// the accelerators if any can run the operator.
type variants []variant

// home returns the cheapest plan that ends on the CPU.
func (v variants) home() *physical.Node {
	best := -1
	for i := range v {
		if v[i].node != nil && (best < 0 || v[i].total() < v[best].total()) {
			best = i
		}
	}
	return v[best].home()
}

// total returns the price of the result on the host.
func (v *variant) total() float64 { return v.node.Est.TotalMS + v.ms }

func (v *variant) home() *physical.Node {
	n := v.node
	if n.Device == physical.CPU {
		return n
	}
	return &physical.Node{Op: &physical.FromDevice{Bytes: v.bytes}, In: []*physical.Node{n}, Cols: n.Cols, Device: n.Device,
		Est: physical.Estimate{Rows: n.Est.Rows, CostMS: v.ms, TotalMS: n.Est.TotalMS + v.ms}}
}

// columns returns the output columns, which all variants share.
func (v variants) columns() []logical.Column {
	for i := range v {
		if v[i].node != nil {
			return v[i].node.Cols
		}
	}
	return nil
}

// single returns an operator of the CPU with a single algorithm.
func (p *planner) single(op physical.Op, cols []logical.Column, rows, bytes, ms float64, in ...variants) variants {
	return variants{{node: node(op, cols, rows, bytes, ms, in)}}
}

// node returns an operator of the CPU.
func node(op physical.Op, cols []logical.Column, rows, bytes, ms float64, in []variants) *physical.Node {
	n := &physical.Node{Op: op, Cols: cols, Device: physical.CPU, Est: physical.Estimate{Rows: rows, CostMS: ms, TotalMS: ms, Bytes: bytes}}
	if len(in) > 0 {
		n.In = make([]*physical.Node, 0, len(in))
	}
	for _, v := range in {
		from := v.home()
		n.In = append(n.In, from)
		n.Est.TotalMS += from.Est.TotalMS
	}
	return n
}

// candidate is one way to run a join on the CPU.
type candidate struct {
	op    physical.Join
	algo  physical.JoinAlgo
	name  string
	in    [2]*physical.Node
	ms    float64
	bytes float64 // memory it holds
	why   string  // reason why it cannot or must not run, or ""
}

// choose picks the cheapest candidate for the CPU and the cheapest offer of each device. It
// records all others as rejected bids of each.
func (p *planner) choose(b *bidder, cands []candidate, offers []offer) variants {
	best := cheapestOf(cands)
	if len(p.devices) == 0 && p.winnersOnly {
		return variants{{node: b.joinNode(&cands[best])}}
	}
	bids := cpuBids(cands)
	b.onCPU = bids
	picked := make([]int, 1+len(p.devices)) // index into bids
	picked[0] = best
	for d := range p.devices {
		picked[1+d] = -1
	}
	for i := range offers {
		o := &offers[i]
		bids = append(bids, o.bid)
		if at := picked[1+o.device]; o.bid.Why == "" && (at < 0 || o.bid.TotalMS < bids[at].TotalMS) {
			picked[1+o.device] = len(bids) - 1
		}
	}
	out := make(variants, len(picked))
	for d, at := range picked {
		switch {
		case at < 0:
			continue
		case d == 0:
			out[0].node = b.joinNode(&cands[at])
		default:
			out[d] = offers[at-len(cands)].variant(b)
		}
		out[d].node.Rejected = without(bids, at)
	}
	return out
}

// joinNode returns the plan of a candidate.
func (b *bidder) joinNode(c *candidate) *physical.Node {
	op := c.op
	n := &physical.Node{Op: &op, In: []*physical.Node{c.in[0], c.in[1]}, Cols: b.cols, Device: physical.CPU}
	n.Est = physical.Estimate{Rows: b.out, CostMS: c.ms, TotalMS: c.ms + c.in[0].Est.TotalMS + c.in[1].Est.TotalMS, Bytes: c.bytes}
	return n
}

// total returns the price of a candidate that can run, including its inputs.
func (c *candidate) total() float64 { return c.in[0].Est.TotalMS + c.in[1].Est.TotalMS + c.ms }

// cheapestOf returns the index of the cheapest candidate, or -1.
func cheapestOf(cands []candidate) int {
	best := -1
	for i := range cands {
		if cands[i].why == "" && (best < 0 || cands[i].total() < cands[best].total()) {
			best = i
		}
	}
	return best
}

// cpuBids returns the bids of the CPU's candidates, in their order.
func cpuBids(cands []candidate) []physical.Bid {
	bids := make([]physical.Bid, len(cands))
	for i := range cands {
		c := &cands[i]
		bids[i] = physical.Bid{Algorithm: c.name, Device: physical.CPU, Why: c.why}
		if c.in[0] != nil {
			op := c.op
			bids[i].TotalMS, bids[i].Join = c.total(), &op
		}
	}
	return bids
}

// planBid returns the bid of a plan that was replaced by a plan of another form. join is its
// join, ms the price of the plan.
func planBid(join *physical.Node, ms float64, form string) physical.Bid {
	bid := physical.Bid{Algorithm: join.Op.Kind(), Device: join.Device, TotalMS: ms, Form: form}
	bid.Join, _ = join.Op.(*physical.Join)
	return bid
}

// without returns a copy of bids without the chosen one: those that could have run first, by
// price.
func without(bids []physical.Bid, chosen int) []physical.Bid {
	out := make([]physical.Bid, 0, len(bids)-1)
	out = append(append(out, bids[:chosen]...), bids[chosen+1:]...)
	sort.SliceStable(out, func(i, j int) bool {
		a, b := &out[i], &out[j]
		if (a.Why == "") != (b.Why == "") {
			return a.Why == ""
		}
		return a.TotalMS < b.TotalMS
	})
	return out
}
