package isolate

import (
	"math"

	"gsql/sql/expr"
	"gsql/sql/types"
)

// term is a factor times an expression.
type term struct {
	factor number
	e      expr.Expr
}

// sum is a linear form over expressions, with a bound of the magnitude of the whole and its
// parts. It is computed in 64-bit integers, or in decimals.
type sum struct {
	in       *Join // whose tables bound the columns; nil: only types do
	decimal  bool
	terms    []term
	constant number
	most     float64
	scale    int // the most digits after the point of any part
}

// Bounds of sums: integers, and decimals without their point.
const (
	mostInteger = math.MaxInt64 * 0.9
	mostDecimal = 1e37
)

// isBigint reports whether an expression computes in signed 64-bit integers.
func isBigint(e expr.Expr) bool {
	t := e.Type()
	return t.IsInteger() && t.Kind() == types.KindI64
}

// hasRoom reports whether most fits into a decimal type.
func hasRoom(t types.Type, most float64) bool {
	return most < 0.999*math.Pow10(wholeDigits(t))
}

func wholeDigits(t types.Type) int { return int(t.Prec) - int(t.Scale) }

func fits(decimal bool, most float64, scale int) bool {
	if decimal {
		return scale <= types.MaxScale && most*math.Pow10(scale) < mostDecimal
	}
	return most < mostInteger
}

// grow adds a part to the bounds, and reports whether results still fit.
func (s *sum) grow(most float64, scale int) bool {
	s.most, s.scale = s.most+most, max(s.scale, scale)
	return fits(s.decimal, s.most, s.scale)
}

func (s *sum) negate() {
	for i := range s.terms {
		s.terms[i].factor = s.terms[i].factor.negative()
	}
	s.constant = s.constant.negative()
}

// computes reports whether values of e can take part in the sum.
func (s *sum) computes(e expr.Expr) bool {
	return isBigint(e) || s.decimal && e.Type().ID == types.Decimal
}

// add adds factor * e, and reports whether e is linear in columns of known range.
func (s *sum) add(e expr.Expr, factor number) bool {
	if !s.computes(e) || factor.sign() == 0 {
		return false
	}
	switch x := e.(type) {
	case *expr.Const:
		k, ok := numberOf(x)
		if !ok {
			return false
		}
		k = k.times(factor)
		s.constant = s.constant.plus(k)
		return s.grow(k.magnitude(), k.scale)
	case *expr.Col:
		return s.addTerm(x, factor, s.in.bound(x))
	case *expr.Call:
		before := s.most
		if !s.addCall(x, factor) {
			return false
		}
		most := (s.most - before) / factor.magnitude() // bound of x itself, whatever factor is
		return fits(x.T.ID == types.Decimal, most, int(x.T.Scale))
	}
	return false
}

// addTerm adds factor * e, where the magnitude of e is at most most. It reports whether the sum
// still fits.
func (s *sum) addTerm(e expr.Expr, factor number, most float64) bool {
	s.terms = append(s.terms, term{factor, e})
	return s.grow(factor.magnitude()*max(most, 1), factor.scale+int(e.Type().Scale))
}

func (s *sum) addCall(x *expr.Call, factor number) bool {
	switch x.Fn {
	case expr.FuncAdd:
		return s.add(x.Args[0], factor) && s.add(x.Args[1], factor)
	case expr.FuncSub:
		return s.add(x.Args[0], factor) && s.add(x.Args[1], factor.negative())
	case expr.FuncNeg:
		return s.add(x.Args[0], factor.negative())
	case expr.FuncCast:
		return s.addCast(x, factor)
	case expr.FuncDateDiff:
		return s.addDays(x.Args[0], factor) && s.addDays(x.Args[1], factor.negative())
	case expr.FuncMul:
		if x.T.Scale != x.Args[0].Type().Scale+x.Args[1].Type().Scale {
			return false // rounded
		}
		for i, a := range x.Args {
			if k, ok := numberOf(a); ok && s.computes(a) {
				return s.add(x.Args[1-i], factor.times(k))
			}
		}
	}
	return s.addOpaque(x, factor)
}

