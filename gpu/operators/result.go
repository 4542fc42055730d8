package operators

import (
	"math"
	"math/bits"

	"gsql/exec/accum"
	gpujoin "gsql/gpu/join"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// results computes SQL's aggregates from a device's, which are fewer: AVG is a sum and a count, and
// so is the SUM of numbers whose top bit is flipped.
type results struct {
	all  []result
	part []partial // what the device computes
}

// result is an aggregate of the plan. sum, count and extreme are indices in part, or -1.
type result struct {
	agg                 *expr.Agg
	side                int
	of                  *operand // nil for COUNT(*)
	sum, count, extreme int
	flipped             bool // whether the device's values are flipped, as of the last load
}

// partial is an aggregate of the device.
type partial struct {
	fn    gpujoin.AggFunc
	of    int // index in all
	float bool
}

// add adds an aggregate of a side's operand, or COUNT(*) without one.
func (r *results) add(g *expr.Agg, side int, of *operand) error {
	x := result{agg: g, side: side, of: of, sum: -1, count: -1, extreme: -1}
	need := func(fn gpujoin.AggFunc) int {
		r.part = append(r.part, partial{fn, len(r.all), of != nil && of.expr.Type().IsFloat()})
		return len(r.part) - 1
	}
	switch g.Fn {
	case expr.CountStar:
		x.count = need(gpujoin.CountRows)
	case expr.Count:
		x.count = need(gpujoin.Count)
	case expr.Sum, expr.Avg:
		x.sum, x.count = need(gpujoin.Sum), need(gpujoin.Count)
	case expr.Min:
		x.extreme = need(gpujoin.Min)
	case expr.Max:
		x.extreme = need(gpujoin.Max)
	default:
		return sqlerr.Internal("%s on a device", g)
	}
	if g.Distinct && g.Fn != expr.Min && g.Fn != expr.Max {
		return sqlerr.Internal("%s on a device", g)
	}
	r.all = append(r.all, x)
	return nil
}

// load copies the aggregated columns of a part's rows to the device.
func (r *results) load(load *loader, rows [2]span) ([]gpujoin.Agg, error) {
	aggs := make([]gpujoin.Agg, len(r.part))
	for i, p := range r.part {
		aggs[i].Func = p.fn
		x := &r.all[p.of]
		if x.of == nil {
			continue
		}
		f, err := format(load.wide, x.of)
		if err != nil {
			return nil, err
		}
		x.flipped, aggs[i].Left = f.Flipped, x.side == 0
		if aggs[i].Column, err = load.column(x.side, x.of, f, rows[x.side]); err != nil {
			return nil, err
		}
	}
	return aggs, nil
}

// empty returns the device's values over no rows.
func (r *results) empty() []gpujoin.Value {
	values := make([]gpujoin.Value, len(r.part))
	for i, p := range r.part {
		values[i].Null = p.fn != gpujoin.CountRows && p.fn != gpujoin.Count
	}
	return values
}

// merge adds the values of further rows to those so far.
func (r *results) merge(sum, more []gpujoin.Value) {
	for i, p := range r.part {
		a, b := &sum[i], &more[i]
		switch {
		case b.Null:
		case a.Null, p.fn == gpujoin.Min && less(b, a, p.float), p.fn == gpujoin.Max && less(a, b, p.float):
			*a = *b
		case p.fn == gpujoin.Min, p.fn == gpujoin.Max:
		case p.float && p.fn == gpujoin.Sum:
			a.F += b.F
		default:
			var carry uint64
			a.Lo, carry = bits.Add64(a.Lo, b.Lo, 0)
			a.Hi, _ = bits.Add64(a.Hi, b.Hi, carry)
		}
	}
}

func less(a, b *gpujoin.Value, float bool) bool {
	if float {
		return a.F < b.F
	}
	if a.Hi != b.Hi {
		return int64(a.Hi) < int64(b.Hi)
	}
	return a.Lo < b.Lo
}

// batch returns the row of the plan's aggregates.
func (r *results) batch(values []gpujoin.Value) (*vec.Batch, error) {
	b := &vec.Batch{N: 1}
	for i := range r.all {
		v := vec.NewFlat(r.all[i].agg.T, 1)
		if err := r.all[i].write(v, values); err != nil {
			return nil, err
		}
		b.Cols = append(b.Cols, v)
	}
	return b, nil
}

// write sets the only row of dst.
func (x *result) write(dst *vec.Vector, values []gpujoin.Value) error {
	switch {
	case x.extreme >= 0:
		return x.writeExtreme(dst, &values[x.extreme])
	case x.sum < 0:
		dst.I64[0] = int64(values[x.count].Lo)
		return nil
	case values[x.sum].Null:
		dst.SetNull(0)
		return nil
	case x.of.expr.Type().IsFloat():
		if dst.F64[0] = values[x.sum].F; x.agg.Fn == expr.Avg {
			dst.F64[0] /= float64(values[x.count].Lo)
		}
		return nil
	}
	return x.writeSum(dst, &values[x.sum], values[x.count].Lo)
}

func (x *result) writeExtreme(dst *vec.Vector, v *gpujoin.Value) error {
	switch {
	case v.Null:
		dst.SetNull(0)
	case x.of.expr.Type().IsFloat():
		dst.F64[0] = v.F
	case x.flipped:
		dst.I64[0] = int64(v.Lo) ^ math.MinInt64
	default:
		dst.I64[0] = int64(v.Lo)
	}
	return nil
}

// writeSum writes the SUM or AVG of integers.
func (x *result) writeSum(dst *vec.Vector, v *gpujoin.Value, n uint64) error {
	sum := accum.Exact{Lo: v.Lo, Hi: int64(v.Hi)}
	if x.flipped { // each of the n values is too small by 2^63
		sum.Add(n<<63, int64(n>>1))
	}
	var ok bool
	if x.agg.Fn == expr.Avg {
		ok = sum.Mean(dst, 0, accum.AveragingOf(dst.Type, x.of.expr.Type()), int64(n))
	} else {
		ok = sum.Sum(dst, 0, 0)
	}
	if !ok {
		return sqlerr.New(sqlerr.DataOutOfRange, "DECIMAL value is out of range in '%s'", x.agg)
	}
	return nil
}
