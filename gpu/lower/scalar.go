package lower

import (
	"errors"
	"fmt"
	"slices"

	"gsql/gpu/column"
	"gsql/gpu/pipeline"
	"gsql/sql/expr"
	"gsql/sql/types"
)

type env = map[expr.ColID]*binding

// scalar converts an expression.
func (l *scalars) scalar(in env, e expr.Expr) (value, error) {
	switch x := e.(type) {
	case *expr.Col:
		b := in[x.ID]
		if b == nil {
			return value{}, fmt.Errorf("%s is of a query outside", x)
		}
		return b.value()
	case *expr.Const:
		return l.constant(x.Value)
	case *expr.Call:
		if v, ok, err := l.hosted(in, x); ok {
			return v, err
		}
		v, err := l.call(in, x)
		if err == nil {
			return v, nil
		}
		if t, tabled := l.table(in, x); tabled == nil {
			return t, nil
		} else if !errors.Is(tabled, errNoTable) {
			return value{}, tabled
		}
		return value{}, err
	}
	return value{}, fmt.Errorf("%s has no device form", e)
}

// truth converts a condition.
func (l *scalars) truth(in env, e expr.Expr) (*pipeline.Expr, error) {
	v, err := l.scalar(in, e)
	if err != nil {
		return nil, err
	}
	if v.e != nil && v.e.Kind == pipeline.Bool {
		return v.e, nil
	}
	n, err := l.number(v)
	switch {
	case err != nil:
		return nil, err
	case n.Op == pipeline.OpNull:
		return l.Null(pipeline.Bool), nil
	case n.Kind == pipeline.Float:
		return l.Compare(pipeline.OpNE, n, l.Float(0)), nil
	}
	return l.compared(pipeline.OpNE, n, l.Int(0)), nil
}

var comparisons = map[expr.FuncID]pipeline.Op{
	expr.FuncEQ: pipeline.OpEQ, expr.FuncNE: pipeline.OpNE, expr.FuncLT: pipeline.OpLT,
	expr.FuncLE: pipeline.OpLE, expr.FuncGT: pipeline.OpGT, expr.FuncGE: pipeline.OpGE,
}

// call converts a call to operations.
func (l *scalars) call(in env, c *expr.Call) (value, error) {
	if op, ok := comparisons[c.Fn]; ok {
		e, err := l.compareArgs(in, op, c.Args[0], c.Args[1])
		return value{e: e}, err
	}
	switch c.Fn {
	case expr.FuncAnd, expr.FuncOr, expr.FuncNot:
		return l.logic(in, c)
	case expr.FuncIsNull:
		v, err := l.scalar(in, c.Args[0])
		if err != nil {
			return v, err
		}
		if v, err = l.settled(v); err != nil {
			return v, err
		}
		if v.e == nil {
			return v, errText
		}
		return value{e: l.IsNull(v.e)}, nil
	case expr.FuncNullSafeEQ:
		return l.nullSafe(in, c)
	case expr.FuncIn:
		return l.in(in, c)
	case expr.FuncCase:
		return l.choose(in, c.Args, c.T)
	case expr.FuncCoalesce:
		return l.coalesce(in, c)
	case expr.FuncAdd, expr.FuncSub, expr.FuncMul, expr.FuncNeg, expr.FuncAbs, expr.FuncDiv:
		return l.arith(in, c)
	case expr.FuncCast:
		return l.cast(in, c)
	case expr.FuncMod, expr.FuncIntDiv, expr.FuncSign, expr.FuncLeast, expr.FuncGreatest, expr.FuncFloor, expr.FuncCeil, expr.FuncRound, expr.FuncTruncate:
		return numerics{l}.numeric(in, c)
	}
	if _, ok := ofTime[c.Fn]; ok || ofDay[c.Fn] {
		if v, err := (dayParts{l}).dayPart(in, c); !errors.Is(err, errNoTable) {
			return v, err
		}
	}
	return value{}, fmt.Errorf("%s has no device form", c)
}

func (l *scalars) logic(in env, c *expr.Call) (value, error) {
	args := make([]*pipeline.Expr, len(c.Args))
	for i, a := range c.Args {
		var err error
		if args[i], err = l.truth(in, a); err != nil {
			return value{}, err
		}
	}
	switch c.Fn {
	case expr.FuncAnd:
		return value{e: l.And(args...)}, nil
	case expr.FuncOr:
		return value{e: l.Or(args...)}, nil
	}
	return value{e: l.Not(args[0])}, nil
}

func (l *scalars) nullSafe(in env, c *expr.Call) (value, error) {
	same, err := l.compareArgs(in, pipeline.OpEQ, c.Args[0], c.Args[1])
	if err != nil {
		return value{}, err
	}
	if !same.Nullable {
		return value{e: same}, nil
	}
	x, errX := l.scalar(in, c.Args[0])
	y, errY := l.scalar(in, c.Args[1])
	if err := errors.Join(errX, errY); err != nil {
		return value{}, err
	}
	x, errX = l.settled(x)
	y, errY = l.settled(y)
	if err := errors.Join(errX, errY); err != nil {
		return value{}, err
	}
	if x.e == nil || y.e == nil {
		return value{}, errors.New("<=> with a literal text has no device form")
	}
	both := l.And(l.IsNull(x.e), l.IsNull(y.e))
	return value{e: l.If(l.IsNull(same), both, same)}, nil
}

