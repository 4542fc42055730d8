package implement

import (
	"gsql/planner/cost"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// Template is a plan with placeholders. It gives plans for further values of these, as far
// as the estimates that it was chosen by hold for them too. It is safe for concurrent use.
type Template struct {
	root  *physical.Node
	holds map[*physical.Node]bool    // nodes with placeholders in or below them
	kept  map[*physical.Node]float64 // rows that the predicates of scans with placeholders were reckoned to keep
}

// NewTemplate makes a Template of a finished plan.
func NewTemplate(root *physical.Node) *Template {
	t := &Template{root: root, holds: map[*physical.Node]bool{}, kept: map[*physical.Node]float64{}}
	t.visit(root)
	return t
}

func (t *Template) visit(n *physical.Node) bool {
	here := false
	physical.MapExprs(n.Op, func(e expr.Expr) expr.Expr {
		expr.Walk(e, func(e expr.Expr) bool {
			_, is := e.(*expr.Placeholder)
			here = here || is
			return true
		})
		return e
	})
	if s, ok := n.Op.(*physical.Scan); ok && here {
		t.kept[n] = keptRows(n, s)
	}
	for _, in := range n.In {
		here = t.visit(in) || here
	}
	if here {
		t.holds[n] = true
	}
	return here
}

// With gives the plan for other values of the placeholders, by their numbers: a copy of what
// has some. All have to be converted as those at hand were: see expr.Placeholder.Const. good
// is false where another plan may be better for these.
func (t *Template) With(values []catalog.Datum) (plan *physical.Node, good bool) {
	return t.with(t.root, func(e expr.Expr) expr.Expr {
		return expr.Map(e, func(e expr.Expr) expr.Expr {
			if p, ok := e.(*expr.Placeholder); ok {
				c, _ := p.Const(values[p.Index])
				return c
			}
			return e
		})
	})
}

func (t *Template) with(n *physical.Node, value func(expr.Expr) expr.Expr) (*physical.Node, bool) {
	if !t.holds[n] {
		return n, true
	}
	m, good := *n, true
	m.Op = physical.MapExprs(n.Op, value)
	if s, ok := m.Op.(*physical.Scan); ok && m.Op != n.Op {
		s.Prune, s.Keys = pruneRanges(scanned(&m, s)), keysLeft(scanned(&m, s))
		good = alike(t.kept[n], keptRows(&m, s))
	}
	m.In = make([]*physical.Node, len(n.In))
	for i, in := range n.In {
		below, ok := t.with(in, value)
		m.In[i], good = below, good && ok
	}
	return &m, good
}

// scanned gives what a scan reads as the logical plan said it.
func scanned(n *physical.Node, s *physical.Scan) *logical.Scan {
	return &logical.Scan{Table: s.Table, Alias: s.Alias, Columns: n.Cols, Ordinals: s.Ordinals, Preds: s.Preds}
}

// keptRows estimates the rows of a table for which a scan's predicates are true.
func keptRows(n *physical.Node, s *physical.Scan) float64 {
	base := cost.NewEstimator().Base(scanned(n, s))
	return base.Rows * cost.Conj(s.Preds, base)
}

// A plan serves for estimates that are at most alikeTimes those that it was made by, or the
// other way round. Among fewRows all plans are good.
const (
	alikeTimes = 4
	fewRows    = 256
)

func alike(a, b float64) bool {
	a, b = max(a, fewRows), max(b, fewRows)
	return a <= alikeTimes*b && b <= alikeTimes*a
}
