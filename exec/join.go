package exec

import (
	"maps"

	"gsql/exec/dynfilter"
	"gsql/exec/join"
	"gsql/exec/op"
	"gsql/planner/physical"
)

// newJoin builds a join. Its inputs can find the dynamic filters that it makes.
func newJoin(b *Inputs, n *physical.Node) (op.Operator, error) {
	made := n.Op.(*physical.Join).Filters
	if n.Op.(*physical.Join).Keep && b.kept != nil {
		return b.keptJoin(n)
	}
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

// keptJoin builds a join whose build side is reused by the following iterations.
func (b *Inputs) keptJoin(n *physical.Node) (op.Operator, error) {
	if k := b.kept[n]; k != nil {
		probe, err := b.Build(n.In[1-n.Op.(*physical.Join).Built()])
		if err != nil {
			return nil, err
		}
		return k.Again(probe), nil
	}
	o, err := Binary(join.New)(b, n)
	if err != nil {
		return nil, err
	}
	return join.Keep(o, func(k *join.Kept) { b.kept[n] = k }), nil
}
