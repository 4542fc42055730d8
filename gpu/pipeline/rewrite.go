package pipeline

import "slices"

// EachExpr replaces each expression of a pipeline by what f returns for it.
func (p *Pipeline) EachExpr(f func(*Expr) *Expr) {
	set := func(e **Expr) {
		if *e != nil {
			*e = f(*e)
		}
	}
	p.Stages = slices.Clone(p.Stages)
	for i := range p.Stages {
		s := &p.Stages[i]
		set(&s.Pred)
		set(&s.Key)
		set(&s.Where)
	}
	s := &p.Sink
	set(&s.Key)
	set(&s.Value)
	s.Stores, s.Accs = slices.Clone(s.Stores), slices.Clone(s.Accs)
	for i := range s.Stores {
		set(&s.Stores[i].Expr)
	}
	for i := range s.Accs {
		set(&s.Accs[i].Arg)
	}
}

// Replace returns e with the expressions replaced for which with returns another one. The values
// and bounds of all other expressions must stay the same.
func (b *Builder) Replace(e *Expr, with func(*Expr) *Expr) *Expr {
	return replaced(b, e, with, map[*Expr]*Expr{})
}

// replaced is Replace after some expressions, which done has.
func replaced(b *Builder, e *Expr, with func(*Expr) *Expr, done map[*Expr]*Expr) *Expr {
	if r, ok := done[e]; ok {
		return r
	}
	r := with(e)
	if r == nil {
		r = e
		changed := *e
		changed.Args = make([]*Expr, len(e.Args))
		for i, a := range e.Args {
			changed.Args[i] = replaced(b, a, with, done)
		}
		if !slices.Equal(changed.Args, e.Args) {
			r = b.unique(changed)
		}
	}
	done[e] = r
	return r
}
