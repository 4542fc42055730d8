package fuse

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gsql/internal/mem"
	"gsql/planner/cost"
	"gsql/planner/physical"
)

// BidName is the name of the bids of subtrees as pipelines.
const BidName = "pipelines"

// Search determines which subtrees of a plan run as pipelines.
type Search struct {
	Forms  Forms
	Device *cost.Accelerator
	CPU    cost.Model
	// Forced runs all subtrees on the device that it can run, regardless of their price, if they
	// join, aggregate or filter more than a few rows found by keys. Otherwise the lower price
	// decides, unless a hint requests a device.
	Forced  bool
	Several bool    // if Forced, several devices are requested, of which Device is the first
	LeastMS float64 // cheaper subtrees stay on the CPU, unless forced or asked for by a hint
	Bids    bool    // losing bids are recorded
}

// Result is a plan with Pipelines nodes above the subtrees that the device runs.
type Result struct {
	Root   *physical.Node
	Placed int  // subtrees
	OfHome bool // Root was planned without devices
	// Refused holds the reasons why operators stay on the CPU although the device was requested for
	// them.
	Refused map[physical.Op]string
}

// Plan returns a copy of the plan below root, in which the device runs the largest subtrees for
// which that is cheaper or requested. It shares the operators with root. Subtrees that run
// repeatedly stay on the CPU.
func (s *Search) Plan(root *physical.Node) Result {
	r := Result{Refused: map[physical.Op]string{}}
	r.Root, _ = s.place(root, &r)
	return r
}

// place returns a copy of n with devices assigned, and the reason why the device cannot run n, if
// known.
func (s *Search) place(n *physical.Node, r *Result) (out *physical.Node, why string) {
	t := inspect(n)
	bid, work := s.bid(n, t)
	switch {
	case work == nil || bid.Why != "":
		return s.below(n, bid, r), bid.Why
	case bid.TotalMS < n.Est.TotalMS, s.forces(t):
		r.Placed++
		return s.pipelines(n, work, bid.TotalMS), ""
	case !t.asksGPU:
		return s.below(n, bid, r), ""
	}
	less := Result{Refused: map[physical.Op]string{}} // with less than n on the device
	if out = s.below(n, bid, &less); out.Est.TotalMS < bid.TotalMS && obeyed(out) {
		r.Placed += less.Placed
		maps.Copy(r.Refused, less.Refused)
		return out, ""
	}
	r.Placed++
	return s.pipelines(n, work, bid.TotalMS), ""
}

// below returns a copy of n, which stays on the CPU, over copies of its inputs with devices
// assigned. bid is the device's losing bid for n.
func (s *Search) below(n *physical.Node, bid physical.Bid, r *Result) *physical.Node {
	c := *n
	c.In = slices.Clone(n.In)
	inherited := false // an input has the same obstacle
	for i, in := range n.In {
		if repeats(n, i) {
			noteRepeated(in, r)
			continue
		}
		below, reason := s.place(in, r)
		inherited = inherited || reason != "" && reason == bid.Why
		c.In[i] = below
		c.Est.TotalMS += below.Est.TotalMS - in.Est.TotalMS
	}
	if bid.Why != "" {
		r.Refused[n.Op] = bid.Why
	}
	if s.Bids {
		c.Rejected = repriced(n.Rejected, c.Est.TotalMS-n.Est.TotalMS)
		if bid.Algorithm != "" && !inherited {
			c.Rejected = withBid(c.Rejected, bid)
		}
	}
	return &c
}

// forces reports whether a setting requests the device for a subtree.
func (s *Search) forces(t *traits) bool { return s.Forced && t.works && !t.byKeys }

// bid returns the device's bid for the subtree below n, or the zero bid if the subtree does no work
// worth a device. work is nil if the device cannot run the subtree; the bid then holds the reason.
func (s *Search) bid(n *physical.Node, t *traits) (bid physical.Bid, work *Work) {
	wanted := s.forces(t) || t.asksGPU
	if !t.onCPU || !t.works || !wanted && n.Est.TotalMS < s.LeastMS {
		return bid, nil
	}
	bid = physical.Bid{Algorithm: BidName, Device: s.Device.Device}
	switch {
	case t.asksCPU:
		bid.Why = "forbidden by hint"
		return bid, nil
	case t.lookedUp():
		bid.Why = "a join above finds rows by their keys"
		return bid, nil
	}
	whole := Fused(n)
	work, err := s.Forms.Form(s.Device.Device, whole, 1)
	if err != nil {
		bid.Why = err.Error()
		return bid, nil
	}
	if less := s.fitting(whole, work); less != nil {
		work = less
	} else {
		all, _ := work.reads()
		bid.Why = fmt.Sprintf("needs %s of the device's %s", mem.Size(int64(all+work.Memory)), mem.Size(int64(s.Device.FreeBytes)))
	}
	bid.TotalMS = s.price(whole, work)
	return bid, work
}

// sharers is the number of queries that are assumed to share the price of bringing a column to the
// device, where it stays. If the first query paid alone, columns would never be brought there.
const sharers = 4

