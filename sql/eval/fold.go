package eval

import (
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// folder evaluates the constant parts of expressions. At compile time, a part that fails or warns
// is left unchanged, so that it fails or warns only if rows reach it. When a constant is
// evaluated (run), errors are final and everything is computed.
type folder struct {
	rt  *kernel.Runtime // nil until something is computed, unless run is set
	run bool
}

// fold returns e with its constant parts evaluated.
func (f *folder) fold(e expr.Expr) (expr.Expr, error) {
	switch e := e.(type) {
	case *expr.Param:
		if f.run && e.Slot < len(f.rt.Params) {
			return &expr.Const{Value: retyped(f.rt.Params[e.Slot], e.T)}, nil
		}
	case *expr.Call:
		switch e.Fn {
		case expr.FuncAnd:
			return f.connective(e, false)
		case expr.FuncOr:
			return f.connective(e, true)
		case expr.FuncCase:
			return f.foldCase(e)
		case expr.FuncCoalesce:
			return f.coalesce(e)
		}
		return f.call(e)
	}
	return e, nil
}

func (f *folder) call(e *expr.Call) (expr.Expr, error) {
	args, constant, err := f.foldAll(e.Args)
	if err != nil {
		return nil, err
	}
	c := kernel.ExactIntegers(kernel.WithArgs(e, args))
	if sig := expr.Lookup(c.Fn); !constant || !f.run && sig != nil && (sig.Volatile || sig.Session) {
		return c, nil
	}
	if !f.run && c.T.Carries() && expr.IsShort(c) {
		return c, nil
	}
	d, err := f.compute(c)
	switch {
	case err != nil && f.run:
		return nil, err
	case err != nil || f.rt.Tripped:
		return c, nil
	}
	return &expr.Const{Value: d}, nil
}

func (f *folder) foldAll(in []expr.Expr) (out []expr.Expr, constant bool, err error) {
	out, constant = in, true
	for i, a := range in {
		b, err := f.fold(a)
		if err != nil {
			return nil, false, err
		}
		if b != a { // several goroutines compile plans: never write to in
			if &out[0] == &in[0] {
				out = append([]expr.Expr(nil), in...)
			}
			out[i] = b
		}
		_, ok := b.(*expr.Const)
		constant = constant && ok
	}
	return out, constant, nil
}

// compute evaluates a call whose arguments are all constant.
func (f *folder) compute(c *expr.Call) (catalog.Datum, error) {
	in, err := bind(c)
	if err != nil {
		return catalog.Datum{}, err
	}
	args := make([]*vec.Vector, len(in.operands))
	for i, a := range in.operands {
		args[i] = a.(*expr.Const).Value.Vector(1)
		args[i].Form = vec.Flat
	}
	out := &vec.Vector{Type: c.T}
	if f.rt == nil {
		f.rt = &kernel.Runtime{Ctx: kernel.Tentative(nil)}
	}
	f.rt.Quiet, f.rt.Tripped, f.rt.Call = !f.run, false, c
	if err := in.apply(f.rt, args, out, 1, nil); err != nil {
		return catalog.Datum{}, err
	}
	return catalog.DatumAt(out, 0), nil
}

// connective folds AND (stop = false) and OR (stop = true): a constant equal to stop decides the
// result, other constants are dropped.
func (f *folder) connective(e *expr.Call, stop bool) (expr.Expr, error) {
	kept, same, null := e.Args[:0:0], true, false // if same, kept is the front of e.Args
	for i, a := range e.Args {
		b, err := f.fold(a)
		if err != nil {
			return nil, err
		}
		c, ok := b.(*expr.Const)
		if same = same && !ok && b == a; same {
			kept = e.Args[: i+1 : i+1] // appending to it copies
			continue
		}
		switch {
		case !ok:
			kept = append(kept, b)
		case expr.IsNull(c):
			null = true
		case isTrue(c.Value) == stop && (len(kept) == 0 || allTotal(kept, nil)):
			return boolean(stop), nil
		case isTrue(c.Value) == stop:
			kept = append(kept, boolean(stop))
		}
	}
	if null {
		kept = append(kept, &expr.Const{Value: catalog.NullOf(e.T)})
	}
	switch len(kept) {
	case 0:
		return boolean(!stop), nil
	case 1:
		if c, ok := kept[0].(*expr.Const); ok {
			return c, nil
		}
	}
	return kernel.WithArgs(e, kept), nil
}

func (f *folder) foldCase(e *expr.Call) (expr.Expr, error) {
	var kept []expr.Expr
	i := 0
	for ; i+1 < len(e.Args); i += 2 {
		cond, err := f.fold(e.Args[i])
		if err != nil {
			return nil, err
		}
		c, ok := cond.(*expr.Const)
		if ok && !isTrue(c.Value) {
			continue
		}
		value, err := f.fold(e.Args[i+1])
		if err != nil {
			return nil, err
		}
		if ok {
			return f.endCase(e, kept, value), nil
		}
		kept = append(kept, cond, value)
	}
	if i == len(e.Args) {
		return f.endCase(e, kept, &expr.Const{Value: catalog.NullOf(e.T)}), nil
	}
	last, err := f.fold(e.Args[i])
	if err != nil {
		return nil, err
	}
	return f.endCase(e, kept, last), nil
}

// endCase returns a CASE of the kept branches with last as the value of all other rows.
func (f *folder) endCase(e *expr.Call, kept []expr.Expr, last expr.Expr) expr.Expr {
	if len(kept) > 0 {
		return kernel.WithArgs(e, append(kept, last))
	}
	return asType(last, e.T)
}

func (f *folder) coalesce(e *expr.Call) (expr.Expr, error) {
	var kept []expr.Expr
	for _, a := range e.Args {
		b, err := f.fold(a)
		if err != nil {
			return nil, err
		}
		if expr.IsNull(b) {
			continue
		}
		kept = append(kept, b)
		if _, ok := b.(*expr.Const); ok {
			break
		}
	}
	switch len(kept) {
	case 0:
		return &expr.Const{Value: catalog.NullOf(e.T)}, nil
	case 1:
		return asType(kept[0], e.T), nil
	}
	return kernel.WithArgs(e, kept), nil
}

// asType returns e with type t, whose values are computed in the same way as e's.
func asType(e expr.Expr, t types.Type) expr.Expr {
	if c, ok := e.(*expr.Const); ok {
		return &expr.Const{Value: retyped(c.Value, t)}
	}
	if e.Type() == t {
		return e
	}
	return &expr.Call{Fn: expr.FuncCast, Args: []expr.Expr{e}, T: t, Pos: -1}
}

func retyped(d catalog.Datum, t types.Type) catalog.Datum {
	if d.Type.ID == types.Null {
		d.Null = true
	}
	d.Type = t
	return d
}

func boolean(b bool) expr.Expr {
	if b {
		return &expr.Const{Value: catalog.Int(1)}
	}
	return &expr.Const{Value: catalog.Int(0)}
}

// isTrue reports whether d, the integer value of a condition, is TRUE.
func isTrue(d catalog.Datum) bool { return !d.Null && d.I64 != 0 }

// Const returns the value of an expression without columns. Parameter values come from ctx.
func Const(e expr.Expr, ctx kernel.Ctx) (catalog.Datum, error) {
	if c, ok := e.(*expr.Const); ok {
		return c.Value, nil
	}
	f := folder{rt: &kernel.Runtime{Ctx: ctx}, run: true}
	if expr.FallsShort(e) {
		if d, ok := constExactly(e, ctx); ok {
			return d, nil
		}
	}
	folded, err := f.fold(e)
	if err != nil && outOfRange(err) && expr.CarriesWithin(e) {
		if d, ok := constExactly(e, ctx); ok {
			return d, nil
		}
		if settled := expr.Settled(e); settled != nil {
			folded, err = f.fold(settled)
		}
	}
	if err != nil {
		return catalog.Datum{}, err
	}
	if c, ok := folded.(*expr.Const); ok {
		return c.Value, nil
	}
	return catalog.Datum{}, kernel.NotConstant(folded)
}

// constExactly returns the value of an expression without columns, computed with all digits.
func constExactly(e expr.Expr, ctx kernel.Ctx) (d catalog.Datum, ok bool) {
	x, err := newExact(e, nil, ctx)
	if err != nil {
		return d, false
	}
	d, err = x.datum(x.root)
	return d, err == nil
}
