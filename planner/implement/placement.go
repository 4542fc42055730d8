package implement

import (
	"math"
	"slices"
	"sort"

	"gsql/planner/cost"
	"gsql/planner/logical"
	"gsql/planner/physical"
)

// Placement says which devices may run operators and at what prices.
type Placement struct {
	// Profiles are the devices; the first is the CPU, where every plan ends. Empty
	// means the built-in profile of a CPU with one worker.
	Profiles []cost.Profile
	// CanRun tells why a device other than the CPU cannot run an operator with the
	// given output columns, "" when it can. nil: only the CPU runs anything.
	CanRun func(d physical.Device, op physical.Op, cols []logical.Column) string
}

func (pl *Placement) models() []cost.Model {
	if len(pl.Profiles) == 0 {
		return []cost.Model{{P: cost.Default(1)}}
	}
	if pl.CanRun == nil {
		return []cost.Model{{P: pl.Profiles[0]}}
	}
	out := make([]cost.Model, len(pl.Profiles))
	for i := range out {
		out[i].P = pl.Profiles[i]
	}
	return out
}

// variants are the cheapest plans of one result by the device on which it ends up, in
// the order of the models; nil where no operator for it runs there.
type variants []*physical.Node

// placed is a plan whose result is where it was asked for.
type placed struct {
	node  *physical.Node
	total float64
}

// at gives the cheapest way to have the result on device d, over a transfer where
// that is cheaper or needed.
func (v variants) at(p *planner, d int) placed {
	if len(v) == 1 {
		return placed{v[0], v[0].Est.TotalMS}
	}
	best, from := math.Inf(1), d
	for s, n := range v {
		if n == nil {
			continue
		}
		if total := n.Est.TotalMS + p.transferMS(n, s, d); total < best {
			best, from = total, s
		}
	}
	return placed{p.transfer(v[from], from, d), best}
}

// transferMS prices moving n's result from device s to d; between two devices it goes
// through the host.
func (p *planner) transferMS(n *physical.Node, s, d int) float64 {
	if s == d {
		return 0
	}
	return p.models[s].Transfer(resultBytes(n)) + p.models[d].Transfer(resultBytes(n))
}

func resultBytes(n *physical.Node) float64 {
	var width float64
	for i := range n.Cols {
		width += cost.TypeWidth(n.Cols[i].T)
	}
	return n.Est.Rows * math.Max(width, 8)
}

func (p *planner) transfer(n *physical.Node, s, d int) *physical.Node {
	if s == d {
		return n
	}
	bytes := resultBytes(n)
	if s != 0 {
		n = crossing(n, &physical.FromDevice{Bytes: bytes}, p.models[s].P.Device, p.models[s].Transfer(bytes))
	}
	if d != 0 {
		n = crossing(n, &physical.ToDevice{Bytes: bytes}, p.models[d].P.Device, p.models[d].Transfer(bytes))
	}
	return n
}

// crossing makes a transfer node. Its Device is the accelerator at either end.
func crossing(n *physical.Node, op physical.Op, d physical.Device, ms float64) *physical.Node {
	return &physical.Node{Op: op, In: []*physical.Node{n}, Cols: n.Cols, Device: d,
		Est: physical.Estimate{Rows: n.Est.Rows, CostMS: ms, TotalMS: n.Est.TotalMS + ms, Bytes: resultBytes(n)}}
}

// candidate is one way to run an operator.
type candidate struct {
	op    physical.Op
	name  string
	price func(m *cost.Model) float64
	bytes float64 // memory it holds
	why   string  // set when it cannot or must not run: then op and price may be nil
	only  string  // device a hint asks for: "cpu", "gpu" or ""
}

// single makes the variants of an operator with one algorithm.
func (p *planner) single(op physical.Op, cols []logical.Column, rows, bytes float64, price func(*cost.Model) float64, in ...variants) variants {
	if len(p.models) == 1 {
		return variants{p.node(op, cols, rows, bytes, price(&p.models[0]), 0, in)}
	}
	out := p.choose([]candidate{{op: op, name: op.Kind(), price: price, bytes: bytes}}, cols, rows, in...)
	for _, n := range out {
		if n != nil { // that a device lacks the only algorithm is no bid
			n.Rejected = slices.DeleteFunc(n.Rejected, func(b physical.Bid) bool { return b.Why != "" })
		}
	}
	return out
}

func (p *planner) node(op physical.Op, cols []logical.Column, rows, bytes, ms float64, d int, in []variants) *physical.Node {
	n := &physical.Node{Op: op, Cols: cols, Device: p.models[d].P.Device, Est: physical.Estimate{Rows: rows, CostMS: ms, TotalMS: ms, Bytes: bytes}}
	for _, v := range in {
		from := v.at(p, d)
		n.In = append(n.In, from.node)
		n.Est.TotalMS += from.total
	}
	return n
}

// choose takes the cheapest candidate for each device and records all others as
// rejected bids.
func (p *planner) choose(cands []candidate, cols []logical.Column, rows float64, in ...variants) variants {
	out := make(variants, len(p.models))
	bids := make([]physical.Bid, 0, len(cands)*len(p.models))
	chosen := make([]int, len(p.models)) // index into bids
	for d := range p.models {
		inputs := 0.0
		for _, v := range in {
			inputs += v.at(p, d).total
		}
		best := -1
		var ms float64
		for i := range cands {
			c := &cands[i]
			if c.why != "" && d > 0 {
				continue // it was recorded for the CPU
			}
			bid := physical.Bid{Algorithm: c.name, Device: p.models[d].P.Device, Why: p.refusal(c, d, cols)}
			if c.price != nil {
				bid.TotalMS = inputs + c.price(&p.models[d])
			}
			bids = append(bids, bid)
			if bid.Why == "" && (best < 0 || bid.TotalMS < bids[chosen[d]].TotalMS) {
				best, chosen[d], ms = i, len(bids)-1, bid.TotalMS-inputs
			}
		}
		if best >= 0 {
			out[d] = p.node(cands[best].op, cols, rows, cands[best].bytes, ms, d, in)
		}
	}
	for d, n := range out {
		if n != nil {
			n.Rejected = without(bids, chosen[d])
		}
	}
	return out
}

// refusal says why candidate c cannot run on device d, or "".
func (p *planner) refusal(c *candidate, d int, cols []logical.Column) string {
	switch {
	case c.why != "":
		return c.why
	case c.only == "cpu" && d != 0, c.only == "gpu" && d == 0:
		return "forbidden by hint"
	case d == 0:
		return ""
	case !p.models[d].Fits(c.bytes):
		return "does not fit the device's memory"
	}
	return p.canRun(p.models[d].P.Device, c.op, cols)
}

// without copies bids but the chosen one: those that could have run first, by price.
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
