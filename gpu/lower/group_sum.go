package lower

import (
	"fmt"
	"math"
	"math/big"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/gpu/pipeline"
	"gsql/internal/dec128"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// sum returns a sum or a mean. Sums within 63 bits are ordinary integers; larger ones have several words.
func (g *grouping) sum(a *expr.Agg, arg *pipeline.Expr, scale int) (value, error) {
	if (a.T.Kind() == types.KindF64) != (arg.Kind == pipeline.Float) {
		return value{}, fmt.Errorf("%s of type %s has no device form", a, a.T.Name())
	}
	s := &sum{count: g.count(arg), mean: a.Fn == expr.Avg, t: a.T, scale: scale}
	switch {
	case arg.Kind == pipeline.Float:
		return g.sumOfReals(s, arg), nil
	case arg.Kind == pipeline.Int128:
		for _, word := range []*pipeline.Expr{g.Low(arg), g.High(arg)} {
			s.words = append(s.words, g.halves(word)...)
		}
		s.bound(arg.Least, arg.Most, g.rowsMost())
		return s.value(), nil
	}
	s.bound(decimal128.FromI64(arg.Min), decimal128.FromI64(arg.Max), g.rowsMost())
	largest := max(math.Abs(float64(arg.Min)), math.Abs(float64(arg.Max)))
	if total := largest * g.most(); total >= 1<<62 {
		s.words = g.halves(arg)
		return s.value(), nil
	}
	least, most := min(arg.Min, 0), max(arg.Max, 0)
	rows := g.rowsMost()
	s.words = []*pipeline.Expr{g.accumulate(pipeline.Sum, arg, pipeline.Int, 0, least*rows, most*rows)}
	if !s.mean {
		return value{e: g.orNull(arg, s.words[0]), scale: scale}, nil
	}
	if e := g.mean(s, arg, a.T); e != nil {
		return value{e: g.orNull(arg, e), scale: int(a.T.Scale)}, nil
	}
	return s.value(), nil
}

// value returns the sum or mean as a value.
func (s *sum) value() value {
	if s.mean && !s.real {
		return value{sum: s, scale: int(s.t.Scale)}
	}
	return value{sum: s, scale: s.scale}
}

func (g *grouping) sumOfReals(s *sum, arg *pipeline.Expr) value {
	s.real = true
	s.words = []*pipeline.Expr{g.accumulate(pipeline.Sum, arg, pipeline.Float, 0, 0, 0)}
	if s.mean {
		return s.value()
	}
	return value{e: g.orNull(arg, s.words[0])}
}

// halves returns the two words of a sum of integers.
func (g *grouping) halves(arg *pipeline.Expr) []*pipeline.Expr {
	low := g.accumulate(pipeline.SumLow, arg, pipeline.Int, 0, 0, math.MaxInt64)
	least, most := g.highBounds(arg)
	return []*pipeline.Expr{low, g.accumulate(pipeline.SumHigh, arg, pipeline.Int, 0, least, most)}
}

// bound sets the bounds of a sum of rows values within bounds.
func (s *sum) bound(least, most decimal128.Num, rows int64) {
	end := func(n decimal128.Num, sign int) (one, all decimal128.Num) {
		if n.Sign() != sign {
			return
		}
		z := n.BigInt()
		z.Mul(z, big.NewInt(rows))
		if limit := dec128.Max(dec128.MaxDigits); z.CmpAbs(limit.BigInt()) > 0 {
			if all = limit; sign < 0 {
				all = limit.Negate()
			}
			return n, all
		}
		return n, decimal128.FromBigInt(z)
	}
	s.smallest, s.least = end(least, -1)
	s.largest, s.most = end(most, 1)
}

// highBounds bounds the upper half of a sum in two words.
func (g *grouping) highBounds(arg *pipeline.Expr) (least, most int64) {
	low, high := float64(min(arg.Min>>32, 0))*g.f.most, float64(max(arg.Max>>32, 0))*g.f.most
	if low < -1<<61 || high > 1<<61 {
		return math.MinInt64, math.MaxInt64
	}
	return int64(low), int64(high)
}

// mean returns a mean as an integer of its type's scale, or nil if the dividend may exceed 64 bits.
func (g *grouping) mean(s *sum, arg *pipeline.Expr, t types.Type) *pipeline.Expr {
	if t.Kind() != types.KindDec || int(t.Scale) < s.scale {
		return nil
	}
	count := g.Extreme(pipeline.OpGreater, s.count, g.Int(1))
	op := pipeline.OpQuoRound
	if expr.MeanCutsOff(t, types.Dec(types.MaxPrecision, s.scale)) {
		op = pipeline.OpQuo
	}
	// The quotient is between the smallest and the largest value, and the remainder is less than
	// the number of values: unlike a dividend of all digits, neither grows with the sum.
	whole, err := g.Quotient(pipeline.OpQuo, s.words[0], count)
	if err != nil {
		return nil
	}
	rest, err := g.Quotient(pipeline.OpRem, s.words[0], count)
	if err != nil {
		return nil
	}
	whole = g.Extreme(pipeline.OpLess, g.Extreme(pipeline.OpGreater, whole, g.Int(min(arg.Min, 0))), g.Int(max(arg.Max, 0)))
	p, err := power(int(t.Scale) - s.scale)
	if err != nil {
		return nil
	}
	digits, errDigits := g.Arith(pipeline.OpMul, rest, g.Int(p))
	high, errHigh := g.Arith(pipeline.OpMul, whole, g.Int(p))
	if errDigits != nil || errHigh != nil {
		return nil
	}
	part, err := g.Quotient(op, digits, count)
	if err != nil {
		return nil
	}
	e, err := g.Arith(pipeline.OpAdd, high, part)
	if err != nil {
		return nil
	}
	return e
}
