// Package template stores finished plans with placeholders for executions with other values.
package template

import (
	"gsql/planner/access"
	"gsql/planner/cost"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// Template is a plan with placeholders. It returns plans for other values of these, as long as
// the estimates on which the plan was chosen hold for them too. It is safe for concurrent use.
type Template struct {
	root  *physical.Node
	free  bool                       // scans have no table: see NewForTable
	holds map[*physical.Node]bool    // nodes with placeholders in or below them
	kept  map[*physical.Node]float64 // rows that scans with placeholders were estimated to keep
}

// New returns a Template of a finished plan.
func New(root *physical.Node) *Template {
	t := &Template{root: root, holds: map[*physical.Node]bool{}, kept: map[*physical.Node]float64{}}
	t.visit(root)
	return t
}

// NewForTable returns a Template of a plan that reads a single table and does not depend on its
// contents, so that it can be used for other versions of the table. It does not keep a reference
// to the table. ok is false for other plans.
func NewForTable(root *physical.Node, table catalog.Table) (t *Template, ok bool) {
	t = &Template{free: true, holds: map[*physical.Node]bool{}, kept: map[*physical.Node]float64{}}
	t.root, ok = t.release(root, table)
	if ok {
		t.visit(t.root)
	}
	return t, ok
}

// release copies a plan and removes the table from its scans.
func (t *Template) release(n *physical.Node, table catalog.Table) (*physical.Node, bool) {
	m := *n
	switch op := n.Op.(type) {
	case *physical.Values, *physical.Filter, *physical.Project:
	case *physical.Scan:
		if op.Table != table || len(op.Dynamic) > 0 || op.Bound != nil {
			return nil, false
		}
		s := *op
		s.Table = nil
		m.Op = &s
		t.kept[&m] = keptRows(n, op)
	default:
		return nil, false
	}
	m.In = make([]*physical.Node, len(n.In))
	for i, in := range n.In {
		var ok bool
		if m.In[i], ok = t.release(in, table); !ok {
			return nil, false
		}
	}
	return &m, true
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
	if s, ok := n.Op.(*physical.Scan); ok && t.free {
		here = true
	} else if ok && here {
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

// With returns the plan for other values of the placeholders, by index. It copies the nodes with
// placeholders. All values must convert in the same way as the original ones: see
// expr.Placeholder.Const. good is false if another plan may be better for these values.
func (t *Template) With(values []catalog.Datum) (plan *physical.Node, good bool) {
	return t.with(t.root, nil, valuesOf(values))
}

// On is With for a template created by NewForTable and a version of its table.
func (t *Template) On(table catalog.Table, values []catalog.Datum) (plan *physical.Node, good bool) {
	return t.with(t.root, table, valuesOf(values))
}

// valuesOf returns a function that replaces placeholders by constants.
func valuesOf(values []catalog.Datum) func(expr.Expr) expr.Expr {
	return func(e expr.Expr) expr.Expr {
		return expr.Map(e, func(e expr.Expr) expr.Expr {
			switch x := e.(type) {
			case *expr.Placeholder:
				c, _ := x.Const(values[x.Index])
				return c
			case *expr.Call:
				return stored(x)
			}
			return e
		})
	}
}

// stored converts a constant to the form that a column stores, if that needs no computation.
func stored(c *expr.Call) expr.Expr {
	if c.Fn != expr.FuncAssign && c.Fn != expr.FuncFit {
		return c
	}
	_, constant := c.Args[0].(*expr.Const)
	column, ok := expr.ConstText(c.Args[1])
	switch {
	case !constant || !ok:
		return c
	case c.Fn == expr.FuncFit:
		return expr.Fit(c.Args[0], c.T, column, c.Pos)
	}
	return expr.Assign(c.Args[0], c.T, column, c.Pos)
}

func (t *Template) with(n *physical.Node, table catalog.Table, value func(expr.Expr) expr.Expr) (*physical.Node, bool) {
	if !t.holds[n] {
		return n, true
	}
	m, good := *n, true
	m.Op = physical.MapExprs(n.Op, value)
	if s, ok := m.Op.(*physical.Scan); ok && (t.free || m.Op != n.Op) {
		if t.free {
			c := *s
			c.Table, s, m.Op = table, &c, &c
		}
		s.Prune, s.Keys = access.Ranges(scanned(&m, s)), access.Keys(scanned(&m, s))
		good = t.free && s.Keys != nil || alike(t.kept[n], keptRows(&m, s))
	}
	m.In = make([]*physical.Node, len(n.In))
	for i, in := range n.In {
		below, ok := t.with(in, table, value)
		m.In[i], good = below, good && ok
	}
	return &m, good
}

// scanned returns the logical form of a scan.
func scanned(n *physical.Node, s *physical.Scan) *logical.Scan {
	return &logical.Scan{Table: s.Table, Alias: s.Alias, Columns: n.Cols, Ordinals: s.Ordinals, Preds: s.Preds}
}

// keptRows estimates the rows of a table that satisfy a scan's predicates.
func keptRows(n *physical.Node, s *physical.Scan) float64 {
	base := cost.NewEstimator().Base(scanned(n, s))
	return base.Rows * cost.Conj(s.Preds, base)
}

// A plan is reused if the new estimate is within a factor of alikeTimes of the one that it was
// chosen for. Below fewRows, all plans are good.
const (
	alikeTimes = 4
	fewRows    = 256
)

func alike(a, b float64) bool {
	a, b = max(a, fewRows), max(b, fewRows)
	return a <= alikeTimes*b && b <= alikeTimes*a
}
