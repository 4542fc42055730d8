package lower

import (
	"errors"
	"math/big"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/gpu/pipeline"
	"gsql/internal/dec128"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// exact computes integers and decimals: in 64 bits where the bounds of the operands allow that, and
// otherwise in 128.
type exact struct{ *pipeline.Builder }

// together returns two numbers of one kind: an integer beside one of 128 bits gets as many.
func (l exact) together(x, y *pipeline.Expr) (a, b *pipeline.Expr) {
	switch {
	case x.Kind == pipeline.Int128 && y.Kind == pipeline.Int:
		y = l.ToInt128(y)
	case y.Kind == pipeline.Int128 && x.Kind == pipeline.Int:
		x = l.ToInt128(x)
	}
	return x, y
}

// combined returns a sum, difference or product of two numbers of one kind, or of integers.
func (l exact) combined(op pipeline.Op, x, y *pipeline.Expr) (*pipeline.Expr, error) {
	x, y = l.together(x, y)
	e, err := l.Arith(op, x, y)
	if errors.Is(err, pipeline.ErrRange) {
		e, err = l.Arith(op, l.ToInt128(x), l.ToInt128(y))
	}
	if err != nil {
		return nil, err
	}
	return l.Narrowed(e), nil
}

// divided returns a quotient or a remainder of two numbers of one kind, or of integers.
func (l exact) divided(op pipeline.Op, x, y *pipeline.Expr) (*pipeline.Expr, error) {
	x, y = l.together(x, y)
	e, err := l.Quotient(op, x, y)
	if errors.Is(err, pipeline.ErrRange) {
		e, err = l.Quotient(op, l.ToInt128(x), l.ToInt128(y))
	}
	if err != nil {
		return nil, err
	}
	return l.Narrowed(e), nil
}

// compared returns a comparison of two numbers of one kind, or of integers.
func (l exact) compared(op pipeline.Op, x, y *pipeline.Expr) *pipeline.Expr {
	x, y = l.together(x, y)
	return l.Compare(op, x, y)
}

// tens returns 10^n.
func (l exact) tens(n int) (*pipeline.Expr, error) {
	if n < 0 || n > dec128.MaxDigits-1 {
		return nil, pipeline.ErrRange
	}
	return l.Narrowed(l.Const128(dec128.Pow10(n))), nil
}

// rescaled converts an integer to another scale, rounded half away from zero.
func (l exact) rescaled(e *pipeline.Expr, from, to int) (*pipeline.Expr, error) {
	if from == to {
		return e, nil
	}
	p, err := l.tens(max(to-from, from-to))
	switch {
	case err != nil:
		return nil, err
	case to > from:
		return l.combined(pipeline.OpMul, e, p)
	}
	return l.divided(pipeline.OpQuoRound, e, p)
}

// inRange returns an integer of a type. Rows with values out of the type's range make the program fail.
func (l exact) inRange(e *pipeline.Expr, t types.Type) *pipeline.Expr {
	least, most := dec128.Max(dec128.MaxDigits).Negate(), dec128.Max(dec128.MaxDigits)
	power := func(n int) decimal128.Num { return decimal128.FromBigInt(new(big.Int).Lsh(big.NewInt(1), uint(n))) }
	one := decimal128.FromI64(1)
	switch bits := t.Bits(); {
	case t.Kind() == types.KindU64:
		if bits <= 0 {
			bits = 64
		}
		least, most = decimal128.Num{}, power(bits).Sub(one)
	case t.Kind() == types.KindDec:
		most = dec128.Max(int(t.Prec))
		least = most.Negate()
	case t.Kind() == types.KindI64:
		if bits <= 0 || !t.IsInteger() {
			bits = 64
		}
		least, most = power(bits-1).Negate(), power(bits-1).Sub(one)
	}
	return l.Narrowed(l.Within(e, least, most))
}

// errDigits is the reason why a value is left to the CPU, which computes it with numbers of any size.
var errDigits = errors.New("a result has fewer digits than MySQL computes with")

// quotient returns a quotient, which is NULL where the divisor is 0.
func (l *scalars) quotient(c *expr.Call, args []*pipeline.Expr, scales []int) (value, error) {
	if args[0].Kind == pipeline.Float {
		e, err := l.Quotient(pipeline.OpQuo, args[0], args[1])
		return value{e: e}, err
	}
	op := pipeline.OpQuoRound
	if expr.CutsOff(c) {
		op = pipeline.OpQuo
	}
	e, err := l.scaledQuotient(op, args[0], args[1], int(c.T.Scale)-scales[0]+scales[1])
	if err != nil {
		return value{}, err
	}
	return l.typed(e, int(c.T.Scale), c.T)
}

// scaledQuotient returns x times 10^digits, divided by y.
func (l exact) scaledQuotient(op pipeline.Op, x, y *pipeline.Expr, digits int) (*pipeline.Expr, error) {
	p, err := l.tens(max(digits, -digits))
	if err != nil {
		return nil, err
	}
	if digits < 0 {
		if y, err = l.combined(pipeline.OpMul, y, p); err != nil {
			return nil, err
		}
		return l.divided(op, x, y)
	}
	scaled, err := l.combined(pipeline.OpMul, x, p)
	if err != nil {
		return nil, err
	}
	if step := spareDigits(y); scaled.Fails && step > 0 {
		return l.longQuotient(op, x, y, digits, step)
	}
	return l.divided(op, scaled, y)
}

// spareDigits returns how many digits may follow a number without exceeding 38 digits.
func spareDigits(e *pipeline.Expr) int {
	largest := new(big.Int).Abs(decimal128.FromI64(e.Min).BigInt())
	for _, end := range []decimal128.Num{decimal128.FromI64(e.Max), e.Least, e.Most} {
		if z := end.BigInt(); z.CmpAbs(largest) > 0 {
			largest = z.Abs(z)
		}
	}
	return dec128.MaxDigits - len(largest.String())
}

// longQuotient is scaledQuotient for dividends of more than 38 digits: it divides x, and appends as many
// digits to the remainder at a time as step says. All parts have the sign of the result.
func (l exact) longQuotient(op pipeline.Op, x, y *pipeline.Expr, digits, step int) (*pipeline.Expr, error) {
	quotient, err := l.divided(pipeline.OpQuo, x, y)
	if err == nil && quotient.Nullable { // only the first division counts as one by 0
		one, y2 := l.together(l.Int(1), y)
		y = l.If(l.compared(pipeline.OpEQ, y, l.Int(0)), one, y2)
	}
	for digits > 0 && err == nil {
		n := min(step, digits)
		digits -= n
		part := pipeline.OpQuo
		if digits == 0 {
			part = op
		}
		rest, errRest := l.divided(pipeline.OpRem, x, y)
		p, errTens := l.tens(n)
		if err := errors.Join(errRest, errTens); err != nil {
			return nil, err
		}
		x, errRest = l.combined(pipeline.OpMul, rest, p)
		next, errNext := l.divided(part, x, y)
		more, errMore := l.combined(pipeline.OpMul, quotient, p)
		if err := errors.Join(errRest, errNext, errMore); err != nil {
			return nil, err
		}
		quotient, err = l.combined(pipeline.OpAdd, more, next)
	}
	return quotient, err
}

// settled returns a sum or a mean as an expression, and other values as they are.
func (l *scalars) settled(v value) (value, error) {
	s := v.sum
	if s == nil {
		return v, nil
	}
	e, err := l.total(s), error(nil)
	if s.mean {
		count := l.Extreme(pipeline.OpGreater, s.count, l.Int(1))
		if s.real {
			e, err = l.Quotient(pipeline.OpQuo, e, l.ToFloat(count))
		} else {
			e, err = l.meanOf(s, e, count)
		}
	}
	if err != nil {
		return value{}, err
	}
	there := l.Compare(pipeline.OpGT, s.count, l.Int(0))
	return value{e: l.If(there, e, l.Null(e.Kind)), scale: v.scale}, nil
}

// total returns the sum in accumulators as one number.
func (l *scalars) total(s *sum) *pipeline.Expr {
	if len(s.words) == 1 {
		return s.words[0]
	}
	e := l.ToInt128(s.words[len(s.words)-1])
	for i := len(s.words) - 2; i >= 0; i-- {
		e = l.exactly(pipeline.OpAdd, l.exactly(pipeline.OpMul, e, l.Const128(decimal128.FromI64(half))), l.ToInt128(s.words[i]))
	}
	return l.Narrowed(l.Within(e, s.least, s.most))
}

// exactly returns a sum or a product of two Int128.
func (l exact) exactly(op pipeline.Op, x, y *pipeline.Expr) *pipeline.Expr {
	e, err := l.Arith(op, x, y)
	if err != nil {
		panic(err)
	}
	return e
}

// meanOf returns a mean of integers or decimals, which is between the least and the greatest of them.
func (l *scalars) meanOf(s *sum, total, count *pipeline.Expr) (*pipeline.Expr, error) {
	op := pipeline.OpQuoRound
	if expr.MeanCutsOff(s.t, types.Dec(types.MaxPrecision, s.scale)) {
		op = pipeline.OpQuo
	}
	digits := int(s.t.Scale) - s.scale
	e, err := l.scaledQuotient(op, total, count, digits)
	if err != nil {
		return nil, err
	}
	least, okLeast := dec128.Rescale(s.smallest, s.scale, int(s.t.Scale))
	most, okMost := dec128.Rescale(s.largest, s.scale, int(s.t.Scale))
	if digits < 0 || !okLeast || !okMost {
		return e, nil
	}
	return l.Narrowed(l.Within(e, least, most)), nil
}
