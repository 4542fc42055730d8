package lower

import (
	"errors"
	"fmt"

	"gsql/gpu/pipeline"
	"gsql/sql/expr"
	"gsql/sql/types"
)

var operations = map[expr.FuncID]pipeline.Op{expr.FuncAdd: pipeline.OpAdd, expr.FuncSub: pipeline.OpSub, expr.FuncMul: pipeline.OpMul}

// arith returns a sum, difference, product, quotient, or the value with another sign.
func (l *scalars) arith(in env, c *expr.Call) (value, error) {
	if expr.CarriesWithin(c) && expr.FallsShort(c) {
		return value{}, errDigits
	}
	operands := c.Args[:min(len(c.Args), 2)] // a quotient may have a third argument
	args, scales := make([]*pipeline.Expr, len(operands)), make([]int, len(operands))
	for i, a := range operands {
		v, err := l.scalar(in, a)
		if err != nil {
			return value{}, err
		}
		if args[i], err = l.number(v); err != nil {
			return value{}, err
		}
		if args[i].Op == pipeline.OpNull {
			return l.null(c.T), nil
		}
		scales[i] = v.scale
	}
	var e *pipeline.Expr
	scale, err := scales[0], error(nil)
	switch {
	case len(args) == 2 && (args[0].Kind == pipeline.Float) != (args[1].Kind == pipeline.Float):
		return value{}, errors.New("arithmetic of two kinds of numbers has no device form")
	case c.Fn == expr.FuncNeg:
		e, err = l.negated(args[0])
	case c.Fn == expr.FuncAbs:
		if e, err = l.Abs(args[0]); err != nil {
			e, err = l.Abs(l.ToInt128(args[0]))
		}
	case c.Fn == expr.FuncDiv:
		return l.quotient(c, args, scales)
	case args[0].Kind == pipeline.Float:
		e, err = l.Arith(operations[c.Fn], args[0], args[1])
	case c.Fn == expr.FuncMul:
		scale = scales[0] + scales[1]
		e, err = l.combined(pipeline.OpMul, args[0], args[1])
	default:
		scale = max(scales[0], scales[1])
		e, err = l.sumOf(operations[c.Fn], args, scales, scale)
	}
	if err != nil {
		return value{}, err
	}
	return l.typed(e, scale, c.T)
}

func (l *scalars) sumOf(op pipeline.Op, args []*pipeline.Expr, scales []int, scale int) (*pipeline.Expr, error) {
	x, err := l.rescaled(args[0], scales[0], scale)
	if err != nil {
		return nil, err
	}
	y, err := l.rescaled(args[1], scales[1], scale)
	if err != nil {
		return nil, err
	}
	return l.combined(op, x, y)
}

func (l *scalars) negated(x *pipeline.Expr) (*pipeline.Expr, error) {
	if x.Kind == pipeline.Float {
		return l.Neg(x)
	}
	return l.combined(pipeline.OpSub, l.Int(0), x)
}

// typed rescales a number to its type, whose range it must not exceed in any row.
func (l *scalars) typed(e *pipeline.Expr, scale int, t types.Type) (value, error) {
	if (t.Kind() == types.KindF64) != (e.Kind == pipeline.Float) {
		return value{}, fmt.Errorf("a result of type %s has no device form", t.Name())
	}
	if t.Carries() && scale != int(t.Scale) {
		return value{}, errors.New("a result carries fewer digits than its operands")
	}
	if e.Kind == pipeline.Float {
		return value{e: e}, nil
	}
	to := 0
	if t.Kind() == types.KindDec {
		to = int(t.Scale)
	}
	e, err := l.rescaled(e, scale, to)
	if err != nil {
		return value{}, err
	}
	return value{e: l.inRange(e, t), scale: to}, nil
}

// cast returns a number as another type.
func (l *scalars) cast(in env, c *expr.Call) (value, error) {
	from, to := c.Args[0].Type(), c.T
	if from.ID == types.Datetime && to.ID == types.Date {
		return dayParts{l}.dateOf(in, c)
	}
	if from.IsTemporal() != to.IsTemporal() || from.IsTemporal() && from.ID != to.ID {
		return value{}, fmt.Errorf("%s has no device form", c)
	}
	v, err := l.scalar(in, c.Args[0])
	if err != nil {
		return value{}, err
	}
	if from.Carries() && to.Kind() != types.KindDec {
		return value{}, fmt.Errorf("%s has no device form", c)
	}
	if v.text && to.Kind() == types.KindStr && (to.Len == 0 || from.Len > 0 && from.Len <= to.Len) && from.ID == to.ID {
		return v, nil
	}
	e, err := l.number(v)
	switch {
	case err != nil:
		return value{}, err
	case e.Op == pipeline.OpNull:
		return l.null(to), nil
	case to.Kind() == types.KindStr, to.ID == types.Float32, e.Kind == pipeline.Float && to.Kind() != types.KindF64:
		return value{}, fmt.Errorf("%s has no device form", c)
	case to.Kind() == types.KindF64 && e.Kind != pipeline.Float:
		return l.toDouble(e, v.scale)
	}
	return l.typed(e, v.scale, to)
}

// exactDouble is the bound up to which doubles represent all integers exactly.
const exactDouble = 1 << 53

// toDouble returns a decimal as a double: one division of two exact numbers, which is correctly
// rounded.
func (l *scalars) toDouble(e *pipeline.Expr, scale int) (value, error) {
	if scale == 0 && e.Kind == pipeline.Int {
		return value{e: l.ToFloat(e)}, nil
	}
	p, err := power(scale)
	if err != nil || e.Kind == pipeline.Int128 || e.Min < -exactDouble || e.Max > exactDouble {
		return value{}, errors.New("a decimal of more than 53 bits becomes a double")
	}
	f, err := l.Quotient(pipeline.OpQuo, l.ToFloat(e), l.Float(float64(p)))
	return value{e: f}, err
}
