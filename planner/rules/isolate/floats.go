package isolate

import (
	"math"
	"slices"

	"gsql/planner/rules/cond"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// apartDoubles isolates e op c, where e is a sum or a difference of doubles of both inputs. Such
// results are rounded, so l.x - r.y <= c is not equivalent to l.x <= r.y + c. But they are
// monotonic in their operands, and l.x <= summand_to(-r.y, '<=', c) is exact: see there. The
// rewrite requires columns whose table statistics rule out an infinite sum, which is error 1690.
func (in *Join) apartDoubles(op expr.FuncID, e, c expr.Expr) []expr.Expr {
	if op == expr.FuncNE || in.of(e) != Both || in.of(c) == Both || !cond.Stable(c) || cond.HasSubquery(c) || in.doubleBound(e) > mostDouble {
		return nil
	}
	if op != expr.FuncEQ {
		return in.solveDouble(op, e, c)
	}
	above, below := in.solveDouble(expr.FuncGE, e, c), in.solveDouble(expr.FuncLE, e, c)
	if above == nil || below == nil {
		return nil
	}
	return slices.Concat(above, below)
}

// mostDouble is a bound far from overflow.
const mostDouble = 1e300

// solveDouble returns nil if an operand of e depends on both inputs.
func (in *Join) solveDouble(op expr.FuncID, e, c expr.Expr) []expr.Expr {
	x, ok := cond.CallOf(e, expr.FuncAdd, expr.FuncSub, expr.FuncNeg)
	if !ok || x.T.ID != types.Float64 {
		return nil
	}
	if x.Fn == expr.FuncNeg {
		return in.solveDouble(cond.Flipped[op], x.Args[0], minus(c))
	}
	p, q := x.Args[0], x.Args[1]
	if x.Fn == expr.FuncSub {
		if in.of(p) == Both || in.of(p)&in.of(c) == 0 && in.of(q) != Both {
			return in.solveSummand(op, p, minus(q), c)
		}
		return in.solveSummand(cond.Flipped[op], q, minus(p), minus(c)) // p - q op c: q - p flipped -c
	}
	if in.of(p) == Both || in.of(p)&in.of(c) == 0 && in.of(q) != Both {
		return in.solveSummand(op, p, q, c)
	}
	return in.solveSummand(op, q, p, c)
}

// solveSummand solves wanted + known op c for wanted.
func (in *Join) solveSummand(op expr.FuncID, wanted, known, c expr.Expr) []expr.Expr {
	fn, closed := expr.FuncSummandTo, expr.FuncLE
	if op == expr.FuncGT || op == expr.FuncGE {
		fn, closed = expr.FuncSummandFrom, expr.FuncGE
	}
	bound, err := expr.NewCall(fn, []expr.Expr{known, &expr.Const{Value: catalog.Str(string(op))}, c}, -1)
	if err != nil {
		return nil
	}
	switch of := in.of(bound); {
	case of == Both:
		return nil
	case in.of(wanted) == Both:
		return in.solveDouble(closed, wanted, bound)
	case of|in.of(wanted) != Both || of == in.of(wanted):
		return nil
	}
	return []expr.Expr{cond.Call(closed, wanted, bound)}
}

// minus returns -e of a double.
func minus(e expr.Expr) expr.Expr {
	switch x := e.(type) {
	case *expr.Const:
		return &expr.Const{Value: catalog.Datum{Type: x.Value.Type, Null: x.Value.Null, F64: -x.Value.F64}}
	case *expr.Call:
		if x.Fn == expr.FuncNeg {
			return x.Args[0]
		}
	}
	return &expr.Call{Fn: expr.FuncNeg, Args: []expr.Expr{e}, T: e.Type(), Pos: -1}
}

// doubleBound returns a bound of the magnitudes of a double and of its operands; +Inf if none is
// known.
func (in *Join) doubleBound(e expr.Expr) float64 {
	switch x := e.(type) {
	case *expr.Const:
		if x.Value.Type.IsFloat() && !x.Value.Null {
			return math.Abs(x.Value.F64)
		}
	case *expr.Col:
		if x.T.IsNumeric() {
			return in.bound(x)
		}
	case *expr.Call:
		return in.doubleCallBound(x)
	}
	return math.Inf(1)
}

func (in *Join) doubleCallBound(x *expr.Call) float64 {
	switch x.Fn {
	case expr.FuncCast:
		if col, ok := x.Args[0].(*expr.Col); ok && x.T.ID == types.Float64 {
			return in.doubleBound(col)
		}
	case expr.FuncNeg, expr.FuncAbs:
		if x.T.IsFloat() {
			return in.doubleBound(x.Args[0])
		}
	case expr.FuncAdd, expr.FuncSub, expr.FuncMul:
		if !x.T.IsFloat() {
			break
		}
		a, b := in.doubleBound(x.Args[0]), in.doubleBound(x.Args[1])
		if x.Fn == expr.FuncMul {
			return max(a, b, a*b)
		}
		return a + b
	}
	return math.Inf(1)
}
