package fuse

import (
	"cmp"
	"slices"

	"gsql/planner/logical"
	"gsql/planner/physical"
)

// Contest chooses among plans with devices.
type Contest struct {
	Search
	Asked []*logical.JoinHint       // the hints that request a device
	Share func(root *physical.Node) // arranges for equal subplans to be computed once
}

// Best returns the plan that leaves the fewest joins on the CPU for which a hint or a setting
// requests a device, and among those the cheapest. If several devices are requested, it prefers plans
// with more operators on several devices to cheaper ones; if the device is to run whatever it can, it
// prefers plans with less work on the CPU. home is the best plan for the CPU, and joins the best plan in
// which devices run joins, or home. Both compete with pipelines added; joins also competes without
// pipelines, unless the device is to run whatever it can.
func (c *Contest) Best(home, joins *physical.Node) Result {
	plans := []Result{c.Plan(joins)}
	if usesDevice(joins) {
		plans = append(plans, c.Plan(home))
		plans[1].OfHome = true
	} else {
		plans[0].OfHome = joins == home
	}
	bare := Result{Root: joins, OfHome: joins == home}
	c.Share(joins)
	for i := range plans {
		c.Share(plans[i].Root)
	}
	entered := plans
	if !c.Forced {
		entered = append(entered, bare)
	}
	best := slices.MinFunc(entered, func(x, y Result) int {
		return cmp.Or(c.unmet(x.Root)-c.unmet(y.Root), c.spread(y.Root)-c.spread(x.Root), c.left(x.Root)-c.left(y.Root), cmp.Compare(x.Root.Est.TotalMS, y.Root.Est.TotalMS))
	})
	if c.Bids {
		record(&best, append(plans, bare))
	}
	return best
}

// unmet returns the number of joins on the CPU for which a setting or a hint requests a device.
func (c *Contest) unmet(root *physical.Node) int {
	n := 0
	for _, h := range c.Asked {
		if !Obeyed(root, h) {
			n++
		}
	}
	if c.Forced {
		n += len(LeftJoins(root))
	}
	return n
}

// spread returns the number of operators on several devices if these are requested.
func (c *Contest) spread(root *physical.Node) (n int) {
	if !c.Forced || !c.Several {
		return 0
	}
	if len(root.Device.Members()) > 1 {
		n++
	}
	for _, in := range root.In {
		n += c.spread(in)
	}
	return n
}

// left returns the number of operators that work on the CPU although the device is to run whatever it can.
func (c *Contest) left(root *physical.Node) (n int) {
	if !c.Forced {
		return 0
	}
	if root.Device == physical.CPU && worksAlone(root.Op) {
		n++
	}
	for _, in := range root.In {
		n += c.left(in)
	}
	return n
}

// worksAlone reports whether an operator computes more than projections of stored rows.
func worksAlone(op physical.Op) bool {
	switch op := op.(type) {
	case *physical.Scan:
		return len(op.Preds) > 0
	case *physical.Project, *physical.Shared, *physical.ToDevice, *physical.FromDevice:
		return false
	}
	return true
}

// Obeyed reports whether a device runs a join with a hint that requests one.
func Obeyed(n *physical.Node, h *logical.JoinHint) bool {
	if j, ok := n.Op.(*physical.Join); ok && j.Hint == h && n.Device != physical.CPU {
		return true
	}
	return slices.ContainsFunc(n.In, func(in *physical.Node) bool { return Obeyed(in, h) })
}

// LeftJoins returns the joins and group joins of a plan on the CPU, except for those that a hint
// keeps there.
func LeftJoins(n *physical.Node) (out []*physical.Node) {
	if n.Device == physical.CPU {
		switch op := n.Op.(type) {
		case *physical.Join:
			if op.Hint == nil || op.Hint.Device != "cpu" {
				out = append(out, n)
			}
		case *physical.GroupJoin:
			out = append(out, n)
		}
	}
	for _, in := range n.In {
		out = append(out, LeftJoins(in)...)
	}
	return out
}

// usesDevice reports whether some node of a plan is not on the CPU.
func usesDevice(n *physical.Node) bool {
	return n.Device != physical.CPU || slices.ContainsFunc(n.In, usesDevice)
}

// record adds the losing plans with devices to the bids that the best plan's root won against: the
// cheapest with pipelines, and the one without them.
func record(best *Result, all []Result) {
	var with, alone *physical.Node
	for i := range all {
		switch r := &all[i]; {
		case r.Root == best.Root || !usesDevice(r.Root):
		case r.Placed == 0:
			alone = r.Root
		case with == nil || r.Root.Est.TotalMS < with.Est.TotalMS:
			with = r.Root
		}
	}
	if best.Placed == 0 && with != nil {
		best.Root.Rejected = withBid(best.Root.Rejected, physical.Bid{Algorithm: BidName, Device: firstOnDevice(with).Device, TotalMS: with.Est.TotalMS})
	} else if best.Placed > 0 && alone != nil {
		join := firstOnDevice(alone)
		best.Root.Rejected = withBid(best.Root.Rejected, physical.Bid{Algorithm: join.Op.Kind(), Device: join.Device, TotalMS: alone.Est.TotalMS, Form: "not in a pipeline"})
	}
}

// firstOnDevice returns the first join on a device, or the first Pipelines node.
func firstOnDevice(n *physical.Node) *physical.Node {
	switch n.Op.(type) {
	case *physical.Join, *physical.Sort, *physical.Pipelines:
		if n.Device != physical.CPU {
			return n
		}
	}
	for _, in := range n.In {
		if d := firstOnDevice(in); d != nil {
			return d
		}
	}
	return nil
}
