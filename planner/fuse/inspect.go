package fuse

import (
	"slices"

	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// traits are the properties of a subtree that determine whether a device may run it.
type traits struct {
	onCPU   bool // all nodes are on the CPU
	works   bool // some operator joins, aggregates, filters or sorts
	byKeys  bool // no scan reads its whole table, because rows are found by keys
	asksCPU bool // a hint asks for the CPU
	asksGPU bool // a hint asks for a device

	made    map[int]bool // dynamic filters that joins of the subtree make
	lookups []int        // dynamic filters by which scans find rows
}

func inspect(n *physical.Node) *traits {
	t := &traits{onCPU: true, byKeys: true, made: map[int]bool{}}
	t.add(n)
	return t
}

func (t *traits) add(n *physical.Node) {
	t.onCPU = t.onCPU && n.Device == physical.CPU
	switch op := n.Op.(type) {
	case *physical.Scan:
		t.works = t.works || len(op.Preds) > 0
		t.byKeys = t.byKeys && findsByKey(op)
		for _, f := range op.Dynamic {
			if f.Lookup {
				t.lookups = append(t.lookups, f.ID)
			}
		}
	case *physical.SetOp:
		t.works = t.works || !op.All
	case *physical.Filter, *physical.HashAgg, *physical.Rollup, *physical.GroupJoin, *physical.Sort, *physical.Window:
		t.works = true
	case *physical.Join:
		t.works = true
		if op.Hint != nil {
			t.asksCPU = t.asksCPU || op.Hint.Device == "cpu"
			t.asksGPU = t.asksGPU || op.Hint.Device == "gpu"
		}
		for _, f := range op.Filters {
			t.made[f.ID] = true
		}
	}
	for _, in := range n.In {
		t.add(in)
	}
}

// findsByKey reports whether the predicates of a scan restrict it to the rows of some keys.
func findsByKey(s *physical.Scan) bool {
	if s.Keys != nil {
		return true
	}
	fixed := func(column int) bool {
		return slices.ContainsFunc(s.Prune, func(r catalog.Range) bool {
			return r.Column == column && r.Lo != nil && r.Hi != nil && r.Lo.Compare(*r.Hi) == 0
		})
	}
	return slices.ContainsFunc(s.Table.Schema().Indexes, func(ix catalog.Index) bool {
		return (ix.Unique || ix.Primary) && !slices.ContainsFunc(ix.Columns, func(c int) bool { return !fixed(c) })
	})
}

// lookedUp reports whether a join above the subtree passes keys to one of its scans, which
// therefore reads few rows.
func (t *traits) lookedUp() bool {
	for _, id := range t.lookups {
		if !t.made[id] {
			return true
		}
	}
	return false
}

// InOrder reports whether a plan assigns variables or draws random numbers, so that its result depends
// on the order of rows. Devices return rows in any order.
func InOrder(n *physical.Node) bool {
	found := false
	physical.MapExprs(n.Op, func(e expr.Expr) expr.Expr {
		found = found || expr.Volatile(e)
		return e
	})
	return found || slices.ContainsFunc(n.In, InOrder)
}

// Works reports whether a plan joins, aggregates, filters or sorts rows that it does not find by keys.
func Works(root *physical.Node) bool {
	t := inspect(root)
	return t.works && !t.byKeys
}
