package lower

import (
	"slices"

	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

var truthType = types.T(types.Int64)

// uniqueOn reports whether no two rows of a build side have the same values in the right operands
// of pairs.
func uniqueOn(n *physical.Node, pairs []physical.KeyPair) bool {
	var ids []expr.ColID
	for _, p := range pairs {
		if c, ok := p.R.(*expr.Col); ok && !p.NullSafe { // NULLs may repeat
			ids = append(ids, c.ID)
		}
	}
	return unique(n, ids)
}

// seemsUnique reports whether statistics, which are estimates, suggest that a key of the build side
// that is a table's column has no duplicates.
func seemsUnique(n *physical.Node, pairs []physical.KeyPair) bool {
	return slices.ContainsFunc(pairs, func(p physical.KeyPair) bool {
		c, ok := p.R.(*expr.Col)
		return ok && !p.NullSafe && distinctIn(n, c.ID)
	})
}

// seemsDistinct is the minimum share of distinct values in a column that seems to have no
// duplicates.
const seemsDistinct = 0.95

// distinctIn reports whether a column seems to have no value twice.
func distinctIn(n *physical.Node, id expr.ColID) bool {
	at := slices.IndexFunc(n.Cols, func(c logical.Column) bool { return c.ID == id })
	if at < 0 {
		return false
	}
	switch op := n.Op.(type) {
	case *physical.Scan:
		st, ordinal := op.Table.Stats(), op.Ordinals[at]
		if ordinal < 0 || ordinal >= len(st.Columns) {
			return false
		}
		c := &st.Columns[ordinal]
		return c.NDV > 0 && float64(c.NDV) >= seemsDistinct*float64(st.Rows-c.Nulls)
	case *physical.Filter, *physical.ToDevice, *physical.FromDevice:
		return distinctIn(n.In[0], id)
	case *physical.Project:
		c, ok := op.Exprs[at].(*expr.Col)
		return ok && distinctIn(n.In[0], c.ID)
	case *physical.Join:
		return distinctInJoin(n, op, id)
	}
	return unique(n, []expr.ColID{id})
}

// distinctInJoin is distinctIn for a join: the input that has the column does not repeat it, and each of
// its rows has at most one partner in the other one.
func distinctInJoin(n *physical.Node, op *physical.Join, id expr.ColID) bool {
	one := func(in *physical.Node, keys []expr.ColID) bool {
		return slices.ContainsFunc(keys, func(key expr.ColID) bool { return distinctIn(in, key) })
	}
	left, right := equalColumns(op)
	switch op.Type {
	case logical.Semi, logical.Anti, logical.Mark:
		return distinctIn(n.In[0], id)
	case logical.Inner:
		return distinctIn(n.In[0], id) && one(n.In[1], right) || distinctIn(n.In[1], id) && one(n.In[0], left)
	case logical.Left, logical.Single:
		return distinctIn(n.In[0], id) && one(n.In[1], right)
	}
	return false
}

// unique reports whether no two rows of n agree in all columns of ids.
func unique(n *physical.Node, ids []expr.ColID) bool {
	switch op := n.Op.(type) {
	case *physical.Scan:
		return uniqueScan(n, op, ids)
	case *physical.Filter, *physical.ToDevice, *physical.FromDevice:
		return unique(n.In[0], ids)
	case *physical.Project:
		var below []expr.ColID
		for i, e := range op.Exprs {
			if c, ok := e.(*expr.Col); ok && slices.Contains(ids, n.Cols[i].ID) {
				below = append(below, c.ID)
			}
		}
		return unique(n.In[0], below)
	case *physical.HashAgg:
		for i := range op.Keys {
			if !slices.Contains(ids, n.Cols[i].ID) {
				return false
			}
		}
		return true
	case *physical.Join:
		return uniqueJoin(n, op, ids)
	}
	return false
}

// uniqueJoin reports whether a join's rows are unique: the rows of one input are unique, and each
// has at most one partner in the other input.
func uniqueJoin(n *physical.Node, op *physical.Join, ids []expr.ColID) bool {
	switch op.Type {
	case logical.Semi, logical.Anti, logical.Mark:
		return unique(n.In[0], ids)
	case logical.Inner, logical.Left, logical.Single:
	default:
		return false
	}
	left, right := equalColumns(op)
	return unique(n.In[1], right) && unique(n.In[0], ids) || op.Type == logical.Inner && unique(n.In[0], left) && unique(n.In[1], ids)
}

// equalColumns returns the columns on both sides of the equalities of a join.
func equalColumns(op *physical.Join) (left, right []expr.ColID) {
	add := func(a, b expr.Expr) {
		x, okX := a.(*expr.Col)
		y, okY := b.(*expr.Col)
		if okX && okY {
			left, right = append(left, x.ID), append(right, y.ID)
		}
	}
	for _, k := range op.Keys {
		if !k.NullSafe {
			add(k.L, k.R)
		}
	}
	for _, e := range op.Residual { // columns of the other input do not matter
		if c, ok := e.(*expr.Call); ok && c.Fn == expr.FuncEQ {
			add(c.Args[0], c.Args[1])
			add(c.Args[1], c.Args[0])
		}
	}
	return left, right
}

// uniqueScan reports whether the columns contain those of a unique key without NULLs.
func uniqueScan(n *physical.Node, op *physical.Scan, ids []expr.ColID) bool {
	schema := op.Table.Schema()
	for i := range schema.Indexes {
		x := &schema.Indexes[i]
		if !x.Unique && !x.Primary || x.Prefix != nil {
			continue
		}
		has := !slices.ContainsFunc(x.Columns, func(ordinal int) bool {
			at := slices.Index(op.Ordinals, ordinal)
			return at < 0 || !slices.Contains(ids, n.Cols[at].ID)
		})
		if has {
			return true
		}
	}
	return false
}

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
