package binder

import (
	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// Placeholders says which ? of a statement are left in what is bound, so that a plan of it
// serves for other values: those that are operands of comparisons, elements of IN lists and
// patterns of LIKE, where the other operand has a type that compares with theirs as it is.
// Where one stands elsewhere, its value may decide about types and forms of expressions, and
// is bound. Where one is left shows when a statement is bound: see Settle.
type Placeholders struct {
	free   []bool // by number: it may be left
	pinned []bool // its value was bound
	made   []*expr.Placeholder
}

// NewPlaceholders would leave all placeholders with the given values but NULLs.
func NewPlaceholders(values []catalog.Datum) *Placeholders {
	p := &Placeholders{free: make([]bool, len(values)), pinned: make([]bool, len(values))}
	for i := range values {
		p.free[i] = !values[i].Null && values[i].Type.ID != types.Null
	}
	return p
}

// Pinned tells whether what was bound depends on the value of placeholder i.
func (p *Placeholders) Pinned(i int) bool { return p.pinned[i] }

// Bind leaves no placeholder.
func (p *Placeholders) Bind() {
	clear(p.free)
	p.made = nil
}

func (p *Placeholders) isFree(i int) bool { return p != nil && i < len(p.free) && p.free[i] }

func (p *Placeholders) pin(i int) {
	if p != nil && i < len(p.pinned) {
		p.pinned[i] = true
	}
}

func (p *Placeholders) make(i int, d catalog.Datum) *expr.Placeholder {
	e := &expr.Placeholder{Index: i, Value: d}
	p.made = append(p.made, e)
	return e
}

// Settle tells whether all placeholders that were left in n are where they may be. Otherwise
// n must not be used; the statement has to be bound again, with the values of those that are
// not. One that was bound and is not in n counts among them: it may have been compared with
// other expressions.
func (p *Placeholders) Settle(n logical.Node) bool {
	if len(p.made) == 0 {
		return true
	}
	left := map[*expr.Placeholder]bool{}
	p.visit(n, left)
	settled := true
	for _, e := range p.made {
		if !left[e] || p.pinned[e.Index] {
			p.free[e.Index] = false
		}
		settled = settled && p.free[e.Index]
	}
	p.made = nil
	return settled
}

func (p *Placeholders) visit(n logical.Node, left map[*expr.Placeholder]bool) {
	logical.EachExpr(n, func(e expr.Expr) { p.expr(e, left) })
	for _, in := range n.Inputs() {
		p.visit(in, left)
	}
}

// expr notes placeholders below e, and frees those that are misplaced no longer.
func (p *Placeholders) expr(e expr.Expr, left map[*expr.Placeholder]bool) {
	switch x := e.(type) {
	case *expr.Placeholder:
		left[x], p.free[x.Index] = true, false
	case *expr.Subquery:
		for _, a := range x.Left {
			p.expr(a, left)
		}
		if plan, ok := x.Plan.(logical.Node); ok {
			p.visit(plan, left)
		}
	case *expr.Call:
		for i, a := range x.Args {
			if v, ok := a.(*expr.Placeholder); ok && plainOperand(x, i) {
				left[v] = true
			} else {
				p.expr(a, left)
			}
		}
	}
}

// plainOperand tells whether argument i of a call may be a placeholder: what the call gives
// for one value it gives for all of that type in the same way.
func plainOperand(c *expr.Call, i int) bool {
	switch c.Fn {
	case "=", "<>", "<", "<=", ">", ">=", "<=>":
		return comparesPlainly(c.Args[1-i])
	case "in":
		return i > 0 && comparesPlainly(c.Args[0])
	case "like":
		return i == 1 && c.Args[0].Type().ID == types.String
	}
	return false
}

func comparesPlainly(e expr.Expr) bool {
	switch t := e.Type(); t.ID {
	case types.String, types.Bytes, types.Float32, types.Float64, types.Decimal, types.Date, types.Datetime, types.Timestamp:
		return true
	default:
		return t.IsInteger()
	}
}
