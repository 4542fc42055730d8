// Package exec runs physical plans on the CPU: it builds operators through a registry
// that other devices extend, runs them with as many workers as the query may use, and
// measures them for EXPLAIN ANALYZE.
package exec

import (
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"gsql/exec/dynfilter"
	"gsql/exec/join"
	"gsql/exec/op"
	"gsql/exec/progress"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// Key identifies the operators that a builder makes: the plan node's Op.Kind() and its device, or
// the kind of device ("cuda" for "cuda:0").
type Key struct {
	Kind   string
	Device physical.Device
}

// Builder makes the operator of a node. It compiles the node's expressions, so that their errors
// are reported before execution starts, and builds its inputs with b.
type Builder func(b *Inputs, n *physical.Node) (op.Operator, error)

// Registry maps plan nodes to their builders. It must not change once it is in use.
type Registry struct{ builders map[Key]Builder }

// Register adds or replaces the builder for a kind of operator on a device, or on all devices of
// a kind: "cuda" stands for "cuda:0", "cuda:1" and so on.
func (r *Registry) Register(kind string, device physical.Device, b Builder) {
	r.builders[Key{kind, device}] = b
}

func (r *Registry) builder(n *physical.Node) (Builder, bool) {
	b, ok := r.builders[Key{n.Op.Kind(), n.Device}]
	if !ok {
		kind, _, _ := strings.Cut(string(n.Device), ":")
		b, ok = r.builders[Key{n.Op.Kind(), physical.Device(kind)}]
	}
	return b, ok
}

// Kinds returns the kinds of operators that have a builder for a device, sorted.
func (r *Registry) Kinds(device physical.Device) []string {
	var kinds []string
	for k := range r.builders {
		if k.Device == device {
			kinds = append(kinds, k.Kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// DefaultRegistry returns a new registry with all CPU operators.
func DefaultRegistry() *Registry { return &Registry{builders: maps.Clone(cpuBuilders)} }

// Unary returns a builder that calls a constructor with one input.
func Unary[O op.Operator](f func(n *physical.Node, in op.Operator) (O, error)) Builder {
	return func(b *Inputs, n *physical.Node) (op.Operator, error) {
		in, err := b.Build(n.In[0])
		if err != nil {
			return nil, err
		}
		return f(n, in)
	}
}

// Binary returns a builder that calls a constructor with two inputs.
func Binary[O op.Operator](f func(n *physical.Node, l, r op.Operator) (O, error)) Builder {
	return func(b *Inputs, n *physical.Node) (op.Operator, error) {
		l, err := b.Build(n.In[0])
		if err != nil {
			return nil, err
		}
		r, err := b.Build(n.In[1])
		if err != nil {
			return nil, err
		}
		return f(n, l, r)
	}
}

// Inputs builds the inputs of operators, anew with every call of Build.
type Inputs struct {
	reg   *Registry
	meter *meter          // nil unless the plan is measured
	work  map[int]*pieces // by number, for the enclosing recursive expressions
	// kept holds the build sides of joins that the iterations of the enclosing recursive
	// expression share; nil if no join is shared.
	kept map[*physical.Node]*join.Kept
	// filters holds the dynamic filters of the enclosing joins by their numbers in the plan.
	filters  map[int]*dynfilter.Filter
	bounds   map[int]*dynfilter.Bound // of the enclosing top-Ns, by number
	shared   *sharedPlans
	progress *progress.Plan // nil unless somebody watches the plan
}

// Build makes the operator of n and everything below it.
func (b *Inputs) Build(n *physical.Node) (op.Operator, error) {
	build, ok := b.reg.builder(n)
	switch {
	case physical.IsCrossing(n.Op): // it has no operator
		build = func(b *Inputs, n *physical.Node) (op.Operator, error) { return b.Build(n.In[0]) }
	case !ok:
		return nil, sqlerr.Internal("no operator %q for device %q", n.Op.Kind(), n.Device)
	}
	o, err := build(b, n)
	if err != nil {
		return nil, err
	}
	o = b.progress.Wrap(n, o)
	if b.meter != nil {
		o = b.meter.wrap(n, o)
	}
	if verifying.Load() && n.Device == physical.CPU {
		o = &verified{o, n}
	}
	return o, nil
}

// dropped returns the counter of the rows that dynamic filters drop in the operator of n, or nil
// if the plan is not measured.
func (b *Inputs) dropped(n *physical.Node) *atomic.Int64 {
	if b.meter == nil {
		return nil
	}
	return &b.meter.nodes[n.ID].dropped
}

// Crossings returns the counters of what the operator of n moves to and from its device.
func (b *Inputs) Crossings(n *physical.Node) *Crossings {
	if b.meter == nil {
		return &Crossings{}
	}
	return &b.meter.nodes[n.ID].crossings
}

// Build makes the operators of a plan without measuring them.
func Build(n *physical.Node, reg *Registry) (op.Operator, error) {
	return (&Inputs{reg: reg, shared: &sharedPlans{}}).Build(n)
}

// colIDs returns the ids of a node's output columns; expressions of its consumer are compiled
// against them.
func colIDs(n *physical.Node) []expr.ColID {
	ids := make([]expr.ColID, len(n.Cols))
	for i, c := range n.Cols {
		ids[i] = c.ID
	}
	return ids
}
