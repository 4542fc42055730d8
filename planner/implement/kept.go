package implement

import (
	"gsql/planner/cost"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// keptRounds is the assumed number of iterations of a recursive expression. Only the first one
// builds the hash tables of inputs that do not change.
const keptRounds = 32

// keeps reports whether a hash join in the step of a recursive expression builds a side that is
// the same in every iteration, and probes it with one that is not.
func (b *bidder) keeps(buildLeft bool) bool {
	if b.p.steps == 0 || b.nullAware {
		return false
	}
	switch b.n.Kind {
	case logical.Inner:
	case logical.Left, logical.Semi, logical.Anti:
		if buildLeft {
			return false
		}
	default:
		return false
	}
	return !same(b.sideNode(!buildLeft)) && same(b.sideNode(buildLeft))
}

// same reports whether a plan returns the same rows in every iteration.
func same(n logical.Node) bool {
	if _, ok := n.(*logical.WorkTable); ok {
		return false
	}
	stays := true
	logical.EachExpr(n, func(e expr.Expr) { stays = stays && !expr.Volatile(e) })
	for _, in := range n.Inputs() {
		stays = stays && same(in)
	}
	return stays
}

// keep prices a hash join whose table is built once for all iterations, as the average of one
// iteration.
func (b *bidder) keep(c *candidate, in *cost.JoinInput) {
	once := *in
	once.Probe, once.Pairs, once.Out = 0, 0, 0
	c.op.Keep = true
	c.ms -= (cpuPrice(b.p, physical.Hash, &once) + c.in[c.op.Built()].Est.TotalMS) * (1 - 1.0/keptRounds)
}
