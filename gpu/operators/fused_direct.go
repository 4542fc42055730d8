package operators

import (
	"errors"

	"gsql/gpu/column"
	"gsql/gpu/lower"
	"gsql/gpu/tables"
	"gsql/planner/physical"
	"gsql/sql/catalog"
)

// errOrdered means that a program uses the order of a table's rows, or a column as a whole, although
// statistics suggested otherwise.
var errOrdered = errors.New("rows in any order for a program that needs theirs")

// directShare is the share of the free memory that a table's columns must take for its rows to be read anew by
// each query. Smaller tables stay on the device.
const directShare = 1.0 / 8

// sources is what is known about a program's use of tables.
type sources interface {
	SourceOnly(relation, ordinal int) bool
	Unordered(relation int) bool
}

// directly reports whether a program can read a relation in any order.
func directly(s sources, relation int, ordinals []int, derived []lower.Derived) bool {
	for _, o := range ordinals {
		if !s.SourceOnly(relation, o) {
			return false
		}
	}
	return len(derived) == 0 && s.Unordered(relation)
}

// planDirect finds, by statistics, the tables whose rows go straight from a scan to the blocks of a stream.
func (l *tableLoader) planDirect(root *physical.Node) {
	q, err := lower.Lower(root, tables.Statistics{})
	if err != nil { // what is known of the columns themselves may suffice
		return
	}
	for i, r := range q.Relations {
		bytes, all := int64(0), len(r.Ordinals) > 0
		for _, o := range r.Ordinals {
			c, err := tables.Statistics{}.Column(r.Table, o)
			all = all && err == nil && tables.Directly(r.Table, o)
			bytes += c.Bytes()
		}
		if all && directly(q.Program, i, r.Ordinals, r.Derived) && float64(bytes) > directShare*float64(l.t.Free()) {
			l.direct[r.Table] = tables.NewDirect(l.f.ctx, r.Table, pruned(l.f.node, r.Table))
		}
	}
}

// pruned returns the ranges outside which the only scan of a table needs no rows, or nil if there are several.
func pruned(root *physical.Node, table catalog.Table) (out []catalog.Range) {
	scans := 0
	var visit func(n *physical.Node)
	visit = func(n *physical.Node) {
		if s, ok := n.Op.(*physical.Scan); ok && s.Table == table {
			scans++
			out = s.Prune
		}
		for _, in := range n.In {
			visit(in)
		}
	}
	visit(root)
	if scans != 1 {
		return nil
	}
	return out
}

// indirect reports whether an error means that a table cannot be read directly. It is read into host memory
// from now on.
func (l *tableLoader) indirect(err error) bool {
	if len(l.direct) == 0 || !errors.Is(err, errOrdered) && !errors.Is(err, column.ErrRange) {
		return false
	}
	for t, d := range l.direct {
		d.Free()
		clear(l.find(t).columns)
	}
	clear(l.direct)
	return true
}