func (l *scalars) in(in env, c *expr.Call) (value, error) {
	var any []*pipeline.Expr
	for _, a := range c.Args[1:] {
		e, err := l.compareArgs(in, pipeline.OpEQ, c.Args[0], a)
		if err != nil {
			return value{}, err
		}
		any = append(any, e)
	}
	return value{e: l.Or(any...)}, nil
}

// choose converts CASE, whose arguments are pairs of a condition and a value, and a last value.
func (l *scalars) choose(in env, args []expr.Expr, t types.Type) (value, error) {
	if len(args) == 0 {
		return l.null(t), nil
	}
	if len(args) == 1 {
		return l.scalar(in, args[0])
	}
	cond, err := l.truth(in, args[0])
	if err != nil {
		return value{}, err
	}
	yes, err := l.scalar(in, args[1])
	if err != nil {
		return value{}, err
	}
	no, err := l.choose(in, args[2:], t)
	if err != nil {
		return value{}, err
	}
	return l.either(cond, yes, no)
}

// either returns one of two values of one type.
func (l *scalars) either(cond *pipeline.Expr, yes, no value) (value, error) {
	yes, no = likeOther(yes, no), likeOther(no, yes)
	if yes.text && no.text {
		return l.eitherText(cond, yes, no), nil
	}
	y, errY := l.number(yes)
	n, errN := l.number(no)
	if err := errors.Join(errY, errN); err != nil {
		return value{}, err
	}
	scale := max(yes.scale, no.scale)
	var err error
	if y, err = l.aligned(y, yes.scale, scale); err != nil {
		return value{}, err
	}
	if n, err = l.aligned(n, no.scale, scale); err != nil {
		return value{}, err
	}
	switch {
	case y.Op == pipeline.OpNull:
		y = l.Null(n.Kind)
	case n.Op == pipeline.OpNull:
		n = l.Null(y.Kind)
	case (y.Kind == pipeline.Float) != (n.Kind == pipeline.Float):
		return value{}, errors.New("a choice among numbers of two kinds has no device form")
	}
	y, n = l.together(y, n)
	return value{e: l.If(cond, y, n), scale: scale}, nil
}

// aligned rescales integers; doubles and NULLs have no scale.
func (l *scalars) aligned(e *pipeline.Expr, from, to int) (*pipeline.Expr, error) {
	if e.Kind == pipeline.Float || e.Op == pipeline.OpNull {
		return e, nil
	}
	return l.rescaled(e, from, to)
}

func (l *scalars) coalesce(in env, c *expr.Call) (value, error) {
	v, err := l.scalar(in, c.Args[len(c.Args)-1])
	for i := len(c.Args) - 2; i >= 0 && err == nil; i-- {
		var first value
		if first, err = l.scalar(in, c.Args[i]); err != nil {
			break
		}
		if first, err = l.settled(first); err != nil {
			break
		}
		if first.e == nil {
			return value{}, errText
		}
		v, err = l.either(l.Not(l.IsNull(first.e)), first, v)
	}
	return v, err
}

// eitherText returns one of two texts, as a code of a dictionary with those of both.
func (l *scalars) eitherText(cond *pipeline.Expr, yes, no value) value {
	out := value{text: true}
	switch {
	case yes.texts == nil || no.texts == nil: // only statistics are known
		out.e = l.If(cond, yes.e, no.e)
		return out
	case yes.texts == no.texts:
		out.texts = yes.texts
	default:
		all := slices.Concat(yes.texts.Texts, no.texts.Texts)
		slices.Sort(all)
		out.texts = &column.Dictionary{Texts: slices.Compact(all)}
	}
	out.e = l.If(cond, l.recoded(yes, out.texts), l.recoded(no, out.texts))
	return out
}

// recoded returns the codes of a text in a dictionary that has all of its texts.
func (l *scalars) recoded(v value, in *column.Dictionary) *pipeline.Expr {
	if v.texts == in || v.e.Op == pipeline.OpNull {
		return v.e
	}
	codes := make([]int64, len(v.texts.Texts))
	for i, t := range v.texts.Texts {
		at, _ := slices.BinarySearch(in.Texts, t)
		codes[i] = int64(at)
	}
	if v.e.IsConst() {
		return l.Int(codes[v.e.Value])
	}
	return l.Lookup(l.constants(codes), v.e)
}

// likeOther returns v, as a text if it is NULL and other is a text.
func likeOther(v, other value) value {
	if other.text && !v.text && v.e != nil && v.e.Op == pipeline.OpNull {
		v.text, v.texts = true, &column.Dictionary{}
	}
	return v
}
