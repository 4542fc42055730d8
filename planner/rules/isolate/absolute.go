package isolate

import (
	"gsql/planner/rules/cond"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// WithoutAbs turns ABS(x) <= c, as a predicate, into x <= c AND x >= -c, which bounds x from both
// sides. If x is a difference of columns of both sides, this is a band join; if x is a column, it
// is a range by which segments can be skipped. The rewrite requires that neither ABS(x) nor -c
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

// absBound splits ABS(inner) < bound and its variants; op is "" for other comparisons.
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

// opposite returns -e. The opposite of an integer literal is a BIGINT, while in MySQL - -1 is a
// DECIMAL.
func opposite(e expr.Expr) (expr.Expr, error) {
	if k, ok := bigintConst(e); ok {
		return &expr.Const{Value: catalog.Int(-k)}, nil
	}
	return expr.NewCall(expr.FuncNeg, []expr.Expr{e}, -1)
}

// linear reports whether an expression is a sum of integer and decimal columns whose types keep
// it far from overflow.
func linear(e expr.Expr) bool {
	s := sum{decimal: e.Type().ID == types.Decimal}
	return s.add(e, whole(1))
}