// price returns the price of a subtree's result on the host. It includes reading the columns that
// are not on the device, numbering their texts in order and copying the columns there. If the
// device is to run everything that it can, this part does not count, because joins on the device
// would need the columns in another form anyway.
func (s *Search) price(n *physical.Node, w *Work) float64 {
	ms := s.Device.Pipelines(w.Passes) + s.Device.Launches(w.Kernels) + s.Device.Compile(w.Unknown, s.CPU.P.Workers)
	if !s.Forced {
		ms += s.bring(w) / sharers
	}
	ms += s.stream(w)
	for _, r := range w.Reads {
		ms += s.CPU.Fetch(n.Est.Rows, float64(r.Columns), r.Rows)
	}
	if w.Words > 0 {
		ms += s.CPU.Sort(w.Sorted, float64(w.Words), 0, false)
	}
	return ms + s.Device.Download(w.Result) + s.CPU.Scan(n.Est.Rows, float64(len(n.Cols)), w.Result, 0)
}

// bring returns the price of bringing columns to the device.
func (s *Search) bring(w *Work) (ms float64) {
	for i := range w.Columns {
		if c := &w.Columns[i]; !c.Resident && !c.Streams {
			ms += s.read(c) + s.Device.Upload(c.Bytes)
		}
	}
	return ms
}

// read returns the price of reading a column and numbering its texts.
func (s *Search) read(c *Column) float64 {
	ms := s.CPU.Scan(c.Rows, 1, c.Bytes, c.Terms)
	if c.Texts > 0 {
		ms += s.CPU.HashAgg(c.Rows, c.Texts, 1, 0, 0) + s.CPU.GroupText(c.Rows, c.Texts, 1) + s.CPU.Sort(c.Texts, 1, 1, false)
	}
	return ms
}

// pipelines returns the node that runs n as pipelines.
func (s *Search) pipelines(n *physical.Node, w *Work, ms float64) *physical.Node {
	all, absent := w.reads()
	out := &physical.Node{
		Op:     &physical.Pipelines{Kernels: w.Kernels, Bytes: all, Resident: absent == 0, Streams: w.streamed(s.Device.FreeBytes), Passes: w.JoinPasses},
		In:     []*physical.Node{onDevice(n, s.Device.Device)},
		Cols:   n.Cols,
		Device: s.Device.Device,
		Est:    physical.Estimate{Rows: n.Est.Rows, CostMS: ms, TotalMS: ms, Bytes: all + w.Memory},
	}
	if s.Bids {
		out.Rejected = []physical.Bid{{Algorithm: mainOperator(n).Kind(), Device: physical.CPU, TotalMS: n.Est.TotalMS}}
	}
	return out
}

// mainOperator returns the first operator from n down that is not a projection.
func mainOperator(n *physical.Node) physical.Op {
	for {
		if _, ok := n.Op.(*physical.Project); !ok {
			return n.Op
		}
		n = n.In[0]
	}
}

// onDevice returns a copy of a subtree whose nodes are on device d. They cost nothing: the
// Pipelines node above them has the whole price.
func onDevice(n *physical.Node, d physical.Device) *physical.Node {
	c := *n
	c.Device, c.Rejected, c.In = d, nil, make([]*physical.Node, len(n.In))
	c.Est.CostMS, c.Est.TotalMS = 0, 0
	for i, in := range n.In {
		c.In[i] = onDevice(in, d)
	}
	return &c
}

// repriced returns a copy of a join's bids over inputs that cost more by the given amount.
func repriced(bids []physical.Bid, more float64) []physical.Bid {
	out := slices.Clone(bids)
	for i := range out {
		if out[i].Join != nil && out[i].Form == "" && out[i].TotalMS > 0 {
			out[i].TotalMS += more
		}
	}
	return out
}

// withBid inserts a bid in its place: by price, or behind those that could run. It may overwrite
// bids.
func withBid(bids []physical.Bid, bid physical.Bid) []physical.Bid {
	price := func(b *physical.Bid) float64 {
		if b.Why != "" {
			return math.Inf(1)
		}
		return b.TotalMS
	}
	at := slices.IndexFunc(bids, func(b physical.Bid) bool { return b.Why != "" || price(&b) > price(&bid) })
	if at < 0 {
		at = len(bids)
	}
	return slices.Insert(bids, at, bid)
}

// repeats reports whether n runs its input i several times.
func repeats(n *physical.Node, i int) bool {
	switch n.Op.(type) {
	case *physical.Apply, *physical.Recursive:
		return i == 1
	}
	return false
}

// noteRepeated records why the joins of a subtree that runs repeatedly stay on the CPU.
func noteRepeated(n *physical.Node, r *Result) {
	if _, ok := n.Op.(*physical.Join); ok {
		r.Refused[n.Op] = "runs again for each row of an outer query"
	}
	for _, in := range n.In {
		noteRepeated(in, r)
	}
}

// obeyed reports whether a device runs all joins of a plan for which a hint requests one.
func obeyed(n *physical.Node) bool {
	if j, ok := n.Op.(*physical.Join); ok && n.Device == physical.CPU && j.Hint != nil && j.Hint.Device == "gpu" {
		return false
	}
	return !slices.ContainsFunc(n.In, func(in *physical.Node) bool { return !obeyed(in) })
}
