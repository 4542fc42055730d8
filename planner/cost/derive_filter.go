package cost

import (
	"math"

	"gsql/sql/expr"
)

// Filtered returns the Props after a filter. The estimate does not drop below one row unless the
// input is empty: no other result is certain to be empty.
func Filtered(in *Props, preds []expr.Expr) *Props {
	if len(preds) == 0 {
		return in
	}
	rows := max(min(in.Rows*Conj(preds, in), in.mostByKey(preds)), min(in.Rows, 1))
	p := &Props{Rows: rows, in: [2]*Props{in}, ordered: true, reviewed: reviewedRows(in, preds, rows)}
	for _, e := range preds {
		p.learn(e)
	}
	return p
}

// Correlated returns the Props of in after predicates that compare its columns with those of
// outer, for the average row of outer.
func Correlated(in, outer *Props, preds []expr.Expr) *Props {
	p := &Props{Rows: max(in.Rows*JoinShare(preds, outer, in), min(in.Rows, 1)), in: [2]*Props{in}, ordered: true}
	for _, e := range preds {
		p.learn(e)
	}
	return p
}

// learn narrows a column by a predicate that holds for all rows of p.
func (p *Props) learn(e expr.Expr) {
	if c, ok := comparison(e, p); ok {
		p.learnComparison(c)
		return
	}
	call, ok := e.(*expr.Call)
	if !ok {
		return
	}
	switch call.Fn {
	case expr.FuncIn:
		if c, ok := call.Args[0].(*expr.Col); ok {
			if col, ok := p.Col(c.ID); ok {
				col.keep(float64(len(call.Args)-1) / col.Domain)
				col.Null, col.mcv = 0, nil
				p.set(c.ID, col)
			}
		}
	case expr.FuncNot:
		if inner, ok := call.Args[0].(*expr.Call); ok && inner.Fn == expr.FuncIsNull {
			p.notNull(inner.Args[0])
		}
	case expr.FuncEQ, expr.FuncNE, expr.FuncLT, expr.FuncLE, expr.FuncGT, expr.FuncGE, expr.FuncLike:
		p.notNull(call.Args[0])
		p.notNull(call.Args[1])
	}
}

func (p *Props) notNull(e expr.Expr) {
	if c, ok := e.(*expr.Col); ok {
		if col, ok := p.Col(c.ID); ok && col.Null > 0 {
			col.Null = 0
			p.set(c.ID, col)
		}
	}
}

func (p *Props) learnComparison(c compared) {
	col := c.col
	x := convert(c.value, col.Type)
	if col.Type.IsInteger() {
		switch c.op {
		case expr.FuncLT:
			x = math.Ceil(x) - 1
		case expr.FuncGT:
			x = math.Floor(x) + 1
		}
	}
	switch c.op {
	case expr.FuncEQ, expr.FuncNullSafeEQ:
		col.NDV, col.Domain, col.Lo, col.Hi, col.Bounded = 1, 1, x, x, true
		col.hist, col.mcv = nil, nil
	case expr.FuncLT, expr.FuncLE:
		if col.Bounded && x < col.Hi {
			col.keep(col.upTo(x, false))
			col.Hi, col.mcv = max(x, col.Lo), nil
		}
	case expr.FuncGT, expr.FuncGE:
		if col.Bounded && x > col.Lo {
			col.keep(1 - col.upTo(x, true))
			col.Lo, col.mcv = min(x, col.Hi), nil
		}
	}
	col.Null = 0
	p.set(c.id, col)
}

// keep narrows a column to a share of its possible values.
func (c *Column) keep(share float64) {
	if share < 1 {
		c.NDV, c.Domain = max(1, c.NDV*share), max(1, c.Domain*share)
	}
}
