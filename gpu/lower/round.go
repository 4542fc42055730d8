package lower

import (
	"errors"
	"fmt"

	"gsql/gpu/pipeline"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// numerics converts numeric functions and operators other than sums and products.
type numerics struct{ *scalars }

// numeric returns a numeric function of integers and decimals, whose results are exact.
func (l numerics) numeric(in env, c *expr.Call) (value, error) {
	args, scales, err := l.numbers(in, c)
	if err != nil {
		return value{}, err
	}
	for _, a := range args {
		if a.Op == pipeline.OpNull {
			return l.null(c.T), nil
		}
	}
	switch c.Fn {
	case expr.FuncMod:
		return l.remainder(c, args, scales)
	case expr.FuncIntDiv:
		return l.wholeQuotient(c, args, scales)
	case expr.FuncSign:
		return l.sign(c, args[0])
	case expr.FuncLeast, expr.FuncGreatest:
		return l.extremeOf(c, args, scales)
	}
	if args[0].Kind == pipeline.Float {
		return value{}, fmt.Errorf("%s of a DOUBLE has no device form", c)
	}
	var e *pipeline.Expr
	switch c.Fn {
	case expr.FuncFloor, expr.FuncCeil:
		e, err = l.whole(args[0], scales[0], c.Fn == expr.FuncCeil)
		scales[0] = 0
	default:
		e, err = l.rounded(c, args[0], &scales[0])
	}
	if err != nil {
		return value{}, err
	}
	return l.typed(e, scales[0], c.T)
}

// numbers returns the arguments of a call, which must be numbers.
func (l numerics) numbers(in env, c *expr.Call) (args []*pipeline.Expr, scales []int, err error) {
	for _, a := range c.Args {
		v, err := l.scalar(in, a)
		if err != nil {
			return nil, nil, err
		}
		e, err := l.number(v)
		if err != nil {
			return nil, nil, err
		}
		args, scales = append(args, e), append(scales, v.scale)
	}
	return args, scales, nil
}

// alignedInts returns the integers rescaled to the largest of their scales.
func (l numerics) alignedInts(args []*pipeline.Expr, scales []int) (out []*pipeline.Expr, scale int, err error) {
	for i, s := range scales {
		if args[i].Kind == pipeline.Float {
			return nil, 0, errors.New("arithmetic of DOUBLE with a remainder has no device form")
		}
		scale = max(scale, s)
	}
	for i, a := range args {
		e, err := l.rescaled(a, scales[i], scale)
		if err != nil {
			return nil, 0, err
		}
		out = append(out, e)
	}
	return out, scale, nil
}

// remainder returns x % y, which has the sign of x.
func (l numerics) remainder(c *expr.Call, args []*pipeline.Expr, scales []int) (value, error) {
	same, scale, err := l.alignedInts(args, scales)
	if err != nil {
		return value{}, err
	}
	e, err := l.divided(pipeline.OpRem, same[0], same[1])
	if err != nil {
		return value{}, err
	}
	return l.typed(e, scale, c.T)
}

// wholeQuotient returns x DIV y, truncated towards zero.
func (l numerics) wholeQuotient(c *expr.Call, args []*pipeline.Expr, scales []int) (value, error) {
	same, _, err := l.alignedInts(args, scales)
	if err != nil {
		return value{}, err
	}
	e, err := l.divided(pipeline.OpQuo, same[0], same[1])
	if err != nil {
		return value{}, err
	}
	return l.typed(e, 0, c.T)
}

// sign returns -1, 0 or 1.
func (l numerics) sign(c *expr.Call, x *pipeline.Expr) (value, error) {
	zero := l.Int(0)
	if x.Kind == pipeline.Float {
		zero = l.Float(0)
	}
	e := l.If(l.compared(pipeline.OpGT, x, zero), l.Int(1), l.If(l.compared(pipeline.OpLT, x, zero), l.Int(-1), l.Int(0)))
	return l.typed(l.If(l.IsNull(x), l.Null(pipeline.Int), e), 0, c.T)
}

// extremeOf returns LEAST or GREATEST of numbers of one kind.
func (l numerics) extremeOf(c *expr.Call, args []*pipeline.Expr, scales []int) (value, error) {
	op := pipeline.OpLess
	if c.Fn == expr.FuncGreatest {
		op = pipeline.OpGreater
	}
	scale := 0
	if args[0].Kind != pipeline.Float {
		var err error
		if args, scale, err = l.alignedInts(args, scales); err != nil {
			return value{}, err
		}
	}
	e := args[0]
	for i, a := range args[1:] {
		if e, a = l.together(e, a); a.Kind != e.Kind || !comparesAs(c.T, c.Args[0].Type(), c.Args[i+1].Type()) {
			return value{}, fmt.Errorf("%s of values of several types has no device form", c)
		}
		e = l.Extreme(op, e, a)
	}
	return l.typed(e, scale, c.T)
}

// comparesAs reports whether values of types x and y compare like the values that devices compute
// with, for a result of type t: both are exact numbers, or both have the same type.
func comparesAs(t, x, y types.Type) bool {
	exact := func(t types.Type) bool { return t.IsInteger() || t.Kind() == types.KindDec }
	return exact(t) && exact(x) && exact(y) || x.ID == y.ID && t.ID == x.ID
}

// whole returns the next integer below a decimal, or above it.
func (l numerics) whole(e *pipeline.Expr, scale int, up bool) (*pipeline.Expr, error) {
	if scale == 0 {
		return e, nil
	}
	p, err := l.tens(scale)
	if err != nil {
		return nil, err
	}
	quo, errQuo := l.divided(pipeline.OpQuo, e, p)
	rest, errRest := l.divided(pipeline.OpRem, e, p)
	if err := errors.Join(errQuo, errRest); err != nil {
		return nil, err
	}
	if up {
		return l.combined(pipeline.OpAdd, quo, l.ToInt(l.compared(pipeline.OpGT, rest, l.Int(0))))
	}
	return l.combined(pipeline.OpSub, quo, l.ToInt(l.compared(pipeline.OpLT, rest, l.Int(0))))
}

// mostRounded is the maximum number of digits before and after the point to which numbers are
// rounded: 64 bits have no more.
const mostRounded = 18

// rounded returns ROUND or TRUNCATE to a constant number of digits, and sets scale to the result's.
func (l numerics) rounded(c *expr.Call, e *pipeline.Expr, scale *int) (*pipeline.Expr, error) {
	digits := int64(0)
	if len(c.Args) > 1 {
		d, ok := c.Args[1].(*expr.Const)
		if !ok || d.Value.Null || !d.Value.Type.IsInteger() || d.Value.I64 > mostRounded || d.Value.I64 < -mostRounded {
			return nil, fmt.Errorf("%s has no device form", c)
		}
		digits = d.Value.I64
	}
	drop := *scale - int(digits)
	if drop <= 0 {
		return e, nil
	}
	op := pipeline.OpQuoRound
	if c.Fn == expr.FuncTruncate {
		op = pipeline.OpQuo
	}
	p, err := l.tens(drop)
	if err != nil {
		return nil, err
	}
	if e, err = l.divided(op, e, p); err != nil {
		return nil, err
	}
	if *scale = max(int(digits), 0); digits >= 0 {
		return e, nil
	}
	return l.rescaled(e, 0, int(-digits)) // zeros before the point
}
