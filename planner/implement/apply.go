package implement

import (
	"gsql/planner/colset"
	"gsql/planner/cost"
	"gsql/planner/implement/classify"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// apply implements a correlated join: the right side runs once for each distinct combination of
// the outer columns it refers to. These become parameters; parameters of enclosing applies are
// passed on.
func (p *planner) apply(n *logical.Join, need colset.Set) (variants, error) {
	lp := p.est.Derive(n.L)
	b := binder{est: p.est, outer: lp, slots: map[expr.ColID]int{}, params: map[int]int{}}
	inner, err := b.rewrite(n.R)
	if err != nil {
		return nil, err
	}
	l, err := p.plan(n.L, need.With(n.On...).With(b.bind...))
	if err != nil {
		return nil, err
	}
	outermost := !p.inApply
	p.inApply = true
	r, err := p.plan(inner, need.With(n.On...))
	p.inApply = !outermost
	if err != nil {
		return nil, err
	}
	free := *n
	free.R, free.Correlated = inner, false
	out := cost.Joined(&free, lp, p.est.Derive(inner))
	p.est.Set(n, out)
	op := &physical.Apply{Type: n.Kind, Bind: b.bind, On: n.On}
	if n.Kind == logical.Mark {
		op.MarkID = n.MarkCol.ID
	}
	runs := bindings(lp, b.bind)
	inside := r.home()
	lc, rc := l.columns(), r.columns()
	all := colset.Of(lc)
	all.AddColumns(rc)
	cols := joinColumns(n, lc, rc, all)
	ms := p.cpu.HashAgg(lp.Rows, runs, float64(len(b.bind)), 0, 0) + p.cpu.Runs(runs, inside.Est.TotalMS, operators(inside)) - inside.Est.TotalMS + p.cpu.Project(out.Rows, terms(n.On...))
	return p.single(op, cols, out.Rows, 0, ms, l, r), nil
}

// operators returns the number of operators of a plan.
func operators(n *physical.Node) float64 {
	all := 1.0
	for _, in := range n.In {
		all += operators(in)
	}
	return all
}

// bindings estimates the number of distinct combinations of the bound values.
func bindings(l *cost.Props, bind []expr.Expr) float64 {
	n := 1.0
	for _, e := range bind {
		n *= l.NDV(e)
	}
	return min(n, max(1, l.Rows))
}

// binder replaces the outer columns of a subtree by parameters.
type binder struct {
	est    *cost.Estimator
	outer  *cost.Props // the input whose rows supply the outer columns
	inner  colset.Set  // columns that the subtree itself returns
	bind   []expr.Expr
	slots  map[expr.ColID]int // outer column -> slot
	params map[int]int        // slot of the enclosing apply -> slot
}

func (b *binder) rewrite(n logical.Node) (logical.Node, error) {
	var produced colset.Set
	collect(n, &produced)
	b.inner = produced
	return b.node(n)
}

// collect adds the columns that any operator of the subtree returns.
func collect(n logical.Node, s *colset.Set) {
	switch n := n.(type) {
	case *logical.Scan:
		s.AddColumns(n.Columns)
	case *logical.Values:
		s.AddColumns(n.Columns)
	case *logical.SetOp:
		s.AddColumns(n.Columns)
	case *logical.Recursive:
		s.AddColumns(n.Columns)
	case *logical.WorkTable:
		s.AddColumns(n.Columns)
	case *logical.Project:
		for i := range n.Items {
			s.Add(n.Items[i].Col.ID)
		}
	case *logical.Aggregate:
		for i := range n.Aggs {
			s.Add(n.Aggs[i].Col.ID)
		}
	case *logical.Rollup:
		s.AddColumns(n.Schema())
	case *logical.Window:
		for i := range n.Funcs {
			s.Add(n.Funcs[i].Col.ID)
		}
	case *logical.Join:
		if n.Kind == logical.Mark {
			s.Add(n.MarkCol.ID)
		}
	}
	for _, in := range n.Inputs() {
		collect(in, s)
	}
}

func (b *binder) node(n logical.Node) (logical.Node, error) {
	if a, ok := n.(*logical.Aggregate); ok {
		for _, k := range a.Keys {
			if !b.inner.Has(k.ID) {
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
	m := logical.MapExprs(n, func(e expr.Expr) expr.Expr { return expr.Map(e, b.param) })
	b.estimate(n, m)
	return m, nil
}

// estimate records how many rows of n satisfy its predicates over outer columns on average. m,
// which has parameters in their place, carries no information about their values.
func (b *binder) estimate(n, m logical.Node) {
	var in *cost.Props
	var free []expr.Expr
	switch x := n.(type) {
	case *logical.Scan:
		s := *x
		free, s.Preds = b.split(x.Preds)
		in = b.est.Derive(&s)
	case *logical.Filter:
		var bound []expr.Expr
		free, bound = b.split(x.Preds)
		in = cost.Filtered(b.est.Derive(x.In), bound)
	}
	if len(free) > 0 {
		b.est.Set(m, cost.Correlated(in, b.outer, free))
	}
}

// split separates predicates with outer columns (free) from those without (bound).
func (b *binder) split(preds []expr.Expr) (free, bound []expr.Expr) {
	for _, e := range preds {
		if classify.Over(e, b.inner) {
			bound = append(bound, e)
		} else {
			free = append(free, e)
		}
	}
	return free, bound
}

func (b *binder) param(e expr.Expr) expr.Expr {
	switch x := e.(type) {
	case *expr.Col:
		if b.inner.Has(x.ID) {
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
