package fold

import (
	"slices"

	"gsql/planner/logical"
	"gsql/planner/rules/cond"
	"gsql/sql/expr"
)

// fold simplifies e as a value, arguments first.
func (f *Folder) fold(e expr.Expr) expr.Expr {
	x, ok := e.(*expr.Call)
	if !ok {
		return e
	}
	if x.Fn == expr.FuncNot {
		if m := f.not(x.Args[0]); m != nil {
			return m
		}
	}
	if x.Fn == expr.FuncAnd || x.Fn == expr.FuncOr { // flatten first: a chain is simplified once, not at each link
		args, _ := logical.MapList(cond.Flatten(x.Fn, x.Args), f.fold)
		return f.Connective(x.Fn, args, x)
	}
	if args, changed := logical.MapList(x.Args, f.fold); changed {
		m := *x
		m.Args = args
		x = &m
	}
	switch x.Fn {
	case expr.FuncNot:
		return f.constant(x)
	case expr.FuncIsNull:
		return f.isNull(x)
	case expr.FuncNullSafeEQ:
		if f.NeverNull(x.Args[0]) && f.NeverNull(x.Args[1]) {
			m := *x
			m.Fn = expr.FuncEQ
			return f.constant(f.constantRight(&m))
		}
	case expr.FuncCase:
		return f.caseOf(x)
	case expr.FuncCoalesce:
		return f.coalesce(x)
	case expr.FuncIn:
		if len(x.Args) == 2 && x.Args[0].Type() == x.Args[1].Type() {
			return f.constant(cond.Call(expr.FuncEQ, x.Args...).(*expr.Call))
		}
	case expr.FuncCast:
		if x.Args[0].Type() == x.T {
			return x.Args[0]
		}
	}
	return f.constant(f.constantRight(x))
}

// constantRight rewrites comparisons with a constant as column op constant.
func (f *Folder) constantRight(x *expr.Call) *expr.Call {
	op := cond.Flipped[x.Fn]
	if op == "" {
		return x
	}
	_, left := x.Args[0].(*expr.Const)
	_, right := x.Args[1].(*expr.Const)
	if !left || right {
		return x
	}
	m := *x
	m.Fn, m.Args = op, []expr.Expr{x.Args[1], x.Args[0]}
	return &m
}

// constant computes calls of constants, and returns NULL for a strict function with a NULL
// argument. Calls that raise an error stay, since they may never be executed.
func (f *Folder) constant(x *expr.Call) expr.Expr {
	s := expr.Lookup(x.Fn)
	if s == nil || s.Volatile || s.Session {
		return x
	}
	all := true
	for _, a := range x.Args {
		if _, ok := a.(*expr.Const); !ok {
			all = false
		} else if expr.IsNull(a) && !s.NullAware && x.Fn != expr.FuncIn {
			if other := x.Args; allStable(other) {
				return cond.NullOf(x)
			}
		}
	}
	if !all || x.T.Carries() && expr.IsShort(x) { // a constant would not have all digits
		return x
	}
	d, err := f.Eval(x)
	if err != nil {
		return x
	}
	if d.Null {
		return cond.NullOf(x)
	}
	d.Type = x.T
	return &expr.Const{Value: d}
}

func allStable(es []expr.Expr) bool {
	for _, e := range es {
		if !cond.Stable(e) || cond.HasSubquery(e) {
			return false
		}
	}
	return true
}

// not pushes a negation into e: NOT NOT, De Morgan, and comparisons, all of which hold in
// three-valued logic. It returns nil if there is nothing to do.
func (f *Folder) not(e expr.Expr) expr.Expr {
	switch x := e.(type) {
	case *expr.Subquery:
		if x.Kind == expr.Exists || x.Kind == expr.In {
			m := *x
			m.Neg = !x.Neg
			return &m
		}
	case *expr.Call:
		switch x.Fn {
		case expr.FuncNot:
			inner := f.fold(x.Args[0])
			if cond.IsTruthValue(inner) {
				return inner
			}
		case expr.FuncAnd, expr.FuncOr:
			other := expr.FuncAnd
			if x.Fn == other {
				other = expr.FuncOr
			}
			flat := cond.Flatten(x.Fn, x.Args)
			args := make([]expr.Expr, len(flat))
			for i, a := range flat {
				args[i] = f.fold(cond.Call(expr.FuncNot, a))
			}
			return f.Connective(other, args, cond.Call(other, args...).(*expr.Call))
		}
		if op := cond.Negated[x.Fn]; op != "" {
			m := *x
			m.Fn = op
			return f.fold(&m)
		}
	}
	return nil
}

