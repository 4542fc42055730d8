package statement

import (
	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// Placeholders selects the ? of a statement that stay in its plan, so that the plan serves for
// other values. A placeholder can stay if it is compared with a column of a table, is an element
// of an IN list for one, or is a pattern that one is matched with. Elsewhere its value may
// determine types and forms of expressions, or rules may simplify a constant further, so it is
// bound. Settle determines after binding which placeholders can stay.
type Placeholders struct {
	free   []bool // by number: the placeholder may stay
	pinned []bool // by number: its value was bound
	made   []*expr.Placeholder
	// converted holds the placeholders that comparisons converted, once settled.
	converted []*expr.Placeholder
}

// settling is a search of a plan for placeholders.
type settling struct {
	*Placeholders
	left    map[*expr.Placeholder]bool
	columns map[expr.ColID]bool // columns of tables
}

// NewPlaceholders returns Placeholders that leave all placeholders with the given values, except NULLs, in the
// plan.
func NewPlaceholders(values []catalog.Datum) *Placeholders {
	p := &Placeholders{free: make([]bool, len(values)), pinned: make([]bool, len(values))}
	for i := range values {
		p.free[i] = !values[i].Null && values[i].Type.ID != types.Null
	}
	return p
}

// Pinned reports whether the plan depends on the value of placeholder i.
func (p *Placeholders) Pinned(i int) bool { return p.pinned[i] }

// Fit reports whether other values of the remaining placeholders are converted like the current
// ones, so that the plan is valid for them.
func (p *Placeholders) Fit(values []catalog.Datum) bool {
	for _, e := range p.converted {
		if _, ok := e.Const(values[e.Index]); !ok {
			return false
		}
	}
	return true
}

// Bind makes all placeholders constants.
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

// Settle reports whether all placeholders in n may stay there. If not, n must not be used: the
// statement has to be bound again with the values of those that may not stay. A placeholder that
// was made but is not in n counts among those, because it may have been compared with other
// expressions.
func (p *Placeholders) Settle(n logical.Node) bool {
	if len(p.made) == 0 {
		return true
	}
	s := p.settling()
	EachNode(n, s.scan)
	EachNode(n, func(n logical.Node) { logical.EachExpr(n, s.expr) })
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

// SettleStored is Settle for a statement whose plan n computes what is stored. Stored values may also be
// placeholders, converted or as operands of plain arithmetic.
func (p *Placeholders) SettleStored(n logical.Node) bool {
	if len(p.made) == 0 {
		return true
	}
	s := p.settling()
	EachNode(n, s.scan)
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
		EachNode(in, func(n logical.Node) { logical.EachExpr(n, s.expr) })
	}
	return s.settled()
}

// stored records the placeholders in a stored value.
func (s *settling) stored(e expr.Expr) {
	switch x := e.(type) {
	case *expr.Placeholder:
		s.leave(x)
		return
	case *expr.Call:
		switch x.Fn {
		case expr.FuncAssign, expr.FuncFit, expr.FuncCast, expr.FuncRTrim, expr.FuncAdd, expr.FuncSub, expr.FuncMul:
			for _, a := range x.Args {
				s.stored(a)
			}
			return
		}
	}
	s.expr(e)
}

// leave records a placeholder that may stay.
func (s *settling) leave(p *expr.Placeholder) {
	s.left[p.Made()] = true
	if p != p.Made() {
		s.converted = append(s.converted, p)
	}
}

// EachNode calls f for n and all nodes below it, including those of subqueries in expressions.
func EachNode(n logical.Node, f func(logical.Node)) {
	f(n)
	logical.EachExpr(n, func(e expr.Expr) {
		expr.Walk(e, func(e expr.Expr) bool {
			if q, ok := e.(*expr.Subquery); ok {
				if plan, ok := q.Plan.(logical.Node); ok {
					EachNode(plan, f)
				}
			}
			return true
		})
	})
	for _, in := range n.Inputs() {
		EachNode(in, f)
	}
}

func (s *settling) scan(n logical.Node) {
	if scan, ok := n.(*logical.Scan); ok {
		for i := range scan.Columns {
			s.columns[scan.Columns[i].ID] = true
		}
	}
}

// expr records the placeholders below e and marks misplaced ones to be bound next time.
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

// plainOperand reports whether argument i of a call may be a placeholder, that is, whether the
// call treats all values of its type alike.
func (s *settling) plainOperand(c *expr.Call, i int) bool {
	switch c.Fn {
	case expr.FuncEQ, expr.FuncNE, expr.FuncLT, expr.FuncLE, expr.FuncGT, expr.FuncGE, expr.FuncNullSafeEQ:
		return s.isColumn(c.Args[1-i])
	case expr.FuncIn:
		return i > 0 && s.isColumn(c.Args[0])
	case expr.FuncLike:
		return i == 1 && s.isColumn(c.Args[0]) && c.Args[0].Type().ID == types.String
	}
	return false
}

// isColumn reports whether e is a column of a table, or a cast of one, whose type compares without conversion.
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
		if !ok || c.Fn != expr.FuncCast {
			col, ok := e.(*expr.Col)
			return ok && s.columns[col.ID]
		}
		e = c.Args[0]
	}
}