// addCast adds a cast that preserves the value, if its type has room for the result.
func (s *sum) addCast(x *expr.Call, factor number) bool {
	from := x.Args[0]
	switch {
	case isBigint(from) && isBigint(x):
		return x.T.ID >= types.Int8 && x.T.ID <= types.Int64 && x.T.Bits() >= from.Type().Bits() && s.add(from, factor)
	case isBigint(x):
		return false
	case from.Type().IsUnsigned():
		col, ok := from.(*expr.Col)
		return ok && s.addTerm(x, factor, s.in.bound(col))
	}
	before := s.most
	if x.T.Scale < from.Type().Scale || !s.add(from, factor) {
		return false
	}
	return from.Type().ID == types.Decimal && wholeDigits(x.T) >= wholeDigits(from.Type()) || hasRoom(x.T, (s.most-before)/factor.magnitude())
}

// addDays adds factor times the day number of a column of dates.
func (s *sum) addDays(e expr.Expr, factor number) bool {
	col, ok := columnOfDates(e)
	if !ok {
		return false
	}
	days, err := expr.NewCall(expr.FuncToDays, []expr.Expr{col}, -1)
	return err == nil && s.addTerm(days, factor, mostOf[expr.FuncToDays])
}

// mostOf bounds the results of functions of a date or a time.
var mostOf = map[expr.FuncID]float64{
	expr.FuncYear: 9999, expr.FuncQuarter: 4, expr.FuncMonth: 12, expr.FuncWeek: 54, expr.FuncWeekOfYear: 54, expr.FuncYearWeek: 999954, expr.FuncDay: 31, expr.FuncDayOfYear: 366,
	expr.FuncDayOfWeek: 7, expr.FuncWeekday: 7, expr.FuncHour: 840, expr.FuncMinute: 60, expr.FuncSecond: 60, expr.FuncMicrosecond: 1e6, expr.FuncTimeToSec: 4e6,
	expr.FuncToDays: 4e6, expr.FuncToSeconds: 4e11, expr.FuncUnixTimestamp: 4e11,
}

// addOpaque adds factor times a function of a temporal column, if mostOf bounds the function.
func (s *sum) addOpaque(x *expr.Call, factor number) bool {
	most, ok := mostOf[x.Fn]
	if !ok || len(x.Args) != 1 || !x.Args[0].Type().IsTemporal() {
		return false
	}
	_, ok = x.Args[0].(*expr.Col)
	return ok && s.addTerm(x, factor, most)
}

// expr returns the sum as an expression; positive terms come first.
func (s *sum) expr() (out expr.Expr, err error) {
	for _, positive := range []bool{true, false} {
		for _, t := range s.terms {
			if (t.factor.sign() > 0) == positive {
				if out, err = s.plus(out, t); err != nil {
					return nil, err
				}
			}
		}
	}
	if s.constant.sign() == 0 {
		return out, nil
	}
	return s.plus(out, term{whole(1), s.constant.expr(s.decimal)})
}

func (s *sum) plus(sum expr.Expr, t term) (expr.Expr, error) {
	fn, factor := expr.FuncAdd, t.factor
	if sum != nil && factor.sign() < 0 {
		fn, factor = expr.FuncSub, factor.negative()
	}
	e := t.e
	if s.decimal {
		e = expr.Cast(e, expr.DecimalOf(e.Type()))
	}
	if !factor.isOne() {
		var err error
		if e, err = expr.NewCall(expr.FuncMul, []expr.Expr{e, factor.expr(s.decimal)}, -1); err != nil {
			return nil, err
		}
	}
	if sum == nil {
		return e, nil
	}
	return expr.NewCall(fn, []expr.Expr{sum, e}, -1)
}
