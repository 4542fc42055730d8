package expr

import (
	"gsql/internal/dec128"
	"gsql/sql/types"
)

// Settled returns an expression that computes e without extra digits, for values that are too large
// to carry them. It returns nil if e carries none.
func Settled(e Expr) Expr {
	if !CarriesWithin(e) {
		return nil
	}
	out := settled(e)
	if out == nil {
		return nil
	}
	return Cast(out, e.Type())
}

// CarriesWithin reports whether some part of e carries extra digits.
func CarriesWithin(e Expr) bool {
	carries := false
	Walk(e, func(e Expr) bool {
		carries = carries || e.Type().Carries()
		return !carries
	})
	return carries
}

// settled returns e with the extra digits of each part dropped, or nil if the parts cannot form a
// call.
func settled(e Expr) Expr {
	c, ok := e.(*Call)
	if !ok || !CarriesWithin(e) {
		return Shown(e)
	}
	args := make([]Expr, len(c.Args))
	for i, a := range c.Args {
		if args[i] = settled(a); args[i] == nil {
			return nil
		}
	}
	if c.Fn == FuncCast {
		if AllDigits(c) != e {
			return args[0]
		}
		return Cast(args[0], c.T.Shown())
	}
	s := sigs[c.Fn]
	if s == nil || s.pair == nil && c.Fn != FuncIn && !s.Carries {
		own := *c
		own.Args = args
		if c.Fn == FuncAssign || c.Fn == FuncFit {
			return &own
		}
		for i, a := range args {
			own.Args[i] = Cast(a, c.Args[i].Type())
		}
		return &own
	}
	if c.Fn != FuncDiv {
		for i, a := range args {
			args[i] = unaligned(a)
		}
	}
	out, err := NewCall(c.Fn, args, c.Pos)
	if err != nil {
		return nil
	}
	if c.T.Carries() {
		return Cast(out, c.T.Shown())
	}
	return out
}

// unaligned returns e without the zeros that were appended to match the scale of another operand.
func unaligned(e Expr) Expr {
	t := e.Type()
	if t.ID != types.Decimal {
		return e
	}
	switch x := e.(type) {
	case *Call:
		if from := x.Args; x.Fn == FuncCast && (from[0].Type().IsInteger() || from[0].Type().ID == types.Decimal && from[0].Type().Scale < t.Scale) {
			return from[0]
		}
	case *Const:
		d := x.Value
		for !d.Null && d.Type.Scale > 0 && dec128.Rem(d.Dec, dec128.Pow10(1)) == (dec128.Num{}) {
			d.Dec = dec128.Trunc(d.Dec, 1)
			d.Type = types.Dec(max(int(d.Type.Prec)-1, 1), int(d.Type.Scale)-1)
		}
		return &Const{Value: d}
	}
	return e
}
