package implement

import (
	"fmt"
	"slices"

	"gsql/internal/mem"
	"gsql/planner/colset"
	"gsql/planner/cost"
	"gsql/planner/implement/classify"
	"gsql/planner/implement/several"
	"gsql/planner/implement/transfer"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// offer is one way to run a join on a device, either with an aggregate on top or with its row
// pairs copied to the host.
type offer struct {
	device int // index into the planner's devices
	op     *physical.Join
	bid    physical.Bid // priced with the inputs and the transfer to the host
	in     [2]*physical.Node
	ms     float64 // the join alone
	bytes  float64 // device memory, excluding the inputs
	down   float64 // bytes of the result
	homeMS float64
}

// offers returns the devices' offers for a join, or for agg over it. Offers that cannot run carry
// the reason.
func (b *bidder) offers(agg *logical.Aggregate) []offer {
	var out []offer
	for d := range b.p.devices {
		for _, algo := range algorithms {
			if b.impossible(algo) != "" || agg == nil && b.p.devices[d].Devices > 1 {
				continue
			}
			for _, left := range b.buildSides(algo) {
				out = append(out, b.offer(d, algo, left, agg))
			}
		}
	}
	return out
}

// buildSides returns the build sides worth pricing on a device. The row pairs do not depend on
// the build side, so the kind of join does not limit the choice.
func (b *bidder) buildSides(algo physical.JoinAlgo) []bool {
	switch algo {
	case physical.Hash:
		return []bool{false, true}
	case physical.Radix, physical.NestedLoop:
		return []bool{b.l.Rows < b.r.Rows}
	}
	return []bool{false}
}

func (b *bidder) offer(d int, algo physical.JoinAlgo, buildLeft bool, agg *logical.Aggregate) offer {
	dev := &b.p.devices[d]
	o := offer{device: d, bid: physical.Bid{Algorithm: bidName(algo, buildLeft), Device: dev.Device}}
	op, by, why := b.deviceForm(algo, buildLeft)
	switch {
	case slices.Contains(b.forbidden, algo) || deviceHint(b.n.Hint) == "cpu":
		why = forbiddenByHint
	case b.p.inApply:
		why = "runs again for each row of an outer query"
	case why == "" && algo == physical.NestedLoop && b.tooManyPairs():
		why = fmt.Sprintf("tests %.2g pairs, of which equal keys leave few", b.l.Rows*b.r.Rows)
	case why == "" && agg != nil:
		why = fuseRefusal(agg, op)
	}
	if o.bid.Why = why; why != "" {
		return o
	}
	o.op, o.bid.Join = op, op
	values := b.sendInputs(&o, dev, agg, b.p.place.Resident)
	j := b.deviceJoin(op, by, values)
	if dev.Devices > 1 {
		return b.spread(&o, dev, j, agg)
	}
	o.ms, o.bytes = devicePrice(dev, op.Algo, &j)
	if agg == nil {
		o.down = 8 * j.Pairs
		o.homeMS = dev.Download(o.down) + b.emitMS(op, j.Pairs)
	} else {
		o.down = 16 * float64(len(agg.Aggs))
		o.homeMS = dev.Download(o.down)
	}
	if b.cut(&o, dev) {
		o.bid.TotalMS = o.in[0].Est.TotalMS + o.in[1].Est.TotalMS + o.ms + o.homeMS
		return o
	}
	o.bid.TotalMS = o.in[0].Est.TotalMS + o.in[1].Est.TotalMS + o.ms + o.homeMS
	if all := o.bytes + o.in[0].Est.Bytes + o.in[1].Est.Bytes; !dev.Fits(all) && !b.divide(&o, dev, j, agg) {
		o.bid.Why = fmt.Sprintf("needs %s of the device's %s", mem.Size(int64(all)), mem.Size(int64(dev.FreeBytes)))
	}
	return o
}

// mostPairs is how many pairs a device tests at most for a join by keys, at any price: a fraction of a second.
const mostPairs = 1 << 40

// tooManyPairs reports whether a requested device does not test all pairs: other algorithms, there or elsewhere, find
// partners by their keys, unless a hint excludes these.
func (b *bidder) tooManyPairs() bool {
	return b.p.place.forced() && len(b.conds.Keys) > 0 && b.l.Rows*b.r.Rows > mostPairs && !slices.Contains(b.forbidden, physical.Hash)
}

// spread completes the offer of several devices for the join j below an aggregate.
func (b *bidder) spread(o *offer, dev *cost.Accelerator, j cost.DeviceJoin, agg *logical.Aggregate) offer {
	s := several.Join{On: dev, Of: j, Exchange: o.op.Algo == physical.Radix, Bytes: [2]float64{o.in[0].Est.Bytes, o.in[1].Est.Bytes}}
	build := 1
	if o.op.BuildLeft {
		build = 0
	}
	if s.Copied = build; o.op.Algo != physical.Hash && s.Bytes[1-build] < s.Bytes[build] {
		s.Copied, s.Probes = 1-build, true
	}
	o.op.Spread = s.Spread()
	share := s.Share()
	alone, bytes := devicePrice(dev, o.op.Algo, &share)
	o.ms, o.bytes = s.MS(alone), bytes
	o.down = 16 * float64(dev.Devices) * max(j.Values, 1)
	o.homeMS = dev.Download(o.down)
	all := bytes + s.Memory()
	if o.op.Algo == physical.NestedLoop && !dev.Fits(all) {
		if p, ok := s.Pieces(b.l.Rows, b.r.Rows); ok {
			o.op.Pieces = &physical.MatrixPieces{Left: int64(p.Left), Right: int64(p.Right), Count: int64(p.Across * p.Down)}
			o.ms += dev.Upload(p.Again(s.Bytes[0], s.Bytes[1]))
			all = 0
		}
	}
	if !dev.Fits(all) {
		if b.divide(o, dev, j, agg) {
			return *o
		}
		o.bid.Why = fmt.Sprintf("needs %s of each device's %s", mem.Size(int64(all)), mem.Size(int64(dev.FreeBytes)))
	}
	o.bid.TotalMS = o.in[0].Est.TotalMS + o.in[1].Est.TotalMS + o.ms + o.homeMS
	return *o
}

// cut cuts the matrix of a nested loop into pieces if its inputs do not fit the device, and adds the price of
// what crosses the link again. It reports whether it has done so.
func (b *bidder) cut(o *offer, dev *cost.Accelerator) bool {
	l, r := o.in[0].Est.Bytes, o.in[1].Est.Bytes
	if o.op.Algo != physical.NestedLoop || dev.Fits(o.bytes+l+r) {
		return false
	}
	p, ok := dev.Pieces(b.l.Rows, b.r.Rows, l, r)
	if !ok {
		return false
	}
	o.op.Pieces = &physical.MatrixPieces{Left: int64(p.Left), Right: int64(p.Right), Count: int64(p.Across * p.Down)}
	o.ms += dev.Upload(p.Again(l, r))
	return true
}

// divide makes the host divide the inputs of a join below an aggregate, which do not fit the devices. It reports
// whether it has done so. All columns cross the link, including those that are on devices.
func (b *bidder) divide(o *offer, dev *cost.Accelerator, j cost.DeviceJoin, agg *logical.Aggregate) bool {
	if agg == nil || o.op.Algo != physical.Radix {
		return false
	}
	d := several.Divided{On: dev, CPU: &b.p.cpu, Of: j, Bytes: o.in[0].Est.Bytes + o.in[1].Est.Bytes}
	bits, ok := d.Bits()
	if !ok {
		return false
	}
	b.sendInputs(o, dev, agg, nil)
	inputs := 0.0
	for _, n := range o.in {
		n.Est.TotalMS, n.Est.CostMS = n.Est.TotalMS-n.Est.CostMS, 0 // in the price of the join
		inputs += n.Est.TotalMS
	}
	o.op.Spread, o.op.Pieces = d.Spread(bits), nil
	o.ms, o.bytes = d.MS(bits), dev.FreeBytes
	o.bid.TotalMS = inputs + o.ms + o.homeMS
	return true
}

// sendInputs creates both ToDevice nodes and returns the number of aggregated columns. The device
// receives the operands of a join's driving conditions, and the arguments of an aggregate. The
// host keeps the columns of the output and of residual predicates.
func (b *bidder) sendInputs(o *offer, dev *cost.Accelerator, agg *logical.Aggregate, resident transfer.Residency) (values float64) {
	l := transfer.Input{Node: b.lv.home(), Props: b.l, Fused: agg != nil}
	r := transfer.Input{Node: b.rv.home(), Props: b.r, Fused: agg != nil}
	l.Driving, r.Driving = o.op.Operands()
	if agg == nil {
		kept := b.need.With(o.op.Residual...)
		l.Kept, r.Kept = float64(len(kept.Pick(l.Node.Cols))), float64(len(kept.Pick(r.Node.Cols)))
	} else {
		left := colset.Of(l.Node.Cols)
		for _, it := range agg.Aggs {
			for _, e := range it.Agg.Args {
				if values++; classify.Over(e, left) {
					l.Values = append(l.Values, e)
				} else {
					r.Values = append(r.Values, e)
				}
			}
		}
	}
	o.in[0], o.in[1] = l.Send(b.p.cpu, resident, dev), r.Send(b.p.cpu, resident, dev)
	return values
}

// deviceJoin returns the properties that the price of op depends on; by are its driving
// predicates.
func (b *bidder) deviceJoin(op *physical.Join, by []expr.Expr, values float64) cost.DeviceJoin {
	j := cost.DeviceJoin{Build: b.r.Rows, Probe: b.l.Rows, BuildSorted: op.SortedR, ProbeSorted: op.SortedL,
		Conds: float64(len(by)), Pairs: b.pairs(by), Values: values}
	if op.BuildLeft {
		j.Build, j.Probe = j.Probe, j.Build
	}
	l, r := op.Operands()
	for i := range l {
		j.Width += max(transfer.DeviceWidth(l[i], b.l), transfer.DeviceWidth(r[i], b.r))
	}
	if len(op.Keys) == 1 {
		j.Span = b.span(op.Keys[0], op.BuildLeft)
	}
	return j
}

// emitMS prices creating a join's output on the host from row pairs.
func (b *bidder) emitMS(op *physical.Join, pairs float64) float64 {
	in := b.input(op.BuildLeft)
	in.Pairs, in.Terms = pairs, terms(op.Residual...)
	return b.p.cpu.Emit(&in)
}

func devicePrice(dev *cost.Accelerator, algo physical.JoinAlgo, j *cost.DeviceJoin) (ms, bytes float64) {
	switch algo {
	case physical.Hash:
		return dev.HashJoin(j), j.HashBytes()
	case physical.Radix:
		return dev.RadixJoin(j), j.SortBytes()
	case physical.NestedLoop:
		return dev.NestedLoop(j), 0
	}
	return dev.MergeJoin(j), j.SortBytes()
}

// variant returns the plan of an offered join.
func (o *offer) variant(b *bidder) variant {
	n := &physical.Node{Op: o.op, In: o.in[:], Cols: b.cols, Device: o.bid.Device,
		Est: physical.Estimate{Rows: b.out, CostMS: o.ms, TotalMS: o.in[0].Est.TotalMS + o.in[1].Est.TotalMS + o.ms, Bytes: o.bytes}}
	return variant{n, o.down, o.homeMS}
}
