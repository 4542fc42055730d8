package eval

import (
	"math"

	"gsql/internal/dec128"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
)

// condition is a predicate over numeric columns that needs no program: rows are chosen by reading
// the columns in place. It does not distinguish NULL from FALSE. It is kept small because short
// statements compile many of them.
type condition struct {
	form    conditionForm
	negated bool            // isNullOf: the column is not NULL
	rel     kernel.Relation // compared: the relation
	kind    types.Kind      // kind of the left column, where its values matter
	left    int32           // position of the column in the batch
	right   int32           // compared: position of the other column, or -1 for a constant
	bits    uint64          // compared: the constant's payload
	member  memberLoop      // memberOf: the membership test
	any     [][]condition   // anyOf: alternatives, each a conjunction
}

type conditionForm uint8

const (
	compared conditionForm = iota
	isNullOf
	memberOf
	anyOf
)

// directCondition returns e as a condition, or nil if e needs a program.
func directCondition(e expr.Expr, input []expr.ColID) *condition {
	c := new(condition)
	if !c.set(e, input) {
		return nil
	}
	return c
}

// set makes c the condition equivalent to e and reports whether there is one.
func (c *condition) set(e expr.Expr, input []expr.ColID) bool {
	c.right = -1
	call, ok := e.(*expr.Call)
	if !ok {
		return false
	}
	switch call.Fn {
	case expr.FuncOr:
		return c.setAny(call, input)
	case expr.FuncIn:
		return c.setMember(call, input)
	case expr.FuncNot:
		inner, ok := call.Args[0].(*expr.Call)
		c.negated = true
		return ok && inner.Fn == expr.FuncIsNull && c.setNull(inner, input)
	case expr.FuncIsNull:
		return c.setNull(call, input)
	}
	return kernel.Relations[call.Fn] != 0 && c.setComparison(call, input)
}

func (c *condition) setNull(call *expr.Call, input []expr.ColID) bool {
	c.form, c.left = isNullOf, position(call.Args[0], input)
	return c.left >= 0
}

// setComparison handles the comparison of a column with a constant or another column.
func (c *condition) setComparison(call *expr.Call, input []expr.ColID) bool {
	rel, a, b := kernel.Relations[call.Fn], call.Args[0], call.Args[1]
	if _, ok := a.(*expr.Const); ok {
		rel, a, b = rel.Swap(), b, a
	}
	c.form, c.rel, c.kind = compared, rel, a.Type().Kind()
	c.left, c.right = position(a, input), position(b, input)
	if c.left < 0 || b.Type().Kind() != c.kind {
		return false
	}
	if k, ok := b.(*expr.Const); ok && !expr.IsNull(k) {
		return c.setConstant(&k.Value, int(a.Type().Scale))
	}
	return isDirect(c.kind) && c.right >= 0
}

// setConstant sets the constant that a column of the given scale is compared with. Decimal
// constants become integers of that scale.
func (c *condition) setConstant(d *catalog.Datum, scale int) (ok bool) {
	switch c.kind {
	case types.KindF64:
		c.bits = math.Float64bits(d.F64)
		return true
	case types.KindDec:
		x := int64(d.Dec.LowBits())
		if ok = dec128.IsInt64(d.Dec) && int(d.Type.Scale) <= scale; ok {
			x, ok = kernel.Rescaled(x, scale-int(d.Type.Scale))
		}
		c.bits = uint64(x)
		return ok
	}
	c.bits = uint64(d.I64)
	return isDirect(c.kind)
}

// setMember handles IN of a column over constants. NULLs in the list make no row TRUE.
func (c *condition) setMember(call *expr.Call, input []expr.ColID) bool {
	c.form, c.kind, c.left = memberOf, call.Args[0].Type().Kind(), position(call.Args[0], input)
	if c.left < 0 || !isDirect(c.kind) || !constants(call.Args[1:]) {
		return false
	}
	if c.kind == types.KindF64 {
		c.member = selectMembers(call.Args[1:], func(k *expr.Const) float64 { return k.Value.F64 })
	} else {
		c.member = selectMembers(call.Args[1:], func(k *expr.Const) int64 { return k.Value.I64 })
	}
	return true
}

// setAny handles OR of conjunctions of conditions.
func (c *condition) setAny(call *expr.Call, input []expr.ColID) bool {
	c.form, c.any = anyOf, make([][]condition, len(call.Args))
	for i, a := range call.Args {
		var ok bool
		if c.any[i], ok = appendConditions(nil, a, input); !ok {
			return false
		}
	}
	return true
}

// appendConditions appends the conditions of the conjunction e to all; ok is false if some part
// of e is not a condition.
func appendConditions(all []condition, e expr.Expr, input []expr.ColID) (_ []condition, ok bool) {
	call, ok := e.(*expr.Call)
	if !ok || call.Fn != expr.FuncAnd {
		all = append(all, condition{})
		return all, all[len(all)-1].set(e, input)
	}
	if all == nil {
		all = make([]condition, 0, len(call.Args))
	}
	for _, a := range call.Args {
		if all, ok = appendConditions(all, a, input); !ok {
			return nil, false
		}
	}
	return all, true
}

// isDirect reports whether conditions can read values of kind k.
func isDirect(k types.Kind) bool {
	return k == types.KindI64 || k == types.KindU64 || k == types.KindF64
}

// position returns the position of the column e among the inputs, or -1 if e is not an input
// column.
func position(e expr.Expr, input []expr.ColID) int32 {
	if c, ok := e.(*expr.Col); ok {
		for i, id := range input {
			if id == c.ID {
				return int32(i)
			}
		}
	}
	return -1
}
