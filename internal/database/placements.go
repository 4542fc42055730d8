package database

import (
	"slices"
	"strings"
	"sync"

	"gsql/planner/physical"
	"gsql/sql/infoschema"
)

// Placements counts, for each device and operator, how often it was run there and how often the CPU
// did its work instead. It is safe for concurrent use; the zero value is ready.
type Placements struct {
	mu     sync.Mutex
	counts map[placementKey]*infoschema.Placement
}

type placementKey struct{ device, operator string }

// Ran counts the operators of a plan that starts and whose device is not the CPU. Pipelines count as
// one, whatever they consist of.
func (p *Placements) Ran(plan *physical.Node) {
	if plan.Device != physical.CPU && !physical.IsCrossing(plan.Op) {
		name, _ := plan.Op.Describe()
		p.add(string(plan.Device), operatorOf(name), func(c *infoschema.Placement) { c.Runs++ })
	}
	if _, ok := plan.Op.(*physical.Pipelines); ok {
		return
	}
	for _, in := range plan.In {
		p.Ran(in)
	}
}

// FellBack counts work that a device was to do, but the CPU did. operator is its name in warnings,
// "HashJoin on cuda:0", or "" for a statement that was planned without the device that it asked for.
func (p *Placements) FellBack(operator, reason string) {
	name, device, _ := strings.Cut(operator, " on ")
	p.add(device, name, func(c *infoschema.Placement) { c.FellBack, c.LastReason = c.FellBack+1, reason })
}

func operatorOf(description string) string {
	name, _, _ := strings.Cut(description, " ")
	return name
}

func (p *Placements) add(device, operator string, change func(*infoschema.Placement)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := placementKey{device, operator}
	c := p.counts[key]
	if c == nil {
		if p.counts == nil {
			p.counts = map[placementKey]*infoschema.Placement{}
		}
		c = &infoschema.Placement{Device: device, Operator: operator}
		p.counts[key] = c
	}
	change(c)
}

// All returns the counts in order of devices and operators.
func (p *Placements) All() []infoschema.Placement {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]infoschema.Placement, 0, len(p.counts))
	for _, c := range p.counts {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b infoschema.Placement) int {
		if c := strings.Compare(a.Device, b.Device); c != 0 {
			return c
		}
		return strings.Compare(a.Operator, b.Operator)
	})
	return out
}
