package cost

import (
	"gsql/planner/logical"
	"gsql/sql/types"
)

// LevelRows estimates the groups of each level of a Rollup over in, from the one of all rows to
// those of in.
func LevelRows(in *Props, n *logical.Rollup) []float64 {
	rows := make([]float64, len(n.Keys)+1)
	for i := range n.Keys {
		rows[i] = Groups(in, n.Keys[:i])
	}
	rows[len(n.Keys)] = in.Rows
	return rows
}

func rolledUp(in *Props, n *logical.Rollup) *Props {
	rows := LevelRows(in, n)
	p := &Props{in: [2]*Props{in}}
	for _, r := range rows {
		p.Rows += r
	}
	above := 0.0 // rows of the levels that omit the key
	for i, k := range n.Keys {
		above += rows[i]
		c, _ := in.Col(k.ID)
		null := above / max(1, p.Rows)
		col := Column{Type: k.T, NDV: max(1, c.NDV), Null: null + (1-null)*c.Null, Width: max(TypeWidth(k.T), c.Width)}
		col.Lo, col.Hi, col.Bounded = c.Lo, c.Hi, c.Bounded
		p.own = append(p.own, ownColumn{n.Out[i].ID, col})
	}
	levels := float64(len(n.Keys))
	p.own = append(p.own, ownColumn{n.Level.ID, Column{Type: types.T(types.Int64), NDV: levels + 1, Hi: levels, Bounded: true, Width: 8}})
	for i := range n.Items {
		it := &n.Items[i]
		p.own = append(p.own, ownColumn{it.Col.ID, Column{Type: it.Col.T, NDV: max(1, p.Rows), Width: TypeWidth(it.Col.T)}})
	}
	return p
}
