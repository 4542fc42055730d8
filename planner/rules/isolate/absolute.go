package isolate

import (
	"gsql/planner/rules/cond"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// WithoutAbs turns ABS(x) <= c, as a predicate, into x <= c AND x >= -c, which bounds x from
// both sides: a band join where x is a difference of both sides' columns, a range that
// segments are skipped by where it is a column. It does so only where neither ABS(x) nor -c
// can overflow.
func WithoutAbs(x *expr.Call) expr.Expr {
	op, inner, bound := absBound(x)
	if op == "" || !cond.Stable(inner) || !cond.Stable(bound) || !linear(inner) || !linear(bound) {
		return x
	}
	low, err := opposite(bound)
	if err != nil {
		return x
	}
	above, err := expr.NewCall(cond.Flipped[op], []expr.Expr{inner, low}, -1)
	if err != nil {
		return x
	}
	below, err := expr.NewCall(op, []expr.Expr{inner, bound}, -1)
	if err != nil {
		return x
	}
	return cond.Call(expr.FuncAnd, below, above)
}

// absBound takes ABS(inner) < bound and its other spellings apart; op is "" where a
// comparison is none of them.
func absBound(x *expr.Call) (op expr.FuncID, inner, bound expr.Expr) {
	for i, op := range []expr.FuncID{x.Fn, cond.Flipped[x.Fn]} {
		if op != expr.FuncLT && op != expr.FuncLE {
			continue
		}
		if abs, ok := cond.CallOf(x.Args[i], expr.FuncAbs); ok {
			return op, abs.Args[0], x.Args[1-i]
		}
	}
	return "", nil, nil
}

// opposite returns -e. Of an integer literal it is a BIGINT, where MySQL makes - -1 a DECIMAL.
func opposite(e expr.Expr) (expr.Expr, error) {
	if k, ok := bigintConst(e); ok {
		return &expr.Const{Value: catalog.Int(-k)}, nil
	}
	return expr.NewCall(expr.FuncNeg, []expr.Expr{e}, -1)
}

// linear reports whether an expression is a sum of columns of integers and decimals whose types
// leave it far from an overflow.
func linear(e expr.Expr) bool {
	s := sum{decimal: e.Type().ID == types.Decimal}
	return s.add(e, whole(1))
}