// Connective simplifies AND and OR over folded arguments. old is the original call, which is
// returned if nothing changed.
func (f *Folder) Connective(fn expr.FuncID, args []expr.Expr, old *expr.Call) expr.Expr {
	absorbing, neutral := cond.ConstFalse, cond.ConstTrue
	if fn == expr.FuncOr {
		absorbing, neutral = neutral, absorbing
	}
	flat := cond.Flatten(fn, args)
	out, seen := flat[:0:0], cond.Set{}
	for i, a := range flat {
		switch t := cond.TruthOf(a); {
		case t == absorbing:
			return cond.Const(fn == expr.FuncOr)
		case t == neutral, !seen.Add(a) && cond.Stable(a):
		case len(out) == i:
			out = flat[: i+1 : i+1] // appending to it copies
		default:
			out = append(out, a)
		}
	}
	if fn == expr.FuncOr {
		out = equalitiesToIn(out)
		if m := f.commonConjuncts(out); m != nil {
			return m
		}
	}
	switch {
	case len(out) == 0:
		return cond.Const(fn == expr.FuncAnd)
	case len(out) == 1 && cond.IsTruthValue(out[0]):
		return out[0]
	case len(out) == 1:
		// The result must be 0 or 1; NULL stays NULL.
		return cond.Call(expr.FuncNE, out[0], cond.ZeroOf(out[0]))
	case sameExprs(out, old.Args) && fn == old.Fn:
		return old
	}
	m := *old
	m.Fn, m.Args = fn, out
	return &m
}

func sameExprs(a, b []expr.Expr) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// equalitiesToIn turns equalities of one expression with constants into IN, at the position of
// the first of them.
func equalitiesToIn(args []expr.Expr) []expr.Expr {
	var lists cond.Set
	repeated := false
	for _, a := range args {
		if x, _, ok := equalityList(a); ok {
			repeated = !lists.Add(x) || repeated
		}
	}
	if !repeated {
		return args
	}
	out, at := make([]expr.Expr, 0, len(args)), map[uint64]int{}
	for _, a := range args {
		x, consts, ok := equalityList(a)
		if !ok {
			out = append(out, a)
			continue
		}
		h := cond.Hash(x)
		i, seen := at[h]
		if !seen {
			at[h] = len(out)
			out = append(out, cond.Call(expr.FuncIn, slices.Concat([]expr.Expr{x}, consts)...))
			continue
		}
		in := out[i].(*expr.Call)
		if !expr.Equal(in.Args[0], x) || in.Args[1].Type() != consts[0].Type() {
			out = append(out, a)
			continue
		}
		in.Args = append(in.Args, consts...)
	}
	return out
}

// equalityList splits x = constant and x IN (constants).
func equalityList(e expr.Expr) (expr.Expr, []expr.Expr, bool) {
	x, ok := cond.CallOf(e, expr.FuncEQ, expr.FuncIn)
	if !ok || !cond.Stable(x.Args[0]) || cond.HasSubquery(x.Args[0]) {
		return nil, nil, false
	}
	if _, is := x.Args[0].(*expr.Const); is {
		return nil, nil, false
	}
	for _, a := range x.Args[1:] {
		if k, is := a.(*expr.Const); !is || k.Value.Type != x.Args[1].Type() {
			return nil, nil, false
		}
	}
	return x.Args[0], x.Args[1:], true
}

// commonConjuncts turns (p AND q) OR (p AND r) into p AND (q OR r), which also holds in
// three-valued logic. It returns nil if the terms have nothing in common.
func (f *Folder) commonConjuncts(args []expr.Expr) expr.Expr {
	if len(args) < 2 {
		return nil
	}
	common := cond.Flatten(expr.FuncAnd, args[:1])
	for _, a := range args[1:] {
		set := cond.Set{}
		for _, p := range cond.Flatten(expr.FuncAnd, []expr.Expr{a}) {
			set.Add(p)
		}
		var kept []expr.Expr
		for _, p := range common {
			if set.Has(p) && cond.Stable(p) {
				kept = append(kept, p)
			}
		}
		if common = kept; len(common) == 0 {
			return nil
		}
	}
	set := cond.Set{}
	for _, p := range common {
		set.Add(p)
	}
	rest := make([]expr.Expr, len(args))
	for i, a := range args {
		var left []expr.Expr
		for _, p := range cond.Flatten(expr.FuncAnd, []expr.Expr{a}) {
			if !set.Has(p) {
				left = append(left, p)
			}
		}
		if len(left) == 0 { // p OR (p AND r) is p
			rest = nil
			break
		}
		rest[i] = cond.And(left)
	}
	if rest != nil {
		or := cond.Call(expr.FuncOr, rest...).(*expr.Call)
		common = append(common[:len(common):len(common)], f.Connective(expr.FuncOr, rest, or))
	}
	if len(common) == 1 && cond.IsTruthValue(common[0]) {
		return common[0]
	}
	and := cond.Call(expr.FuncAnd, common...).(*expr.Call)
	return f.Connective(expr.FuncAnd, common, and)
}
