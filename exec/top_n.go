package exec

import (
	"maps"

	"gsql/exec/dynfilter"
	"gsql/exec/op"
	"gsql/exec/sort"
	"gsql/planner/physical"
)

// newTopN builds a top-N. Its input can find the bound that it makes.
func newTopN(b *Inputs, n *physical.Node) (op.Operator, error) {
	plan := n.Op.(*physical.Sort)
	if plan.Bound == 0 {
		return Unary(sort.New)(b, n)
	}
	own := *b
	own.bounds = map[int]*dynfilter.Bound{}
	maps.Copy(own.bounds, b.bounds)
	bound := dynfilter.NewBound(plan.Keys[0].Desc)
	own.bounds[plan.Bound] = bound
	return Unary(func(n *physical.Node, in op.Operator) (op.Operator, error) {
		o, err := sort.New(n, in)
		if err != nil {
			return nil, err
		}
		o.Bound = bound
		return o, nil
	})(&own, n)
}
