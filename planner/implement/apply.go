package implement

import (
	"gsql/planner/cost"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// apply implements a correlated join: the right side runs once for each distinct
// combination of the outer columns it refers to. These become parameters; parameters
// of an apply further out are handed on.
func (p *planner) apply(n *logical.Join, need colSet) (variants, error) {
	b := binder{slots: map[expr.ColID]int{}, params: map[int]int{}}
	inner, err := b.rewrite(n.R)
	if err != nil {
		return nil, err
	}
	l, err := p.plan(n.L, need.with(n.On...).with(b.bind...))
	if err != nil {
		return nil, err
	}
	outermost := !p.inApply
	p.inApply = true
	r, err := p.plan(inner, need.with(n.On...))
	p.inApply = !outermost
	if err != nil {
		return nil, err
	}
	free := *n
	free.R, free.Correlated = inner, false
	lp := p.est.Derive(n.L)
	out := cost.Joined(&free, lp, p.est.Derive(inner))
	p.est.Set(n, out)
	op := &physical.Apply{Type: n.Kind, Bind: b.bind, On: n.On}
	if n.Kind == logical.Mark {
		op.MarkID = n.MarkCol.ID
	}
	runs := bindings(lp, b.bind)
	perRun := r.home().Est.TotalMS
	lc, rc := l.columns(), r.columns()
	all := newColSet(lc)
	all.addColumns(rc)
	cols := joinColumns(n, lc, rc, all)
	ms := p.cpu.HashAgg(lp.Rows, runs, float64(len(b.bind)), 0, 0) + max(0, runs-1)*perRun + p.cpu.Project(out.Rows, terms(n.On...))
	return p.single(op, cols, out.Rows, 0, ms, l, r), nil
}

// bindings estimates the distinct combinations of the bound values.
func bindings(l *cost.Props, bind []expr.Expr) float64 {
	n := 1.0
	for _, e := range bind {
		n *= l.NDV(e)
	}
	return min(n, max(1, l.Rows))
}

// binder replaces the outer columns of a subtree by parameters.
type binder struct {
	inner  colSet // columns that the subtree itself gives
	bind   []expr.Expr
	slots  map[expr.ColID]int // outer column -> slot
	params map[int]int        // slot of the apply further out -> slot
}

func (b *binder) rewrite(n logical.Node) (logical.Node, error) {
	var produced colSet
	collect(n, &produced)
	b.inner = produced
	return b.node(n)
}

// collect adds the columns that any operator of the subtree gives.
func collect(n logical.Node, s *colSet) {
	switch n := n.(type) {
	case *logical.Scan:
		s.addColumns(n.Columns)
	case *logical.Values:
		s.addColumns(n.Columns)
	case *logical.SetOp:
		s.addColumns(n.Columns)
	case *logical.Recursive:
		s.addColumns(n.Columns)
	case *logical.WorkTable:
		s.addColumns(n.Columns)
	case *logical.Project:
		for i := range n.Items {
			s.add(n.Items[i].Col.ID)
		}
	case *logical.Aggregate:
		for i := range n.Aggs {
			s.add(n.Aggs[i].Col.ID)
		}
	case *logical.Window:
		for i := range n.Funcs {
			s.add(n.Funcs[i].Col.ID)
		}
	case *logical.Join:
		if n.Kind == logical.Mark {
			s.add(n.MarkCol.ID)
		}
	}
	for _, in := range n.Inputs() {
		collect(in, s)
	}
}

func (b *binder) node(n logical.Node) (logical.Node, error) {
	if a, ok := n.(*logical.Aggregate); ok {
		for _, k := range a.Keys {
			if !b.inner.has(k.ID) {
				return nil, sqlerr.Internal("group key %s is an outer column", k.Name)
			}
		}
	}
	in := n.Inputs()
	changed := false
	out := make([]logical.Node, len(in))
	for i, c := range in {
		m, err := b.node(c)
		if err != nil {
			return nil, err
		}
		out[i], changed = m, changed || m != c
	}
	if changed {
		n = n.WithInputs(out)
	}
	return logical.MapExprs(n, func(e expr.Expr) expr.Expr { return expr.Map(e, b.param) }), nil
}

func (b *binder) param(e expr.Expr) expr.Expr {
	switch x := e.(type) {
	case *expr.Col:
		if b.inner.has(x.ID) {
			return e
		}
		slot, ok := b.slots[x.ID]
		if !ok {
			slot = len(b.bind)
			b.slots[x.ID] = slot
			b.bind = append(b.bind, x)
		}
		return &expr.Param{Slot: slot, T: x.T, Name: x.Name}
	case *expr.Param:
		slot, ok := b.params[x.Slot]
		if !ok {
			slot = len(b.bind)
			b.params[x.Slot] = slot
			b.bind = append(b.bind, x)
		}
		return &expr.Param{Slot: slot, T: x.T, Name: x.Name}
	}
	return e
}
