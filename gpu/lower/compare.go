package lower

import (
	"errors"
	"slices"
	"sort"

	"gsql/gpu/pipeline"
	"gsql/sql/expr"
)

// compareArgs returns a comparison of two expressions.
func (l *scalars) compareArgs(in env, op pipeline.Op, a, b expr.Expr) (*pipeline.Expr, error) {
	x, err := l.scalar(in, a)
	if err != nil {
		return nil, err
	}
	y, err := l.scalar(in, b)
	if err != nil {
		return nil, err
	}
	return l.compare(op, x, y)
}

// compare returns a comparison of two values.
func (l *scalars) compare(op pipeline.Op, x, y value) (*pipeline.Expr, error) {
	switch {
	case x.literal != nil && y.literal == nil:
		return l.compare(mirrored(op), y, x)
	case x.text && y.literal != nil && x.literal == nil:
		return l.compareLiteral(op, x, *y.literal), nil
	case x.text && y.text && x.e != nil && y.e != nil:
		return l.compareTexts(op, x, y)
	}
	a, errA := l.number(x)
	b, errB := l.number(y)
	if err := errors.Join(errA, errB); err != nil {
		return nil, err
	}
	if a.Op == pipeline.OpNull || b.Op == pipeline.OpNull {
		return l.Null(pipeline.Bool), nil
	}
	if (a.Kind == pipeline.Float) != (b.Kind == pipeline.Float) {
		return nil, errors.New("a comparison of numbers of two kinds has no device form")
	}
	if x.scale > y.scale {
		a, b, x, y, op = b, a, y, x, mirrored(op)
	}
	if p, err := power(y.scale - x.scale); err == nil && a.Kind == pipeline.Int && b.Kind == pipeline.Int && y.scale > x.scale {
		if _, err := l.Arith(pipeline.OpMul, a, l.Int(p)); err != nil {
			if e, err := l.compareScaled(op, a, b, p); err == nil {
				return e, nil
			}
		}
	}
	scaled, err := l.aligned(a, x.scale, y.scale)
	if err != nil {
		return nil, err
	}
	return l.compared(op, scaled, b), nil
}

// compareScaled compares a times p, a power of ten, which may exceed 64 bits, with b. It compares a with
// b / p, rounded down; if they are equal, the remainder decides.
func (l *scalars) compareScaled(op pipeline.Op, a, b *pipeline.Expr, p int64) (*pipeline.Expr, error) {
	quo, err := l.Quotient(pipeline.OpQuo, b, l.Int(p))
	if err != nil {
		return nil, err
	}
	rest, err := l.Quotient(pipeline.OpRem, b, l.Int(p))
	if err != nil {
		return nil, err
	}
	down, err := l.Arith(pipeline.OpSub, quo, l.ToInt(l.Compare(pipeline.OpLT, rest, l.Int(0))))
	if err != nil {
		return nil, err
	}
	same, exact := l.Compare(pipeline.OpEQ, a, down), l.Compare(pipeline.OpEQ, rest, l.Int(0))
	switch op {
	case pipeline.OpGT, pipeline.OpLE:
		return l.Compare(op, a, down), nil
	case pipeline.OpGE:
		return l.Or(l.Compare(pipeline.OpGT, a, down), l.And(same, exact)), nil
	case pipeline.OpLT:
		return l.Or(l.Compare(pipeline.OpLT, a, down), l.And(same, l.Not(exact))), nil
	case pipeline.OpNE:
		return l.Or(l.Not(same), l.Not(exact)), nil
	}
	return l.And(same, exact), nil
}

func mirrored(op pipeline.Op) pipeline.Op {
	switch op {
	case pipeline.OpLT:
		return pipeline.OpGT
	case pipeline.OpLE:
		return pipeline.OpGE
	case pipeline.OpGT:
		return pipeline.OpLT
	case pipeline.OpGE:
		return pipeline.OpLE
	}
	return op
}

// compareLiteral compares codes with the position of a text in the dictionary. While there is no
// dictionary, the result is a comparison with an arbitrary code.
func (l *scalars) compareLiteral(op pipeline.Op, x value, text string) *pipeline.Expr {
	if x.texts == nil {
		return l.Compare(op, x.e, l.Int((x.e.Min+x.e.Max)/2))
	}
	at := sort.SearchStrings(x.texts.Texts, text)
	code := l.Int(int64(at))
	if at < len(x.texts.Texts) && x.texts.Texts[at] == text {
		return l.Compare(op, x.e, code)
	}
	// The text has no code: those from at on belong to greater texts.
	switch op {
	case pipeline.OpEQ:
		return l.unlessNull(x.e, false)
	case pipeline.OpNE:
		return l.unlessNull(x.e, true)
	case pipeline.OpLT, pipeline.OpLE:
		return l.Compare(pipeline.OpLT, x.e, code)
	}
	return l.Compare(pipeline.OpGE, x.e, code)
}

// unlessNull returns a truth value, or NULL where e is NULL.
func (l *scalars) unlessNull(e *pipeline.Expr, v bool) *pipeline.Expr {
	return l.If(l.IsNull(e), l.Null(pipeline.Bool), l.Bool(v))
}

// compareTexts compares codes. Codes of different dictionaries are equal if their texts are.
func (l *scalars) compareTexts(op pipeline.Op, x, y value) (*pipeline.Expr, error) {
	if oneDictionary(x, y) {
		return l.Compare(op, x.e, y.e), nil
	}
	if op != pipeline.OpEQ && op != pipeline.OpNE {
		return nil, errors.New("an order among texts of two columns has no device form")
	}
	mapped := l.translated(x, y)
	found := l.Compare(pipeline.OpGE, mapped, l.Int(0))
	same := l.Compare(pipeline.OpEQ, l.Extreme(pipeline.OpGreater, mapped, l.Int(0)), y.e)
	equal := l.If(l.IsNull(y.e), l.Null(pipeline.Bool), l.And(found, same)) // also if the text of x is not in that dictionary
	if op == pipeline.OpNE {
		equal = l.Not(equal)
	}
	return equal, nil
}

// oneDictionary reports whether two texts have codes of the same dictionary. While there are no
// dictionaries, these are the texts of one column.
func oneDictionary(x, y value) bool {
	if x.texts != nil || y.texts != nil {
		return x.texts == y.texts
	}
	return x.e.Op == pipeline.OpLoad && y.e.Op == pipeline.OpLoad && x.e.Column == y.e.Column
}

// translated returns the codes of x's texts in the dictionary of y, or -1 for texts that it lacks.
func (l *scalars) translated(x, y value) *pipeline.Expr {
	if x.texts == nil || y.texts == nil {
		return x.e
	}
	codes := make([]int64, len(x.texts.Texts))
	for i, t := range x.texts.Texts {
		at, ok := slices.BinarySearch(y.texts.Texts, t)
		if codes[i] = int64(at); !ok {
			codes[i] = -1
		}
	}
	return l.Lookup(l.constants(codes), x.e)
}
