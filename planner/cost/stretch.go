package cost

import (
	"gsql/planner/logical"
	"gsql/sql/expr"
)

// sided is a range predicate between the sides of a join, l op r.
type sided struct {
	l  expr.Expr
	op string
	r  expr.Expr
}

// takeStretch takes two comparisons out of list that bound an operand by a column and by
// its neighbour in the order of the column: of the rows with equal partition keys one at
// most satisfies both. share is that of all pairs; 1 where there are no such two.
func takeStretch(list []sided, l, r *Props) (rest []sided, share float64) {
	for i, a := range list {
		for k, b := range list[:i] {
			side, x, y := r, a.r, b.r
			parts := side.stretches(x, y)
			if parts == 0 {
				side, x, y = l, a.l, b.l
				parts = side.stretches(x, y)
			}
			if parts > 0 {
				rest = append(append(append(rest, list[:k]...), list[k+1:i]...), list[i+1:]...)
				return rest, min(1, parts/max(1, side.Rows))
			}
		}
	}
	return list, 1
}

// stretches gives the partitions of which each has one row at most between two operands,
// 0 where they are not a column and its neighbour.
func (p *Props) stretches(a, b expr.Expr) float64 {
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

// neighbour gives the column of COALESCE(column, constant).
func neighbour(e expr.Expr) *expr.Col {
	c, ok := e.(*expr.Call)
	if !ok || c.Fn != "coalesce" || len(c.Args) != 2 {
		return nil
	}
	if _, ok := c.Args[1].(*expr.Const); !ok {
		return nil
	}
	col, _ := bareCol(c.Args[0])
	return col
}

// besideOf notes of a column that LAG or LEAD makes whose neighbours it holds.
func (c *Column) besideOf(it *logical.WindowItem, n *logical.Window, in *Props) {
	arg, ok := it.Fn.Args[0].(*expr.Col)
	if !ok || it.Fn.N != 1 || len(n.Order) != 1 {
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
