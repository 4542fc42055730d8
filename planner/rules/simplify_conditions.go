package rules

import (
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

func boolConst(b bool) expr.Expr {
	if b {
		return trueExpr
	}
	return falseExpr
}

// nullOf returns the NULL of a call's type.
func nullOf(x *expr.Call) expr.Expr { return &expr.Const{Value: catalog.NullOf(x.T)} }

// zeroOf returns 0 in the type of e.
func zeroOf(e expr.Expr) expr.Expr {
	d := catalog.Datum{Type: e.Type()}
	if d.Type.Kind() == types.KindDec {
		d.Dec = decimal128.FromI64(0)
	}
	return &expr.Const{Value: d}
}

// isNull simplifies x IS NULL for constants and columns that are never NULL.
func (f *folder) isNull(x *expr.Call) expr.Expr {
	switch a := x.Args[0].(type) {
	case *expr.Const:
		return boolConst(expr.IsNull(a))
	case *expr.Col:
		if f.notNull(a.ID) {
			return falseExpr
		}
	case *expr.Call:
		if a.Fn == expr.FuncIsNull {
			return falseExpr
		}
	}
	return x
}

// caseOf drops branches whose condition is a constant.
func (f *folder) caseOf(x *expr.Call) expr.Expr {
	var args []expr.Expr
	changed := false
	i := 0
	for ; i+1 < len(x.Args); i += 2 {
		switch truthOf(x.Args[i]) {
		case isFalseConst, isNullConst:
			changed = true
			continue
		case isTrueConst:
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

// shorterCase makes the CASE of the arguments that are left.
func (f *folder) shorterCase(x *expr.Call, args []expr.Expr) expr.Expr {
	switch {
	case len(args) == 0:
		return nullOf(x)
	case len(args) == 1 && args[0].Type() == x.T:
		return args[0]
	case len(args) == 1:
		return x
	}
	m := *x
	m.Args = args
	return &m
}

// coalesce drops NULL arguments and what follows one that is never NULL.
func (f *folder) coalesce(x *expr.Call) expr.Expr {
	var args []expr.Expr
	for _, a := range x.Args {
		if expr.IsNull(a) {
			continue
		}
		args = append(args, a)
		if f.neverNull(a) {
			break
		}
	}
	switch {
	case len(args) == 0:
		return nullOf(x)
	case len(args) == 1 && args[0].Type() == x.T:
		return args[0]
	case len(args) == len(x.Args) || len(args) == 1:
		return x
	}
	m := *x
	m.Args = args
	return &m
}

// neverNull reports whether e is proven not to be NULL.
func (f *folder) neverNull(e expr.Expr) bool {
	switch x := e.(type) {
	case *expr.Const:
		return !expr.IsNull(x)
	case *expr.Placeholder:
		return true
	case *expr.Col:
		return f.notNull(x.ID)
	case *expr.Subquery:
		return x.Kind == expr.Exists
	case *expr.Call:
		switch x.Fn {
		case expr.FuncIsNull:
			return true
		case expr.FuncCoalesce:
			for _, a := range x.Args {
				if f.neverNull(a) {
					return true
				}
			}
			return false
		case expr.FuncAnd, expr.FuncOr, expr.FuncNot, expr.FuncEQ, expr.FuncNE, expr.FuncLT, expr.FuncLE, expr.FuncGT, expr.FuncGE, expr.FuncIn, expr.FuncNullSafeEQ, expr.FuncAdd, expr.FuncSub, expr.FuncMul:
			for _, a := range x.Args {
				if !f.neverNull(a) {
					return x.Fn == expr.FuncNullSafeEQ
				}
			}
			return true
		}
	}
	return false
}
