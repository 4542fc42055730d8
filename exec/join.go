package exec

import (
	"maps"

	"gsql/exec/dynfilter"
	"gsql/exec/join"
	"gsql/exec/op"
	"gsql/planner/physical"
)

// newJoin builds a join, whose inputs know the dynamic filters that it makes.
func newJoin(b *Inputs, n *physical.Node) (op.Operator, error) {
	made := n.Op.(*physical.Join).Filters
	if len(made) == 0 {
		return Binary(join.New)(b, n)
	}
	own := *b
	own.filters = maps.Clone(b.filters)
	if own.filters == nil {
		own.filters = make(map[int]*dynfilter.Filter, len(made))
	}
	filters := make([]*dynfilter.Filter, len(made))
	for i, f := range made {
		filters[i] = &dynfilter.Filter{}
		own.filters[f.ID] = filters[i]
	}
	return Binary(func(n *physical.Node, l, r op.Operator) (op.Operator, error) {
		return join.NewFiltering(n, l, r, filters)
	})(&own, n)
}
