package cost

import (
	"gsql/planner/logical"
	"gsql/sql/expr"
)

// Joined returns the Props of a join over inputs with the given Props.
func Joined(n *logical.Join, l, r *Props) *Props {
	p := &Props{in: [2]*Props{l, r}}
	rows := joinRows(n.Kind, n.On, l, r)
	if n.Kind != logical.Anti || l.Rows == 0 {
		rows = max(rows, min(1, min(l.Rows, r.Rows)))
	}
	p.Rows = rows
	switch n.Kind {
	case logical.Semi:
		p.learnKeys(n.On, l, r)
		p.in[1] = nil
	case logical.Anti:
		p.in[1] = nil
	case logical.Mark:
		p.in[1] = nil
		p.own = []ownColumn{{n.MarkCol.ID, Column{Type: n.MarkCol.T, NDV: 2, Width: 8, Lo: 0, Hi: 1, Bounded: true}}}
	case logical.Left, logical.Single:
		p.padded[1] = clamp((1-MatchShare(n.On, l, r))*l.Rows/max(rows, 1), 0, 1)
	case logical.Full:
		p.padded[1] = clamp((1-MatchShare(n.On, l, r))*l.Rows/max(rows, 1), 0, 1)
		p.padded[0] = clamp((1-MatchShare(n.On, r, l))*r.Rows/max(rows, 1), 0, 1)
	case logical.Inner:
		p.learnKeys(n.On, l, r)
	}
	return p
}

// learnKeys narrows the columns of a join's equalities to their common values.
func (p *Props) learnKeys(on []expr.Expr, l, r *Props) {
	for _, e := range on {
		a, op, b, ok := Sides(e, l, r)
		if !ok || op != expr.FuncEQ {
			continue
		}
		ca, aok := a.(*expr.Col)
		cb, bok := b.(*expr.Col)
		if !aok || !bok {
			continue
		}
		x, _ := l.Col(ca.ID)
		y, _ := r.Col(cb.ID)
		x.review()
		y.review()
		x.Null, y.Null = 0, 0
		x.Sorted, y.Sorted = x.Sorted && p.ordered, false
		whole := y
		y.keptWithin(&x)
		x.keptWithin(&whole)
		before := [2]float64{x.NDV, y.NDV}
		x.NDV = max(1, min(x.NDV, y.NDV, x.NDV*y.NDV/max(x.Domain, y.Domain)))
		for i, n := range before {
			p.unmet[i] = max(p.unmet[i], 1-x.NDV/n)
		}
		x.Domain, y.NDV, y.Domain = x.NDV, x.NDV, x.NDV
		if x.Bounded && y.Bounded && sameScale(x.Type, y.Type) {
			x.Lo, x.Hi = max(x.Lo, y.Lo), max(max(x.Lo, y.Lo), min(x.Hi, y.Hi))
			y.Lo, y.Hi = x.Lo, x.Hi
		}
		p.set(ca.ID, x)
		p.set(cb.ID, y)
	}
}
