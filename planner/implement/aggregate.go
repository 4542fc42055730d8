package implement

import (
	"gsql/planner/colset"
	"gsql/planner/cost"
	"gsql/planner/logical"
	"gsql/planner/physical"
)

func (p *planner) aggregate(n *logical.Aggregate) (variants, error) {
	op := &physical.HashAgg{Keys: refs(n.Keys)}
	need := colset.Of(n.Keys)
	nterms := 0.0
	for _, a := range n.Aggs {
		op.Aggs = append(op.Aggs, a.Agg)
		for _, e := range a.Agg.Args {
			need.AddExpr(e)
			nterms += terms(e)
		}
		for _, k := range a.Agg.OrderBy {
			need.AddExpr(k.Expr)
		}
	}
	v, b, err := aggregated(p, n.In, need)
	if err != nil {
		return nil, err
	}
	out, rows := p.est.Derive(n), p.est.Derive(n.In).Rows
	if b != nil && b.partRows > 0 {
		rows = b.partRows
	}
	cols := n.Schema()
	keys, aggs := float64(len(n.Keys)), float64(len(n.Aggs))
	alone := p.single(op, cols, out.Rows, out.Rows*(p.est.Width(out, cols)+24), p.cpu.HashAgg(rows, out.Rows, keys, aggs, nterms), v)
	if b != nil && len(p.devices) > 0 {
		alone = fused(p, n, op, alone[0].node, b)
	}
	if b == nil {
		if over := overJoin(n); over != nil {
			if b, err = p.alternative(over, need); err != nil {
				return nil, err
			}
		}
	}
	return planGroupJoin(p, n, b, alone), nil
}

// rollup implements a Rollup. Each level groups the rows of the one below it.
func rollup(p *planner, n *logical.Rollup) (variants, error) {
	v, err := p.plan(n.In, colset.Of(n.Needs()))
	if err != nil {
		return nil, err
	}
	op := &physical.Rollup{Keys: refs(n.Keys)}
	for i := range n.Items {
		op.Aggs = append(op.Aggs, n.Items[i].Agg())
	}
	out, cols, levels := p.est.Derive(n), n.Schema(), cost.LevelRows(p.est.Derive(n.In), n)
	ms := p.cpu.Collect(out.Rows, float64(len(cols)))
	for i := range n.Keys {
		ms += p.cpu.HashAgg(levels[i+1], levels[i], float64(i), float64(len(n.Items)), 0)
	}
	return p.single(op, cols, out.Rows, out.Rows*p.est.Width(out, cols), ms, v), nil
}

// aggregated plans the input of an aggregate. If the input is an uncorrelated join, it also
// returns the bidder of that join.
func aggregated(p *planner, n logical.Node, need colset.Set) (variants, *bidder, error) {
	j, ok := n.(*logical.Join)
	if !ok || j.Correlated {
		v, err := p.plan(n, need)
		return v, nil, err
	}
	b, err := p.bidderOf(j, need, j.Kind == logical.Mark)
	if err != nil {
		return nil, nil, err
	}
	v, err := joinOrSplit(p, b)
	return extremeJoin(p, b, v), b, err
}

// fused returns the CPU aggregate and, for each device that can run one, the cheapest aggregate
// over a join there. The latter produces no row pairs.
func fused(p *planner, n *logical.Aggregate, op *physical.HashAgg, cpu *physical.Node, b *bidder) variants {
	offers := b.offers(n)
	out := make(variants, 1+len(p.devices))
	out[0].node = cpu
	bids := []physical.Bid{{Algorithm: op.Kind(), Device: physical.CPU, TotalMS: cpu.Est.TotalMS}}
	for d := range p.devices {
		o := cheapest(offers, d)
		bids = append(bids, physical.Bid{Algorithm: op.Kind(), Device: o.bid.Device, TotalMS: o.bid.TotalMS, Why: o.bid.Why})
		if o.bid.Why == "" {
			join := o.variant(b)
			join.node.Rejected = b.rivals(offers, o)
			out[1+d] = variant{node: aggregateOver(op, cpu, join.node), bytes: join.bytes, ms: join.ms}
		}
	}
	for i := range out {
		if out[i].node != nil {
			out[i].node.Rejected = without(bids, i)
		}
	}
	if last := len(out) - 1; p.place.forced() && out[last].node != nil && (last > 1 || joinsOnCPU(cpu)) {
		clear(out[:last]) // what is requested can run it
	}
	return out
}

// joinsOnCPU reports whether an aggregate is over a join that runs on the CPU.
func joinsOnCPU(n *physical.Node) bool {
	_, ok := n.In[0].Op.(*physical.Join)
	return ok && n.In[0].Device == physical.CPU
}

// aggregateOver returns a device's aggregate over join, whose price includes the aggregation.
func aggregateOver(op *physical.HashAgg, cpu, join *physical.Node) *physical.Node {
	return &physical.Node{Op: op, In: []*physical.Node{join}, Cols: cpu.Cols, Device: join.Device,
		Est: physical.Estimate{Rows: cpu.Est.Rows, TotalMS: join.Est.TotalMS}}
}

// cheapest returns a device's cheapest offer, or its first refused one if it can run none.
func cheapest(offers []offer, device int) *offer {
	var best *offer
	for i := range offers {
		o := &offers[i]
		if o.device != device {
			continue
		}
		if best == nil || o.bid.Why == "" && (best.bid.Why != "" || o.bid.TotalMS < best.bid.TotalMS) {
			best = o
		}
	}
	return best
}

// rivals returns the bids that lost against o, including those of the join on the CPU.
func (b *bidder) rivals(offers []offer, o *offer) []physical.Bid {
	bids := b.onCPU[:len(b.onCPU):len(b.onCPU)]
	at := 0
	for i := range offers {
		if &offers[i] == o {
			at = len(bids)
		}
		bids = append(bids, offers[i].bid)
	}
	return without(bids, at)
}
