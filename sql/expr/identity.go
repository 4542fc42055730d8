package expr

// Equal reports whether a and b are the same expression: the same structure over the same columns,
// constants and types. Subqueries are equal only to themselves. Positions are ignored.
func Equal(a, b Expr) bool {
	if a == b {
		return true
	}
	switch x := a.(type) {
	case *Col:
		y, ok := b.(*Col)
		return ok && x.ID == y.ID
	case *Const:
		y, ok := b.(*Const)
		return ok && x.Value == y.Value
	case *Placeholder:
		y, ok := b.(*Placeholder)
		return ok && x.Index == y.Index && x.Type() == y.Type()
	case *Param:
		y, ok := b.(*Param)
		return ok && x.Slot == y.Slot && x.T == y.T
	case *Call:
		y, ok := b.(*Call)
		return ok && x.Fn == y.Fn && x.T == y.T && equalLists(x.Args, y.Args)
	}
	return false
}

func equalLists(a, b []Expr) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

// Volatile reports whether e may have a different value each time it is evaluated. Such an
// expression must neither be folded nor computed once for several uses.
func Volatile(e Expr) bool {
	return anyCall(e, func(s *Sig) bool { return s.Volatile })
}

// Draws reports whether e takes its values from a sequence, one for each row, as RAND(3) does.
func Draws(e Expr) bool {
	found := false
	Walk(e, func(e Expr) bool {
		if c, ok := e.(*Call); ok && c.Fn == FuncRand && len(c.Args) == 1 {
			found = found || !refersToColumns(c.Args[0])
		}
		return !found
	})
	return found
}

func refersToColumns(e Expr) bool {
	found := false
	Walk(e, func(e Expr) bool {
		_, ok := e.(*Col)
		found = found || ok
		return !found
	})
	return found
}

// Assigns reports whether e sets a user variable, which others may read later.
func Assigns(e Expr) bool {
	return anyCall(e, func(s *Sig) bool { return s.Name == FuncSetUserVar })
}

// Session reports whether e reads the session, as NOW and USER do: its value is constant during a
// statement, but not across executions of a plan.
func Session(e Expr) bool {
	return anyCall(e, func(s *Sig) bool { return s.Session })
}

func anyCall(e Expr, f func(*Sig) bool) bool {
	found := false
	Walk(e, func(e Expr) bool {
		if c, ok := e.(*Call); ok && !found {
			if s := sigs[c.Fn]; s != nil {
				found = f(s)
			}
		}
		return !found
	})
	return found
}
