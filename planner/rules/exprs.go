package rules

import (
	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

var (
	boolType            = types.T(types.Int64)
	trueExpr  expr.Expr = &expr.Const{Value: catalog.Int(1)}
	falseExpr expr.Expr = &expr.Const{Value: catalog.Int(0)}
	nullExpr  expr.Expr = &expr.Const{Value: catalog.NullOf(boolType)}
)

// boolCall makes a call with a truth value as its result whose arguments need no
// conversion.
func boolCall(fn expr.FuncID, args ...expr.Expr) expr.Expr {
	return &expr.Call{Fn: fn, Args: args, T: boolType, Pos: -1}
}

// conjunction joins predicates by AND; none is TRUE.
func conjunction(ps []expr.Expr) expr.Expr {
	switch len(ps) {
	case 0:
		return trueExpr
	case 1:
		return ps[0]
	}
	return boolCall(expr.FuncAnd, ps...)
}

// isTrue makes the two-valued form of a condition: FALSE where it is NULL.
func isTrue(e expr.Expr) expr.Expr { return boolCall(expr.FuncCoalesce, e, falseExpr) }

// notNull makes NOT (e IS NULL).
func notNull(e expr.Expr) expr.Expr { return boolCall(expr.FuncNot, boolCall(expr.FuncIsNull, e)) }

// onlyWhen makes the value v where cond is true and NULL elsewhere.
func onlyWhen(cond, v expr.Expr) expr.Expr {
	return &expr.Call{Fn: expr.FuncCase, Args: []expr.Expr{cond, v}, T: v.Type(), Pos: -1}
}

// call gives e as a call of one of the functions.
func callOf(e expr.Expr, fns ...expr.FuncID) (*expr.Call, bool) {
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

// flipped gives the comparison with its sides swapped.
var flipped = map[expr.FuncID]expr.FuncID{expr.FuncEQ: expr.FuncEQ, expr.FuncNE: expr.FuncNE, expr.FuncLT: expr.FuncGT, expr.FuncLE: expr.FuncGE, expr.FuncGT: expr.FuncLT, expr.FuncGE: expr.FuncLE, expr.FuncNullSafeEQ: expr.FuncNullSafeEQ}

// negated gives the comparison that is true where the key is false, NULL for NULL.
var negated = map[expr.FuncID]expr.FuncID{expr.FuncEQ: expr.FuncNE, expr.FuncNE: expr.FuncEQ, expr.FuncLT: expr.FuncGE, expr.FuncLE: expr.FuncGT, expr.FuncGT: expr.FuncLE, expr.FuncGE: expr.FuncLT}

// isTruthValue reports whether e can only be 0, 1 or NULL.
func isTruthValue(e expr.Expr) bool {
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
		return flipped[x.Fn] != ""
	}
	return false
}

// stable reports whether e gives the same value whenever it is computed for a row, so
// that it may move, be doubled or be dropped.
func stable(e expr.Expr) bool { return !expr.Volatile(e) }

// hasSubquery reports whether e contains a subquery.
func hasSubquery(e expr.Expr) bool {
	found := false
	expr.Walk(e, func(e expr.Expr) bool {
		_, is := e.(*expr.Subquery)
		found = found || is
		return !found
	})
	return found
}

func anySubquery(es []expr.Expr) bool {
	for _, e := range es {
		if hasSubquery(e) {
			return true
		}
	}
	return false
}

// size counts the nodes of e, up to limit.
func size(e expr.Expr, limit int) int {
	n := 0
	expr.Walk(e, func(expr.Expr) bool { n++; return n < limit })
	return n
}

// substitute replaces columns by expressions. It does not enter the plans of
// subqueries: callers leave expressions with subqueries alone.
func substitute(e expr.Expr, by map[expr.ColID]expr.Expr) expr.Expr {
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

// itemsByID returns what the items compute, by column.
func itemsByID(items []logical.Item) map[expr.ColID]expr.Expr {
	by := make(map[expr.ColID]expr.Expr, len(items))
	for i := range items {
		if !isPass(&items[i]) {
			by[items[i].Col.ID] = items[i].Expr
		}
	}
	return by
}
