// Package implement turns logical plans into physical ones. For every operator it
// collects bids, one an algorithm and device, prices them with the cost model and
// takes the cheapest; what lost is kept for EXPLAIN. It knows devices only as
// profiles: what a device can run is told by a Placement.
package implement

import (
	"gsql/planner/cost"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/sqlerr"
)

// Options control one Plan.
type Options struct {
	Placement Placement
	Estimator *cost.Estimator               // the one of the statement; nil makes one
	Warn      func(code uint16, msg string) // may be nil
}

// Plan gives an executable plan with the output columns of n. n must hold no
// expr.Subquery. Node IDs count from 1 in pre-order.
func Plan(n logical.Node, opt Options) (*physical.Node, error) {
	p := newPlanner(opt)
	schema := n.Schema()
	need := newColSet(schema)
	v, err := p.plan(n, need)
	if err != nil {
		return nil, err
	}
	root := p.inOrder(v, schema).at(p, 0).node
	next := 0
	number(root, &next)
	return root, nil
}

// number gives IDs in pre-order.
func number(n *physical.Node, next *int) {
	*next++
	n.ID = *next
	for _, in := range n.In {
		number(in, next)
	}
}

type planner struct {
	est    *cost.Estimator
	models []cost.Model // of the devices, the CPU first
	canRun func(physical.Device, physical.Op, []logical.Column) string
	warn   func(code uint16, msg string)
}

func newPlanner(opt Options) *planner {
	p := &planner{est: opt.Estimator, models: opt.Placement.models(), canRun: opt.Placement.CanRun, warn: opt.Warn}
	if p.est == nil {
		p.est = cost.NewEstimator()
	}
	if p.warn == nil {
		p.warn = func(uint16, string) {}
	}
	return p
}

// plan implements n. need holds the columns that operators above refer to; others
// may be left out of the result.
func (p *planner) plan(n logical.Node, need colSet) (variants, error) {
	switch n := n.(type) {
	case *logical.Scan:
		return p.scan(n, need), nil
	case *logical.Values:
		return p.values(n), nil
	case *logical.Filter:
		return p.filter(n, need)
	case *logical.Project:
		return p.project(n, need)
	case *logical.Join:
		return p.join(n, need)
	case *logical.Aggregate:
		return p.aggregate(n)
	case *logical.Sort:
		return p.sort(n, need, -1, 0)
	case *logical.Limit:
		return p.limit(n, need)
	case *logical.SetOp:
		return p.setOp(n)
	case *logical.MaxOneRow:
		return p.maxOneRow(n, need)
	}
	return nil, sqlerr.Internal("no implementation of %T", n)
}
