package fold

import (
	"gsql/planner/rules/cond"
	"gsql/sql/expr"
)

// isNull simplifies x IS NULL for constants and columns that are never NULL.
func (f *Folder) isNull(x *expr.Call) expr.Expr {
	switch a := x.Args[0].(type) {
	case *expr.Const:
		return cond.Const(expr.IsNull(a))
	case *expr.Col:
		if f.Facts.NotNull(a.ID) {
			return cond.False
		}
	case *expr.Call:
		if a.Fn == expr.FuncIsNull {
			return cond.False
		}
	}
	return x
}

// caseOf drops branches whose condition is a constant.
func (f *Folder) caseOf(x *expr.Call) expr.Expr {
	var args []expr.Expr
	changed := false
	i := 0
	for ; i+1 < len(x.Args); i += 2 {
		switch cond.TruthOf(x.Args[i]) {
		case cond.ConstFalse, cond.ConstNull:
			changed = true
			continue
		case cond.ConstTrue:
			args = append(args, x.Args[i+1])
			return f.shorterCase(x, args)
		}
		args = append(args, x.Args[i], x.Args[i+1])
	}
	if !changed {
		return x
	}
	return f.shorterCase(x, append(args, x.Args[i:]...))
}

// shorterCase returns the CASE with the remaining arguments.
func (f *Folder) shorterCase(x *expr.Call, args []expr.Expr) expr.Expr {
	switch {
	case len(args) == 0:
		return cond.NullOf(x)
	case len(args) == 1 && args[0].Type() == x.T:
		return args[0]
	case len(args) == 1:
		return x
	}
	m := *x
	m.Args = args
	return &m
}

// coalesce drops NULL arguments and those after one that is never NULL.
func (f *Folder) coalesce(x *expr.Call) expr.Expr {
	var args []expr.Expr
	for _, a := range x.Args {
		if expr.IsNull(a) {
			continue
		}
		args = append(args, a)
		if f.NeverNull(a) {
			break
		}
	}
	switch {
	case len(args) == 0:
		return cond.NullOf(x)
	case len(args) == 1 && args[0].Type() == x.T:
		return args[0]
	case len(args) == len(x.Args) || len(args) == 1:
		return x
	}
	m := *x
	m.Args = args
	return &m
}

// NeverNull reports whether e is proven not to be NULL.
func (f *Folder) NeverNull(e expr.Expr) bool {
	switch x := e.(type) {
	case *expr.Const:
		return !expr.IsNull(x)
	case *expr.Placeholder:
		return true
	case *expr.Col:
		return f.Facts.NotNull(x.ID)
	case *expr.Subquery:
		return x.Kind == expr.Exists
	case *expr.Call:
		switch x.Fn {
		case expr.FuncIsNull:
			return true
		case expr.FuncCoalesce:
			for _, a := range x.Args {
				if f.NeverNull(a) {
					return true
				}
			}
			return false
		case expr.FuncAnd, expr.FuncOr, expr.FuncNot, expr.FuncEQ, expr.FuncNE, expr.FuncLT, expr.FuncLE, expr.FuncGT, expr.FuncGE, expr.FuncIn, expr.FuncNullSafeEQ, expr.FuncAdd, expr.FuncSub, expr.FuncMul:
			for _, a := range x.Args {
				if !f.NeverNull(a) {
					return x.Fn == expr.FuncNullSafeEQ
				}
			}
			return true
		}
	}
	return false
}
