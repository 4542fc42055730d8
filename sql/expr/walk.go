package expr

// Walk calls f for e and everything below it, parents first, while f returns true.
// It does not enter the plans of subqueries.
func Walk(e Expr, f func(Expr) bool) {
	if e == nil || !f(e) {
		return
	}
	switch e := e.(type) {
	case *Call:
		for _, a := range e.Args {
			Walk(a, f)
		}
	case *Subquery:
		for _, a := range e.Left {
			Walk(a, f)
		}
	}
}

// Map rebuilds e bottom-up: f is given each node with its arguments already mapped
// and returns what takes its place. Unchanged nodes are shared, not copied.
func Map(e Expr, f func(Expr) Expr) Expr {
	switch x := e.(type) {
	case *Call:
		if args, changed := mapAll(x.Args, f); changed {
			c := *x
			c.Args = args
			e = &c
		}
	case *Subquery:
		if left, changed := mapAll(x.Left, f); changed {
			s := *x
			s.Left = left
			e = &s
		}
	}
	return f(e)
}

func mapAll(in []Expr, f func(Expr) Expr) ([]Expr, bool) {
	out, changed := make([]Expr, len(in)), false
	for i, a := range in {
		out[i] = Map(a, f)
		changed = changed || out[i] != a
	}
	return out, changed
}

// Cols adds the ids of the columns that e refers to to set.
func Cols(e Expr, set map[ColID]bool) {
	Walk(e, func(e Expr) bool {
		if c, ok := e.(*Col); ok {
			set[c.ID] = true
		}
		return true
	})
}

// Conjuncts splits e at its top-level ANDs.
func Conjuncts(e Expr) []Expr {
	if c, ok := e.(*Call); ok && c.Fn == "and" {
		var out []Expr
		for _, a := range c.Args {
			out = append(out, Conjuncts(a)...)
		}
		return out
	}
	return []Expr{e}
}
