package eval

import (
	"gsql/sql/expr"
	_ "gsql/sql/function" // the kernels
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// bound is a call bound to its kernel.
type bound struct {
	call     *expr.Call
	kernel   kernel.Kernel
	operands []expr.Expr // the arguments passed to the kernel as vectors
	strict   bool
	volatile bool
	narrow   bool // the kernel takes Narrow vectors and may return them
	pieces   bool // rows may be computed in several pieces, because no message contains their positions
}

// bind returns the kernel of a call whose constant arguments are already folded.
func bind(c *expr.Call) (bound, error) {
	sig, def := expr.Lookup(c.Fn), kernel.Lookup(c.Fn)
	if sig == nil || def == nil {
		return bound{}, sqlerr.Unsupported(c.Pos, "%s", c.Fn)
	}
	k, err := def.Bind(c)
	if err != nil {
		return bound{}, err
	}
	b := bound{call: c, kernel: k, pieces: c.Fn != expr.FuncAssign && c.Fn != expr.FuncFit, operands: c.Args, strict: !sig.NullAware, volatile: sig.Volatile, narrow: def.Narrow != nil && def.Narrow(c)}
	switch c.Fn {
	case expr.FuncIn:
		b.operands, b.strict = c.Args[:1], true // the list is part of the kernel
	case expr.FuncDiv:
		b.operands = c.Args[:2] // so is the increment
	}
	return b, nil
}

// apply computes m rows into out, whose Type is already set. Arguments are flat or constant.
// nulls is a buffer for out.Null, or nil.
func (b *bound) apply(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector, m int, nulls []bool) error {
	out.Resize(m)
	rt.Call, rt.N, rt.Made = b.call, m, 0
	if !b.strict {
		return b.compute(rt, args, out)
	}
	for _, a := range args {
		switch {
		case a.Null == nil:
		case a.Form == vec.Const:
			if a.Null[0] {
				kernel.SetAllNull(out, nulls)
				return nil
			}
		case out.Null == nil:
			out.Null = append(nulls[:0], a.Null[:m]...)
		default:
			for i, null := range a.Null[:m] {
				out.Null[i] = out.Null[i] || null
			}
		}
	}
	return b.compute(rt, args, out)
}

// total reports whether e can neither fail nor warn for any column values.
func total(e expr.Expr) bool { return Total(e, nil) }

// Total reports whether e can neither fail nor warn for any column values. It assumes that calls
// accepted by fits are safe for their arguments; fits may be nil.
func Total(e expr.Expr, fits func(*expr.Call) bool) bool {
	c, ok := e.(*expr.Call)
	if !ok {
		_, sub := e.(*expr.Subquery)
		return !sub
	}
	return (totalCall(c) || fits != nil && fits(c)) && allTotal(c.Args, fits)
}

func totalCall(c *expr.Call) bool {
	switch c.Fn {
	case expr.FuncAnd, expr.FuncOr, expr.FuncCase, expr.FuncCoalesce:
		return true
	}
	d, sig := kernel.Lookup(c.Fn), expr.Lookup(c.Fn)
	return d != nil && d.Total != nil && d.Total(c) && !sig.Volatile
}

func allTotal(list []expr.Expr, fits func(*expr.Call) bool) bool {
	for _, e := range list {
		if !Total(e, fits) {
			return false
		}
	}
	return true
}
