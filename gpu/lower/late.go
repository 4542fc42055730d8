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

// usage records which columns of a subtree operators compute with, and which they only pass on.
type usage struct {
	used map[expr.ColID]bool
	from map[expr.ColID]expr.ColID // the column that another one is
	ins  map[int]*physical.Node    // inputs of Shared nodes by their IDs
}

// usedColumns returns the columns that operators of a subtree compute with, under any of their IDs.
func usedColumns(root *physical.Node) map[expr.ColID]bool {
	u := &usage{used: map[expr.ColID]bool{}, from: map[expr.ColID]expr.ColID{}, ins: map[int]*physical.Node{}}
	each(root, func(n *physical.Node) {
		if s, ok := n.Op.(*physical.Shared); ok && len(n.In) > 0 {
			u.ins[s.ID] = n.In[0]
		}
	})
	each(root, u.node)
	for changed := true; changed; {
		changed = false
		for to, from := range u.from {
			if u.used[to] && !u.used[from] {
				u.used[from], changed = true, true
			}
		}
	}
	return u.used
}

func (u *usage) node(n *physical.Node) {
	switch op := n.Op.(type) {
	case *physical.Project:
		for i, e := range op.Exprs {
			u.hand(e, n.Cols[i].ID)
		}
	case *physical.HashAgg:
		dependent := dependentKeys(n, op)
		for i, k := range op.Keys {
			if dependent[i] {
				u.hand(k, n.Cols[i].ID)
			} else {
				u.compute(k)
			}
		}
		for i, a := range op.Aggs {
			if a.Fn == expr.First && len(a.Args) == 1 {
				u.hand(a.Args[0], n.Cols[len(op.Keys)+i].ID)
				continue
			}
			for _, e := range a.Args {
				u.compute(e)
			}
		}
	case *physical.Shared:
		u.shared(n, op)
	case *physical.Scan, *physical.Filter, *physical.Join, *physical.Sort, *physical.Window, *physical.Limit, *physical.ToDevice, *physical.FromDevice:
		physical.MapExprs(op, func(e expr.Expr) expr.Expr { u.compute(e); return e })
	default:
		for _, in := range n.In {
			for _, c := range in.Cols {
				u.used[c.ID] = true
			}
		}
	}
}

// compute notes the columns of an expression.
func (u *usage) compute(e expr.Expr) {
	expr.Walk(e, func(e expr.Expr) bool {
		if c, ok := e.(*expr.Col); ok {
			u.used[c.ID] = true
		}
		return true
	})
}

// hand notes that an expression becomes a column.
func (u *usage) hand(e expr.Expr, to expr.ColID) {
	if c, ok := e.(*expr.Col); ok {
		u.from[to] = c.ID
		return
	}
	u.compute(e)
}

// shared notes which columns of its input the columns of a Shared node are.
func (u *usage) shared(n *physical.Node, op *physical.Shared) {
	in := u.ins[op.ID]
	for i, c := range n.Cols {
		at := i
		if op.At != nil {
			at = op.At[i]
		}
		if in != nil && in.Cols[at].ID != c.ID {
			u.from[c.ID] = in.Cols[at].ID
		}
	}
}
