package cost

import (
	"math"

	"gsql/sql/eval"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// Safe reports whether e can be computed for every row of p without an error or a warning,
// judging by its functions and by the magnitude of its columns' values.
func (p *Props) Safe(e expr.Expr) bool { return eval.Total(e, p.fits) }

// fits reports whether arithmetic on the values of p stays within its type.
func (p *Props) fits(c *expr.Call) bool {
	switch c.Fn {
	case expr.FuncAdd, expr.FuncSub, expr.FuncMul, expr.FuncNeg:
	default:
		return false
	}
	lo, hi, ok := p.interval(c)
	if !ok {
		return false
	}
	limit := typeLimit(c.T)
	return hi < limit && (lo >= 0 || lo > -limit && c.T.Kind() != types.KindU64)
}

// Magnitude returns an upper bound of the absolute values of a numeric expression.
func (p *Props) Magnitude(e expr.Expr) float64 {
	lo, hi, ok := p.interval(e)
	if !ok {
		return math.Inf(1)
	}
	return max(math.Abs(lo), math.Abs(hi))
}

// interval returns bounds of the values of a numeric expression, from the statistics of its
// columns or else from its type.
func (p *Props) interval(e expr.Expr) (lo, hi float64, ok bool) {
	if !e.Type().IsNumeric() {
		return 0, 0, false
	}
	switch x := e.(type) {
	case *expr.Const:
		v := x.Value.Float()
		return v, v, true
	case *expr.Col:
		if c, known := p.Col(x.ID); known && c.Bounded && c.Type.IsNumeric() {
			return c.Lo, c.Hi, true
		}
	case *expr.Call:
		if lo, hi, ok := p.callInterval(x); ok {
			return lo, hi, true
		}
	}
	return typeInterval(e.Type())
}

func (p *Props) callInterval(c *expr.Call) (lo, hi float64, ok bool) {
	if c.Fn == expr.FuncCast && c.Args[0].Type().IsNumeric() {
		lo, hi, ok = p.interval(c.Args[0])
		return math.Floor(lo), math.Ceil(hi), ok
	}
	var b [2][2]float64
	if len(c.Args) > len(b) {
		return 0, 0, false
	}
	for i, a := range c.Args {
		if b[i][0], b[i][1], ok = p.interval(a); !ok {
			return 0, 0, false
		}
	}
	switch c.Fn {
	case expr.FuncAdd:
		return b[0][0] + b[1][0], b[0][1] + b[1][1], true
	case expr.FuncSub:
		return b[0][0] - b[1][1], b[0][1] - b[1][0], true
	case expr.FuncNeg:
		return -b[0][1], -b[0][0], true
	case expr.FuncMul:
		w, x, y, z := b[0][0]*b[1][0], b[0][0]*b[1][1], b[0][1]*b[1][0], b[0][1]*b[1][1]
		return min(w, x, y, z), max(w, x, y, z), true
	}
	return 0, 0, false
}

func typeInterval(t types.Type) (lo, hi float64, ok bool) {
	switch {
	case t.IsFloat():
		return 0, 0, false
	case t.ID == types.Decimal:
		hi = math.Pow10(int(t.Prec) - int(t.Scale))
		return -hi, hi, true
	case t.ID == types.Year:
		return 0, 2155, true
	case t.IsUnsigned():
		return 0, math.Ldexp(1, t.Bits()), true
	}
	hi = math.Ldexp(1, t.Bits()-1)
	return -hi, hi, true
}

// typeLimit returns the limit of a type's arithmetic results, less a margin for the rounding of
// bounds.
func typeLimit(t types.Type) float64 {
	const margin = 0.999
	switch t.Kind() {
	case types.KindF64:
		return math.MaxFloat64 * margin
	case types.KindDec:
		return math.Pow10(types.MaxPrecision-int(t.Scale)) * margin
	case types.KindU64:
		return math.MaxUint64 * margin
	}
	return math.MaxInt64 * margin
}
