package implement

import (
	"fmt"
	"slices"

	"gsql/planner/cost"
	"gsql/planner/fuse"
	"gsql/planner/implement/classify"
	"gsql/planner/implement/several"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// onDevices returns the best plan of n with devices and the planner that made it. home is the best
// plan for the CPU, which p made.
func onDevices(p *planner, n logical.Node, home *physical.Node, devices []cost.Accelerator, opt Options) (*planner, *physical.Node, error) {
	q, joins := p, home
	sorts := p.sorts && (!p.place.forced() || len(devices) > 1)
	if p.able || sorts || len(p.hints) > 0 || p.place.forced() && p.joins > 0 {
		q = newPlanner(n, opt)
		q.devices = several.Sets(devices, !q.place.forced())
		var err error
		if joins, err = q.root(n); err != nil {
			return nil, nil, err
		}
	}
	if !fuses(p, home) {
		shareSubplans(p, joins)
		keepNotes(q, joins)
		return q, joins, nil
	}
	c := fuse.Contest{
		Search: fuse.Search{Forms: p.place.Forms, Device: &devices[0], CPU: p.cpu, Forced: p.place.forced(), Several: len(devices) > 1, LeastMS: worthwhileOpenMS, Bids: !p.winnersOnly},
		Asked:  p.hints,
		Share:  func(root *physical.Node) { shareSubplans(p, root) },
	}
	best := c.Best(home, joins)
	if best.OfHome {
		q = p
	}
	renote(q, &best, devices[0].Device)
	return q, best.Root, nil
}

// fuses reports whether subtrees of a plan may run as pipelines.
func fuses(p *planner, root *physical.Node) bool {
	return p.place.Forms != nil && !p.disabled[pipelinesRule] && !fuse.InOrder(root)
}

// A device can run joins driven by typed comparisons, with a scalar aggregate on top. For
// everything else there is a reason, which EXPLAIN and warnings show.

// deviceForm returns the form of a join that a device can run and the predicates that drive it,
// or the reason why no device can run it: see physical.Join. All other predicates become
// residual.
func (b *bidder) deviceForm(algo physical.JoinAlgo, buildLeft bool) (op *physical.Join, by []expr.Expr, why string) {
	if b.n.Kind == logical.Full {
		return nil, nil, "FULL JOIN is not for the device"
	}
	var d driving
	switch algo {
	case physical.NestedLoop:
		d.addKeys(&b.conds)
		d.addRanges(b.conds.Ranges, b.conds.RangeExprs)
		d.addRanges(b.conds.Unequal, b.conds.UnequalExprs)
	case physical.Range:
		r := drivingRanges(b)
		if len(r.ranges) > 1 {
			return nil, nil, "a range join on a device takes one predicate"
		}
		d.addRanges(r.ranges, r.exprs)
		d.rest = slices.Concat(d.rest, b.conds.KeyExprs, r.rest)
	default:
		d.addKeys(&b.conds)
		d.rest = append(append(d.rest, b.conds.RangeExprs...), b.conds.UnequalExprs...)
	}
	if len(d.exprs) == 0 {
		if d.why == "" {
			d.why = "no comparison of both sides"
		}
		return nil, nil, d.why
	}
	join := b.operator(algo, buildLeft)
	op = &join
	op.Keys, op.Ranges, op.Residual = d.keys, d.ranges, append(d.rest, b.conds.Rest...)
	if algo == physical.Merge && len(op.Keys) == 1 {
		op.SortedL, op.SortedR = sortedBy(b.l, op.Keys[0].L), sortedBy(b.r, op.Keys[0].R)
	}
	return op, d.exprs, ""
}

// drivable reports whether some algorithm could run on a device.
func (b *bidder) drivable() bool {
	for _, algo := range algorithms {
		if b.impossible(algo) != "" {
			continue
		}
		if _, _, why := b.deviceForm(algo, false); why == "" {
			return true
		}
	}
	return false
}

// driving collects the conditions that drive a join on a device.
type driving struct {
	keys   []physical.KeyPair
	ranges []physical.RangePred
	exprs  []expr.Expr // of keys, then of ranges
	rest   []expr.Expr
	why    string // the first refusal
}

func (d *driving) addKeys(c *classify.Conditions) {
	for i, k := range c.Keys {
		why := typeRefusal("key", k.L.Type())
		if k.NullSafe {
			why = "<=> is not for the device"
		}
		if d.takes(c.KeyExprs[i], why) {
			d.keys = append(d.keys, k)
		}
	}
}

func (d *driving) addRanges(ranges []physical.RangePred, es []expr.Expr) {
	for i, r := range ranges {
		why := typeRefusal("operand", r.L.Type())
		if r.Op == expr.FuncNE && r.L.Type().IsFloat() { // a NaN differs from all values, but passes no comparison there
			why = "<> of type " + r.L.Type().Name() + " is not for the device"
		}
		if d.takes(es[i], why) {
			d.ranges = append(d.ranges, r)
		}
	}
}

// takes records a condition as driving, or as residual if it is refused or exceeds the maximum.
func (d *driving) takes(e expr.Expr, why string) bool {
	if why == "" && len(d.exprs) < physical.MaxDeviceConds {
		d.exprs = append(d.exprs, e)
		return true
	}
	if d.why == "" {
		d.why = why
	}
	d.rest = append(d.rest, e)
	return false
}

// typeRefusal returns why a device cannot compute with values of a type, or "".
func typeRefusal(what string, t types.Type) string {
	switch t.Kind() {
	case types.KindI64, types.KindU64, types.KindF64:
		return ""
	}
	return fmt.Sprintf("%s type %s is not for the device", what, t.Name())
}

// fuseRefusal returns why a device cannot aggregate over a join, or "".
func fuseRefusal(n *logical.Aggregate, j *physical.Join) string {
	switch {
	case len(n.Keys) > 0:
		return "GROUP BY is not for the device"
	case j.Type != logical.Inner:
		return "only an inner join is aggregated on the device"
	case len(j.Residual) > 0:
		return "the join has other predicates than comparisons of both sides"
	}
	for _, it := range n.Aggs {
		if why := aggRefusal(it.Agg); why != "" {
			return why
		}
	}
	return ""
}

func aggRefusal(a *expr.Agg) string {
	switch a.Fn {
	case expr.CountStar:
		return ""
	case expr.Count, expr.Sum, expr.Avg, expr.Min, expr.Max:
	default:
		return fmt.Sprintf("%s is not for the device", a)
	}
	if a.Distinct || len(a.Args) != 1 {
		return fmt.Sprintf("%s is not for the device", a)
	}
	col, ok := a.Args[0].(*expr.Col)
	switch {
	case !ok:
		return fmt.Sprintf("%s is not of a column", a)
	case (a.Fn == expr.Sum || a.Fn == expr.Avg) && !col.T.IsNumeric():
		return fmt.Sprintf("%s of type %s is not for the device", a, col.T.Name())
	}
	return typeRefusal("column", col.T)
}
