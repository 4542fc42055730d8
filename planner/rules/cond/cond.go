// Package cond builds conditions and analyses them: calls with truth values, constants,
// negations, sets of expressions. The rules that rewrite conditions share it.
package cond

import (
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// Type is the type of truth values.
var Type = types.T(types.Int64)

// True, False and Null are the constant truth values. All plans share them, since expressions are
// immutable.
var (
	True  expr.Expr = &expr.Const{Value: catalog.Int(1)}
	False expr.Expr = &expr.Const{Value: catalog.Int(0)}
	Null  expr.Expr = &expr.Const{Value: catalog.NullOf(Type)}
)

// Call returns a call whose result is a truth value and whose arguments need no conversion.
func Call(fn expr.FuncID, args ...expr.Expr) expr.Expr {
	return &expr.Call{Fn: fn, Args: args, T: Type, Pos: -1}
}

// And joins predicates by AND. For no predicates it returns TRUE.
func And(ps []expr.Expr) expr.Expr {
	switch len(ps) {
	case 0:
		return True
	case 1:
		return ps[0]
	}
	return Call(expr.FuncAnd, ps...)
}

// IsTrue returns the two-valued form of a condition: FALSE where it is NULL.
func IsTrue(e expr.Expr) expr.Expr { return Call(expr.FuncCoalesce, e, False) }

// NotNull returns NOT (e IS NULL).
func NotNull(e expr.Expr) expr.Expr { return Call(expr.FuncNot, Call(expr.FuncIsNull, e)) }

// OnlyWhen returns an expression with the value v where cond is true, and NULL elsewhere.
func OnlyWhen(cond, v expr.Expr) expr.Expr {
	return &expr.Call{Fn: expr.FuncCase, Args: []expr.Expr{cond, v}, T: v.Type(), Pos: -1}
}

// CallOf returns e as a call if it calls one of the functions.
func CallOf(e expr.Expr, fns ...expr.FuncID) (*expr.Call, bool) {
	c, ok := e.(*expr.Call)
	if !ok {
		return nil, false
	}
	for _, fn := range fns {
		if c.Fn == fn {
			return c, true
		}
	}
	return nil, false
}

// Flipped maps a comparison to the comparison with its sides swapped.
var Flipped = map[expr.FuncID]expr.FuncID{expr.FuncEQ: expr.FuncEQ, expr.FuncNE: expr.FuncNE, expr.FuncLT: expr.FuncGT, expr.FuncLE: expr.FuncGE, expr.FuncGT: expr.FuncLT, expr.FuncGE: expr.FuncLE, expr.FuncNullSafeEQ: expr.FuncNullSafeEQ}

// Negated maps a comparison to its negation: true where the comparison is false, and NULL where
// it is NULL.
var Negated = map[expr.FuncID]expr.FuncID{expr.FuncEQ: expr.FuncNE, expr.FuncNE: expr.FuncEQ, expr.FuncLT: expr.FuncGE, expr.FuncLE: expr.FuncGT, expr.FuncGT: expr.FuncLE, expr.FuncGE: expr.FuncLT}

// IsTruthValue reports whether e can only be 0, 1 or NULL.
func IsTruthValue(e expr.Expr) bool {
	switch x := e.(type) {
	case *expr.Const:
		return x.Value.Null || x.Value.Type.Kind() == types.KindI64 && (x.Value.I64 == 0 || x.Value.I64 == 1)
	case *expr.Subquery:
		return x.Kind != expr.Scalar
	case *expr.Call:
		switch x.Fn {
		case expr.FuncAnd, expr.FuncOr, expr.FuncXor, expr.FuncNot, expr.FuncIsNull, expr.FuncIn, expr.FuncLike, expr.FuncRegexp:
			return true
		}
		return Flipped[x.Fn] != ""
	}
	return false
}

// Stable reports whether e has the same value whenever it is computed for a row, so that it may
// be moved, duplicated or dropped.
func Stable(e expr.Expr) bool { return !expr.Volatile(e) }

// HasSubquery reports whether e contains a subquery.
func HasSubquery(e expr.Expr) bool {
	found := false
	expr.Walk(e, func(e expr.Expr) bool {
		_, is := e.(*expr.Subquery)
		found = found || is
		return !found
	})
	return found
}

// AnySubquery reports whether any of the expressions contains a subquery.
func AnySubquery(es []expr.Expr) bool {
	for _, e := range es {
		if HasSubquery(e) {
			return true
		}
	}
	return false
}

// Size returns the number of nodes of e, but at most limit.
func Size(e expr.Expr, limit int) int {
	n := 0
	expr.Walk(e, func(expr.Expr) bool { n++; return n < limit })
	return n
}

// Substitute replaces columns by expressions. It does not enter the plans of
// subqueries: callers leave expressions with subqueries alone.
func Substitute(e expr.Expr, by map[expr.ColID]expr.Expr) expr.Expr {
	if len(by) == 0 {
		return e
	}
	return expr.Map(e, func(e expr.Expr) expr.Expr {
		if c, ok := e.(*expr.Col); ok {
			if to, ok := by[c.ID]; ok {
				return to
			}
		}
		return e
	})
}

// Truth is the meaning of an expression as a condition.
type Truth uint8

// The meanings of expressions as conditions.
const (
	NotConst Truth = iota
	ConstFalse
	ConstTrue
	ConstNull
)

// TruthOf returns the meaning of e as a condition; NotConst if e is no constant.
func TruthOf(e expr.Expr) Truth {
	k, ok := e.(*expr.Const)
	switch {
	case !ok:
		return NotConst
	case expr.IsNull(k):
		return ConstNull
	}
	if !k.Value.Type.IsInteger() {
		return NotConst
	}
	if k.Value.I64 == 0 {
		return ConstFalse
	}
	return ConstTrue
}

// Const returns a truth value as a constant.
func Const(b bool) expr.Expr {
	if b {
		return True
	}
	return False
}

// NullOf returns the NULL of a call's type.
func NullOf(x *expr.Call) expr.Expr { return &expr.Const{Value: catalog.NullOf(x.T)} }

// ZeroOf returns 0 in the type of e.
func ZeroOf(e expr.Expr) expr.Expr {
	d := catalog.Datum{Type: e.Type()}
	if d.Type.Kind() == types.KindDec {
		d.Dec = decimal128.FromI64(0)
	}
	return &expr.Const{Value: d}
}

// Flatten returns args with calls of fn replaced by their arguments. It recurses no deeper than
// the nesting and copies each argument once.
func Flatten(fn expr.FuncID, args []expr.Expr) []expr.Expr {
	if len(args) == 1 {
		if x, is := CallOf(args[0], fn); is {
			return Flatten(fn, x.Args)
		}
		return args
	}
	nested := false
	for _, a := range args {
		_, is := CallOf(a, fn)
		nested = nested || is
	}
	if !nested {
		return args
	}
	return appendFlat(nil, fn, args)
}

func appendFlat(dst []expr.Expr, fn expr.FuncID, args []expr.Expr) []expr.Expr {
	for _, a := range args {
		if x, ok := CallOf(a, fn); ok {
			dst = appendFlat(dst, fn, x.Args)
		} else {
			dst = append(dst, a)
		}
	}
	return dst
}
