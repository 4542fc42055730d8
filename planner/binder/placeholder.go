package binder

import (
	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// Placeholders says which ? of a statement are left in what is bound, so that a plan of it
// serves for other values: those that are compared with columns of tables, elements of IN lists
// for them and patterns that they are matched with. Where one stands elsewhere, its value may
// decide about types and forms of expressions, or rules may make more of a constant, and it is
// bound. Where one is left shows when a statement is bound: see Settle.
type Placeholders struct {
	free   []bool // by number: it may be left
	pinned []bool // its value was bound
	made   []*expr.Placeholder
	// converted are those that comparisons converted, once settled.
	converted []*expr.Placeholder
}

// settling is a search for placeholders.
type settling struct {
	*Placeholders
	left    map[*expr.Placeholder]bool
	columns map[expr.ColID]bool // of tables
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

// Fit tells whether other values of the placeholders left are converted as those at hand were,
// so that what was bound holds for them.
func (p *Placeholders) Fit(values []catalog.Datum) bool {
	for _, e := range p.converted {
		if _, ok := e.Const(values[e.Index]); !ok {
			return false
		}
	}
	return true
}

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
	s := p.settling()
	each(n, s.scan)
	each(n, func(n logical.Node) { logical.EachExpr(n, s.expr) })
	return s.settled()
}

func (p *Placeholders) settling() *settling {
	p.converted = nil
	return &settling{p, map[*expr.Placeholder]bool{}, map[expr.ColID]bool{}}
}

// settled ends a search.
func (s *settling) settled() bool {
	all := true
	for _, e := range s.made {
		if !s.left[e] || s.pinned[e.Index] {
			s.free[e.Index] = false
		}
		all = all && s.free[e.Index]
	}
	s.made = nil
	return all
}

// SettleStored is Settle for a statement whose plan n gives what is stored: placeholders may also
// be that, converted or as operands of plain arithmetic.
func (p *Placeholders) SettleStored(n logical.Node) bool {
	if len(p.made) == 0 {
		return true
	}
	s := p.settling()
	each(n, s.scan)
	switch n := n.(type) {
	case *logical.Project:
		for i := range n.Items {
			s.stored(n.Items[i].Expr)
		}
	case *logical.Values:
		for _, row := range n.Rows {
			for _, e := range row {
				s.stored(e)
			}
		}
	default:
		logical.EachExpr(n, s.expr)
	}
	for _, in := range n.Inputs() {
		each(in, func(n logical.Node) { logical.EachExpr(n, s.expr) })
	}
	return s.settled()
}

// stored notes placeholders of a value that is stored.
func (s *settling) stored(e expr.Expr) {
	switch x := e.(type) {
	case *expr.Placeholder:
		s.leave(x)
		return
	case *expr.Call:
		switch x.Fn {
		case "assign", "fit", "cast", "rtrim", "+", "-", "*":
			for _, a := range x.Args {
				s.stored(a)
			}
			return
		}
	}
	s.expr(e)
}

// leave notes a placeholder that is where it may be.
func (s *settling) leave(p *expr.Placeholder) {
	s.left[p.Made()] = true
	if p != p.Made() {
		s.converted = append(s.converted, p)
	}
}

// each calls f for n and all below it, subqueries in expressions included.
func each(n logical.Node, f func(logical.Node)) {
	f(n)
	logical.EachExpr(n, func(e expr.Expr) {
		expr.Walk(e, func(e expr.Expr) bool {
			if q, ok := e.(*expr.Subquery); ok {
				if plan, ok := q.Plan.(logical.Node); ok {
					each(plan, f)
				}
			}
			return true
		})
	})
	for _, in := range n.Inputs() {
		each(in, f)
	}
}

func (s *settling) scan(n logical.Node) {
	if scan, ok := n.(*logical.Scan); ok {
		for i := range scan.Columns {
			s.columns[scan.Columns[i].ID] = true
		}
	}
}

// expr notes placeholders below e, and frees those that are misplaced no longer.
func (s *settling) expr(e expr.Expr) {
	switch x := e.(type) {
	case *expr.Placeholder:
		s.left[x.Made()], s.free[x.Index] = true, false
	case *expr.Subquery:
		for _, a := range x.Left {
			s.expr(a)
		}
	case *expr.Call:
		for i, a := range x.Args {
			v, ok := a.(*expr.Placeholder)
			if !ok || !s.plainOperand(x, i) {
				s.expr(a)
				continue
			}
			s.leave(v)
		}
	}
}

// plainOperand tells whether argument i of a call may be a placeholder: what the call gives
// for one value it gives for all of that type in the same way.
func (s *settling) plainOperand(c *expr.Call, i int) bool {
	switch c.Fn {
	case "=", "<>", "<", "<=", ">", ">=", "<=>":
		return s.isColumn(c.Args[1-i])
	case "in":
		return i > 0 && s.isColumn(c.Args[0])
	case "like":
		return i == 1 && s.isColumn(c.Args[0]) && c.Args[0].Type().ID == types.String
	}
	return false
}

// isColumn tells whether e is a column of a table, of a type that compares plainly, or a cast
// of one.
func (s *settling) isColumn(e expr.Expr) bool {
	for {
		switch t := e.Type(); t.ID {
		case types.String, types.Bytes, types.Float32, types.Float64, types.Decimal, types.Date, types.Datetime, types.Timestamp:
		default:
			if !t.IsInteger() {
				return false
			}
		}
		c, ok := e.(*expr.Call)
		if !ok || c.Fn != "cast" {
			col, ok := e.(*expr.Col)
			return ok && s.columns[col.ID]
		}
		e = c.Args[0]
	}
}
