package cost

import (
	"gsql/planner/logical"
	"gsql/sql/expr"
)

// sided is a range predicate between the sides of a join, l op r.
type sided struct {
	l  expr.Expr
	op expr.FuncID
	r  expr.Expr
}

// takeAdjacent removes from list two comparisons that bound an operand by a column and by the
// value of the adjacent row in that column's order: among rows with equal partition keys, at most
// one satisfies both. share is the share of all pairs that satisfy them, or 1 if there are no
// such comparisons.
func takeAdjacent(list []sided, l, r *Props) (rest []sided, share float64) {
	for i, a := range list {
		for k, b := range list[:i] {
			side, x, y := r, a.r, b.r
			parts := side.adjacentPartitions(x, y)
			if parts == 0 {
				side, x, y = l, a.l, b.l
				parts = side.adjacentPartitions(x, y)
			}
			if parts > 0 {
				rest = append(append(append(rest, list[:k]...), list[k+1:i]...), list[i+1:]...)
				return rest, min(1, parts/max(1, side.Rows))
			}
		}
	}
	return list, 1
}

// adjacentPartitions returns the number of partitions, each of which has at most one row between
// two operands. It returns 0 unless the operands are a column and its value in the adjacent row.
func (p *Props) adjacentPartitions(a, b expr.Expr) float64 {
	for range 2 {
		near, ok := bareCol(a)
		if far := neighbour(b); ok && far != nil {
			if c, known := p.Col(far.ID); known && c.beside == near.ID && near.ID != 0 {
				return c.parts
			}
		}
		a, b = b, a
	}
	return 0
}

// neighbour returns the column in COALESCE(column, constant), or nil.
func neighbour(e expr.Expr) *expr.Col {
	c, ok := e.(*expr.Call)
	if !ok || c.Fn != expr.FuncCoalesce || len(c.Args) != 2 {
		return nil
	}
	if _, ok := c.Args[1].(*expr.Const); !ok {
		return nil
	}
	col, _ := bareCol(c.Args[0])
	return col
}

// besideOf records for a column made by LAG or LEAD which column holds the adjacent rows' values.
func (c *Column) besideOf(it *logical.WindowItem, n *logical.Window, in *Props) {
	arg, ok := it.Fn.Args[0].(*expr.Col)
	if !ok || it.Fn.N != 1 || len(n.Order) == 0 { // further keys order tied rows, and only one of those is adjacent to another value
		return
	}
	if by, ok := n.Order[0].Expr.(*expr.Col); !ok || by.ID != arg.ID {
		return
	}
	parts := 1.0
	for _, e := range n.Partition {
		parts *= in.NDV(e)
	}
	c.beside, c.parts = arg.ID, max(1, min(parts, in.Rows))
}
