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

// Map rebuilds e bottom-up: f receives each node with its arguments already mapped and returns the
// replacement. Unchanged nodes are shared, not copied.
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
	var out []Expr
	for i, a := range in {
		if m := Map(a, f); m != a {
			if out == nil {
				out = append([]Expr(nil), in...)
			}
			out[i] = m
		}
	}
	return out, out != nil
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
	n := 1
	if c, ok := e.(*Call); ok && c.Fn == FuncAnd {
		n = len(c.Args)
	}
	return appendConjuncts(make([]Expr, 0, n), e)
}

func appendConjuncts(dst []Expr, e Expr) []Expr {
	c, ok := e.(*Call)
	if !ok || c.Fn != FuncAnd {
		return append(dst, e)
	}
	for _, a := range c.Args {
		dst = appendConjuncts(dst, a)
	}
	return dst
}
