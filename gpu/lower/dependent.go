package lower

import (
	"slices"

	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// dependentKeys returns which keys of an aggregate are determined by others: columns of a table whose
// primary key is among the keys, too. Rows need not be grouped by them: one value of a group is all.
func dependentKeys(n *physical.Node, op *physical.HashAgg) []bool {
	out := make([]bool, len(op.Keys))
	if slices.ContainsFunc(op.Aggs, ofDistinct) {
		return out
	}
	ids := map[expr.ColID]int{}
	for i, k := range op.Keys {
		if c, ok := k.(*expr.Col); ok {
			ids[c.ID] = i
		}
	}
	if _, ok := n.Op.(*physical.HashAgg); ok {
		markDependent(n.In[0], ids, out)
	}
	return out
}

// markDependent marks the keys that scans of a subtree determine. In a union, rows of several tables have
// the same columns.
func markDependent(n *physical.Node, keys map[expr.ColID]int, dependent []bool) {
	if _, ok := n.Op.(*physical.SetOp); ok {
		return
	}
	if s, ok := n.Op.(*physical.Scan); ok {
		if primary := primaryKeys(n, s, keys); primary != nil {
			for _, c := range n.Cols {
				if i, ok := keys[c.ID]; ok && !slices.Contains(primary, i) {
					dependent[i] = true
				}
			}
		}
	}
	for _, in := range n.In {
		markDependent(in, keys, dependent)
	}
}

// primaryKeys returns the places of a table's primary key among keys, nil if not all of it is there.
func primaryKeys(n *physical.Node, s *physical.Scan, keys map[expr.ColID]int) (places []int) {
	indexes := s.Table.Schema().Indexes
	at := slices.IndexFunc(indexes, func(x catalog.Index) bool { return x.Primary && x.Prefix == nil })
	if at < 0 {
		return nil
	}
	for _, ordinal := range indexes[at].Columns {
		column := slices.Index(s.Ordinals, ordinal)
		if column < 0 {
			return nil
		}
		place, ok := keys[n.Cols[column].ID]
		if !ok {
			return nil
		}
		places = append(places, place)
	}
	return places
}
