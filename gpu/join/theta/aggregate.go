package theta

import (
	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/gpu/join"
)

// Aggregate returns aggregates over the joined rows, with one counting pass for each side whose
// columns are aggregated. If there are too many conditions for that, it lists the pairs.
func Aggregate(t *engine.Task, in join.Input, aggs []join.Agg, opt Options) ([]join.Value, error) {
	if _, rest := split(in); len(rest) > 0 {
		return join.AggregatePairs(t, in, aggs, filterPairs, func(out join.Output) error { return Pairs(t, in, out, opt) })
	}
	var values []join.Value
	err := within(t, func() error {
		left, right := join.Sides(aggs)
		var counts join.Counts
		var err error
		if left {
			counts.Left, err = count(t, in, true, opt)
		}
		if right && err == nil {
			counts.Right, err = count(t, in, false, opt)
		}
		if err == nil {
			values, err = counts.Aggregate(t, in, aggs)
		}
		return err
	})
	return values, err
}

// count returns memory with the partner counts of a side's rows, 64 bits each. It stays allocated.
func count(t *engine.Task, in join.Input, ownerLeft bool, opt Options) (gpu.Ptr, error) {
	p := newPlan(in, ownerLeft)
	counts, err := t.Alloc(8 * p.nOwner)
	if err != nil || p.nOwner == 0 {
		return counts, err
	}
	if err := t.Fill(counts, 0, 8*p.nOwner); err != nil || p.nOther == 0 {
		return counts, err
	}
	if err := p.tighten(t); err != nil {
		return 0, err
	}
	return counts, p.strips(t, countBytes, func(t *engine.Task, p *plan, o owners, others others) error {
		return p.count(t, o, others, counts+gpu.Ptr(8*o.first), opt)
	})
}
