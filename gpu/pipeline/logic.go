package pipeline

import "slices"

// Compare returns a comparison of two numbers of one kind. Bounds may decide it.
func (b *Builder) Compare(op Op, x, y *Expr) *Expr {
	if x.Kind == Int && !x.Nullable && !y.Nullable {
		if known, v := decided(op, x, y); known {
			return b.Bool(v)
		}
	}
	return b.unique(Expr{Op: op, Kind: Bool, Args: []*Expr{x, y}, Nullable: x.Nullable || y.Nullable})
}

// decided reports whether the bounds of integers decide a comparison, and how.
func decided(op Op, x, y *Expr) (known, v bool) {
	below, above := x.Max < y.Min, x.Min > y.Max // x is less in each case, or greater
	atMost, atLeast := x.Max <= y.Min, x.Min >= y.Max
	same := x.Min == x.Max && y.Min == y.Max && x.Min == y.Min
	switch op {
	case OpEQ:
		return below || above || same, same
	case OpNE:
		return below || above || same, !same
	case OpLT:
		return below || atLeast, below
	case OpLE:
		return atMost || above, atMost
	case OpGT:
		return above || atMost, above
	default:
		return atLeast || below, atLeast
	}
}

// And returns the conjunction of truth values.
func (b *Builder) And(args ...*Expr) *Expr { return b.connect(OpAnd, 1, args) }

// Or returns the disjunction of truth values.
func (b *Builder) Or(args ...*Expr) *Expr { return b.connect(OpOr, 0, args) }

// connect drops constants of the neutral value. A constant of the other value decides the result.
func (b *Builder) connect(op Op, neutral int64, args []*Expr) *Expr {
	e := Expr{Op: op, Kind: Bool}
	for _, a := range args {
		switch {
		case a.IsConst() && a.Value == neutral, slices.Contains(e.Args, a):
		case a.IsConst():
			return a
		default:
			e.Args = append(e.Args, a)
			e.Nullable = e.Nullable || a.Nullable
		}
	}
	switch len(e.Args) {
	case 0:
		return b.Bool(neutral == 1)
	case 1:
		return e.Args[0]
	}
	return b.unique(e)
}

// Not returns the negation of a truth value.
func (b *Builder) Not(x *Expr) *Expr {
	switch {
	case x.IsConst():
		return b.Bool(x.Value == 0)
	case x.Op == OpNot:
		return x.Args[0]
	}
	return b.unique(Expr{Op: OpNot, Kind: Bool, Args: []*Expr{x}, Nullable: x.Nullable})
}

// IsNull reports whether x is NULL.
func (b *Builder) IsNull(x *Expr) *Expr {
	switch {
	case x.Op == OpNull:
		return b.Bool(true)
	case !x.Nullable:
		return b.Bool(false)
	}
	return b.unique(Expr{Op: OpIsNull, Kind: Bool, Args: []*Expr{x}})
}

// If returns yes where cond is true, and no where it is false or NULL. yes and no have the same
// kind.
func (b *Builder) If(cond, yes, no *Expr) *Expr {
	switch {
	case cond.IsConst() && cond.Value != 0, yes == no:
		return yes
	case cond.IsConst(), cond.Op == OpNull:
		return no
	}
	e := Expr{Op: OpIf, Kind: yes.Kind, Args: []*Expr{cond, yes, no}, Nullable: yes.Nullable || no.Nullable}
	switch {
	case yes.Op == OpNull:
		e.Min, e.Max, e.Least, e.Most = no.Min, no.Max, no.Least, no.Most
	case no.Op == OpNull:
		e.Min, e.Max, e.Least, e.Most = yes.Min, yes.Max, yes.Least, yes.Most
	case e.Kind == Int128:
		e.Least, e.Most = lesser(yes.Least, no.Least), greater(yes.Most, no.Most)
	default:
		e.Min, e.Max = min(yes.Min, no.Min), max(yes.Max, no.Max)
	}
	return b.unique(e)
}
