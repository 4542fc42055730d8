package implement

import (
	"slices"

	"gsql/planner/colset"
	"gsql/planner/cost"
	"gsql/planner/implement/windowsort"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// window implements a chain of windows over one input with as few sorts as possible.
func (p *planner) window(n *logical.Window, need colset.Set) (variants, error) {
	windows, in := windowChain(n)
	for _, w := range windows {
		logical.EachExpr(w, func(e expr.Expr) { need = need.With(e) })
	}
	v, err := p.plan(in, need)
	if err != nil {
		return nil, err
	}
	props := p.est.Derive(in)
	for _, s := range windowsort.Share(windows) {
		v = p.windowOver(s, props, v)
	}
	return v, nil
}

// windowChain returns the chain of windows from n down that do not depend on one another, the
// lowest first, and its input. A window that drops rows forms a chain by itself.
func windowChain(n *logical.Window) ([]*logical.Window, logical.Node) {
	windows := []*logical.Window{n}
	var used colset.Set
	for {
		top := windows[len(windows)-1]
		logical.EachExpr(top, func(e expr.Expr) { used.AddExpr(e) })
		next, ok := top.In.(*logical.Window)
		ok = ok && top.Top.Count == 0 && next.Top.Count == 0
		if ok {
			for _, f := range next.Funcs {
				ok = ok && !used.Has(f.Col.ID)
			}
		}
		if !ok {
			slices.Reverse(windows)
			return windows, top.In
		}
		windows = append(windows, next)
	}
}

// windowOver returns the operator of one sort.
func (p *planner) windowOver(s *windowsort.Sort, in *cost.Props, v variants) variants {
	op := &physical.Window{Keys: s.SortKeys()}
	cols := slices.Clone(v.columns())
	nterms := 0.0
	for _, w := range s.Windows {
		partition, order := s.Position(w)
		for _, f := range w.Funcs {
			if w.Top.Count > 0 && w.Top.By == f.Col.ID {
				op.Top, op.TopBy = w.Top.Count, len(op.Funcs)
			}
			op.Funcs = append(op.Funcs, physical.WindowFunc{WindowFunc: f.Fn, Partition: partition, Order: order})
			cols = append(cols, f.Col)
			f.Fn.Exprs(func(e expr.Expr) { nterms += terms(e) })
		}
	}
	rows, keys, width, funcs := in.Rows, float64(len(op.Keys)), float64(len(cols)), float64(len(op.Funcs))
	ms := 0.0
	if op.Top > 0 {
		partitions := cost.Partitions(in, s.Windows[0])
		rows = min(rows, partitions*float64(op.Top))
		ms = p.cpu.HashAgg(in.Rows, partitions, float64(len(s.Windows[0].Partition)), 1, 0)
	}
	bytes := rows * (p.est.Width(in, cols) + sortEntryBytes)
	return p.single(op, cols, rows, bytes, ms+p.cpu.Window(rows, keys, width, funcs, nterms), v)
}
