package kernel

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/dec128"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// ExactIntegers rewrites a comparison of a signed with an unsigned integer, which the binder makes
// a comparison of decimals, as one of the integers themselves. It returns other calls unchanged.
func ExactIntegers(c *expr.Call) *expr.Call {
	if len(c.Args) != 2 || c.Args[0].Type().ID != types.Decimal {
		return c
	}
	rel := Relations[c.Fn]
	if rel == 0 && c.Fn != expr.FuncNullSafeEQ {
		return c
	}
	a, b := integerBelow(c.Args[0]), integerBelow(c.Args[1])
	switch {
	case a != nil && b != nil:
		return WithArgs(c, []expr.Expr{a, b})
	case rel == 0:
	case a != nil:
		return againstInteger(c, a, c.Args[1], rel)
	case b != nil:
		return againstInteger(c, b, c.Args[0], rel.Swap())
	}
	return c
}

// integerBelow returns the integer expression that e casts to a decimal that holds all its values,
// or nil.
func integerBelow(e expr.Expr) expr.Expr {
	c, ok := e.(*expr.Call)
	if !ok || c.Fn != expr.FuncCast || c.T.ID != types.Decimal || c.T.Scale != 0 {
		return nil
	}
	if t := c.Args[0].Type(); !t.IsInteger() || c.T.Prec < expr.DecimalOf(t).Prec {
		return nil
	}
	return c.Args[0]
}

// againstInteger returns the comparison of an integer with e if e is a whole constant. A constant
// outside the integer's range acts like the value just outside it.
func againstInteger(c *expr.Call, integer, e expr.Expr, rel Relation) *expr.Call {
	k, ok := e.(*expr.Const)
	if !ok || k.Value.Null || k.Value.Type.ID != types.Decimal || k.Value.Type.Scale != 0 {
		return c
	}
	t := types.T(types.Int64)
	lo, hi := decimal128.FromI64(math.MinInt64), decimal128.FromI64(math.MaxInt64)
	if integer.Type().IsUnsigned() {
		t = types.T(types.Uint64)
		lo, hi = decimal128.FromI64(0), decimal128.FromU64(math.MaxUint64)
	}
	d := catalog.Datum{Type: t}
	switch n := k.Value.Dec; {
	case dec128.Cmp(n, lo) < 0: // every value is greater, and so >= lo
		d.I64 = int64(lo.LowBits())
		rel = always(rel.Holds(1) == 1, Greater|Equal, Less)
	case dec128.Cmp(n, hi) > 0:
		d.I64 = int64(hi.LowBits())
		rel = always(rel.Holds(-1) == 1, Less|Equal, Greater)
	default:
		d.I64 = int64(n.LowBits())
	}
	out := *c
	out.Fn, out.Args = relationNames[rel], []expr.Expr{integer, &expr.Const{Value: d}}
	return &out
}

// always returns the relation that holds for all values, or the one that holds for none.
func always(all bool, every, none Relation) Relation {
	if all {
		return every
	}
	return none
}

var relationNames = [...]expr.FuncID{Less: expr.FuncLT, Less | Equal: expr.FuncLE, Equal: expr.FuncEQ, Less | Greater: expr.FuncNE, Greater | Equal: expr.FuncGE, Greater: expr.FuncGT}
