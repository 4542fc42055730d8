package pairs

import (
	"math"

	"gsql/internal/simd"
	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/types"
)

var (
	anyInteger = limit{math.MinInt64, math.MaxInt64}
	unsigned   = limit{0, math.MaxInt64}
	arithmetic = map[expr.FuncID]simd.Operation{expr.FuncAdd: simd.Add, expr.FuncSub: simd.Sub, expr.FuncMul: simd.Mul}
)

// isNumber reports whether programs can compute with values of type t.
func isNumber(t types.Type) bool {
	switch t.Kind() {
	case types.KindI64, types.KindU64, types.KindF64:
		return true
	case types.KindDec:
		return t.Scale <= maxDigits
	}
	return false
}

// number compiles a numeric expression.
func (c *compiler) number(e expr.Expr) (int, bool) {
	if !isNumber(e.Type()) {
		return 0, false
	}
	if k, ok := e.(*expr.Const); ok {
		return c.constantOf(k)
	}
	if side, ok := c.onOneSide(e); ok && hoistable(e) {
		return c.load(side, e), true
	}
	call, ok := e.(*expr.Call)
	if !ok {
		return 0, false
	}
	switch call.Fn {
	case expr.FuncAdd, expr.FuncSub, expr.FuncMul:
		return c.arithmetic(call)
	case expr.FuncNeg:
		return c.negative(call)
	case expr.FuncCast:
		return c.cast(call)
	case expr.FuncMod:
		return c.remainder(call)
	}
	return 0, false
}

// onOneSide returns the side whose columns e reads. An expression without columns may be on
// either side.
func (c *compiler) onOneSide(e expr.Expr) (side Side, ok bool) {
	var on [2]bool
	expr.Walk(e, func(e expr.Expr) bool {
		if col, isCol := e.(*expr.Col); isCol {
			on[c.sideOf(col.ID)] = true
		}
		return true
	})
	if on[Right] {
		side = Right
	}
	return side, !on[Left] || !on[Right]
}

// hoistable reports whether e can be computed for rows that no pair may need: it never warns, and
// if it fails, the general way is used instead.
func hoistable(e expr.Expr) bool {
	return eval.Total(e, func(call *expr.Call) bool {
		switch call.Fn {
		case expr.FuncAdd, expr.FuncSub, expr.FuncMul, expr.FuncNeg:
			return true
		case expr.FuncMod, expr.FuncIntDiv:
			k, ok := call.Args[1].(*expr.Const)
			return ok && !k.Value.Null && k.Value.Float() != 0
		}
		return false
	})
}

// load adds the node of an operand.
func (c *compiler) load(side Side, e expr.Expr) int {
	at := -1
	for i, o := range c.p.operands[side] {
		if expr.Equal(o.e, e) {
			at = i
		}
	}
	float := e.Type().Kind() == types.KindF64
	if at < 0 {
		at = len(c.p.operands[side])
		c.p.operands[side] = append(c.p.operands[side], operand{e: e, float: float})
	}
	return c.add(node{kind: loaded, float: float, a: int(side), b: at})
}

// both compiles the two arguments of a call.
func (c *compiler) both(call *expr.Call) (a, b int, ok bool) {
	if a, ok = c.number(call.Args[0]); ok {
		b, ok = c.number(call.Args[1])
	}
	return a, b, ok
}

func (c *compiler) arithmetic(call *expr.Call) (int, bool) {
	x, y, t := call.Args[0].Type(), call.Args[1].Type(), call.T
	n := node{kind: computed, op: arithmetic[call.Fn], float: t.Kind() == types.KindF64, within: anyInteger}
	switch t.Kind() {
	case types.KindF64:
		if x.Kind() != t.Kind() || y.Kind() != t.Kind() {
			return 0, false
		}
	case types.KindDec:
		scale := max(x.Scale, y.Scale)
		if call.Fn == expr.FuncMul {
			scale = x.Scale + y.Scale
		} else if x.Scale != y.Scale {
			return 0, false
		}
		if x.Kind() != t.Kind() || y.Kind() != t.Kind() || t.Scale != scale {
			return 0, false
		}
	case types.KindU64:
		n.within = unsigned
	}
	var ok bool
	n.a, n.b, ok = c.both(call)
	return c.add(n), ok
}

func (c *compiler) negative(call *expr.Call) (int, bool) {
	a, ok := c.number(call.Args[0])
	if !ok || c.p.nodes[a].float != (call.T.Kind() == types.KindF64) {
		return 0, false
	}
	zero := c.add(node{kind: constant, float: c.p.nodes[a].float})
	return c.add(node{kind: computed, op: simd.Sub, float: c.p.nodes[a].float, a: zero, b: a, within: anyInteger}), true
}

// cast compiles conversions of integers and decimals that preserve all values within the limits
// of the target type.
func (c *compiler) cast(call *expr.Call) (int, bool) {
	from, to := call.Args[0].Type(), call.T
	exact := func(t types.Type) bool {
		return t.IsInteger() && t.ID != types.Bool && t.ID != types.Year || t.ID == types.Decimal
	}
	if !exact(from) || !exact(to) || to.Scale < from.Scale {
		return 0, false
	}
	a, ok := c.number(call.Args[0])
	if !ok {
		return 0, false
	}
	if a = c.scaled(a, int(to.Scale)-int(from.Scale)); a < 0 {
		return 0, false
	}
	within := limitOf(to)
	if within == anyInteger {
		return a, true
	}
	zero := c.add(node{kind: constant})
	return c.add(node{kind: computed, op: simd.Add, a: a, b: zero, within: within}), true
}

// limitOf returns the range of integers that a type holds, at most that of 64 bits.
func limitOf(t types.Type) limit {
	switch {
	case t.ID == types.Decimal && t.Prec > maxDigits:
		return anyInteger
	case t.ID == types.Decimal:
		most := int64(math.Pow10(int(t.Prec))) - 1
		return limit{-most, most}
	case t.IsUnsigned() && t.Bits() < 64:
		return limit{0, 1<<t.Bits() - 1}
	case t.IsUnsigned():
		return unsigned
	case t.Bits() < 64:
		return limit{-1 << (t.Bits() - 1), 1<<(t.Bits()-1) - 1}
	}
	return anyInteger
}

// remainder compiles % of integers. A divisor of zero makes the remainder NULL and warns, so a
// divisor that may be zero must be an operand, in a comparison that every pair reaches. A
// remainder of one side alone is rejected, because it warns once per row, not once per pair.
func (c *compiler) remainder(call *expr.Call) (int, bool) {
	_, oneSide := c.onOneSide(call)
	if oneSide || call.T.Kind() != types.KindI64 && call.T.Kind() != types.KindU64 {
		return 0, false
	}
	nested := c.nested
	c.nested = true
	a, b, ok := c.both(call)
	if !ok {
		return 0, false
	}
	c.nested = nested
	d := &c.p.nodes[b]
	n := node{kind: computed, op: simd.Rem, a: a, b: b, within: anyInteger, byZero: d.kind == loaded && !nested}
	if n.byZero {
		c.p.operands[d.a][d.b].divides = true
	}
	return c.add(n), d.kind != constant || d.i != 0
}
