package lower

import (
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// Late returns the columns of a subtree's scans that are not needed on the device: the device
// returns row numbers, and the host reads these columns for the rows of the result.
func Late(root *physical.Node, cols Columns) map[expr.ColID]bool {
	out, used := map[expr.ColID]bool{}, usedColumns(root)
	each(root, func(n *physical.Node) {
		s, ok := n.Op.(*physical.Scan)
		if !ok {
			return
		}
		for i, c := range n.Cols {
			if !used[c.ID] && cols.Late(s.Table, s.Ordinals[i], root.Est.Rows) {
				out[c.ID] = true
			}
		}
	})
	return out
}

// each calls f for the nodes of a subtree.
func each(n *physical.Node, f func(*physical.Node)) {
	f(n)
	for _, in := range n.In {
		each(in, f)
	}
}
