package cost

import (
	"math"

	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// moments holds the mean and the standard deviation of values.
type moments struct{ mean, dev float64 }

// grouped describes the source of an aggregate's values.
type grouped struct {
	agg    *expr.Agg
	in     *Props
	groups float64
	of     *linear // set instead of the fields above for a multiple of such values
	known  bool    // m and ok have been computed
	m      moments
	ok     bool
}

// spread returns the moments of a sum, an average or a count over groups that rows join by
// chance: each group has one row, and the number of further rows is Poisson-distributed. The
// result is approximately normally distributed.
func (c *Column) spread() (moments, bool) {
	g := c.grouped
	if g == nil {
		return moments{}, false
	}
	if !g.known {
		g.m, g.ok = g.moments()
		g.known = true
	}
	return g.m, g.ok
}

func groupedOf(a *logical.AggItem, in *Props, groups float64) *grouped {
	switch a.Agg.Fn {
	case expr.Sum, expr.Avg, expr.Count, expr.CountStar:
		if !a.Agg.Distinct && groups > 0 {
			return &grouped{agg: a.Agg, in: in, groups: groups}
		}
	}
	return nil
}

func (g *grouped) moments() (moments, bool) {
	if g.of != nil {
		return g.of.moments()
	}
	rows := max(1, g.in.Rows/g.groups)
	if len(g.agg.Args) == 1 {
		rows *= 1 - g.in.nullShare(g.agg.Args[0])
	}
	others := max(0, rows-1)
	if g.agg.Fn == expr.Count || g.agg.Fn == expr.CountStar {
		return moments{rows, math.Sqrt(others)}, true
	}
	x, ok := g.in.momentsOf(g.agg.Args[0])
	switch {
	case !ok:
		return x, false
	case g.agg.Fn == expr.Avg:
		return moments{x.mean, x.dev / math.Sqrt(max(1, rows))}, true
	}
	return moments{rows * x.mean, math.Sqrt(rows*x.dev*x.dev + others*x.mean*x.mean)}, true
}

// momentsOf returns the moments of a numeric expression, from a column's histogram or from sample
// rows of its table.
func (p *Props) momentsOf(e expr.Expr) (moments, bool) {
	if !e.Type().IsNumeric() {
		return moments{}, false
	}
	if x := linearOf(e, p); x.ok {
		if m, ok := x.moments(); ok {
			return m, true
		}
	}
	s, ok := p.sampleOf(e)
	if !ok {
		return moments{}, false
	}
	x := remembered(&s, s.looks.moments, 'm', e, func() maybe { return s.moments(e) })
	return x.moments, x.ok
}

// maybe holds moments, if they are known.
type maybe struct {
	moments
	ok bool
}

// moments returns the moments of e in sample rows: in the first ones if their mean is close to
// that of the others, else in all.
func (s *sample) moments(e expr.Expr) maybe {
	const near = 0.05
	var m moments
	var n, sum, squares float64
	for from, to := 0, s.first(); from < s.rows.N; from, to = to, s.rows.N {
		values := s.values(e, from, to)
		if values == nil {
			return maybe{}
		}
		for i := range values.N {
			if x, ok := number(values, i); ok {
				n, sum, squares = n+1, sum+x, squares+x*x
			}
		}
		if n == 0 {
			continue
		}
		m = momentsFrom(sum/n, squares/n)
		if m.dev <= near*math.Abs(m.mean)*math.Sqrt(n) {
			break
		}
	}
	return maybe{m, n > 0}
}

func momentsFrom(mean, squares float64) moments {
	return moments{mean, math.Sqrt(max(0, squares-mean*mean))}
}

// moments returns the moments of the operand's values.
func (x *linear) moments() (moments, bool) {
	if m, ok := x.col.spread(); ok {
		return moments{m.mean*x.scale + x.shift, m.dev * math.Abs(x.scale)}, true
	}
	if !x.col.Bounded || !x.col.Type.IsNumeric() {
		return moments{}, false
	}
	var sum, squares float64
	q := x.quantiles()
	for i := 1; i < len(q); i++ {
		a, b := q[i-1], q[i]
		sum, squares = sum+(a+b)/2, squares+(a*a+a*b+b*b)/3
	}
	n := float64(len(q) - 1)
	return momentsFrom(sum/n, squares/n), true
}

// leastTail is the smallest share assumed for values far from the mean: groups do not arise by
// chance alone.
const leastTail = 1e-4

// upTo returns the share of normally distributed values up to x.
func (m moments) upTo(x float64) float64 {
	if m.dev <= 0 {
		if x < m.mean {
			return 0
		}
		return 1
	}
	return clamp(math.Erfc((m.mean-x)/m.dev/math.Sqrt2)/2, leastTail, 1-leastTail)
}

// between returns the share of values from lo to hi. whole is set for whole numbers, for which
// open bounds make a difference.
func (m moments) between(lo, hi float64, loOpen, hiOpen, whole bool) float64 {
	if whole {
		lo, hi = lo-0.5, hi+0.5
		if loOpen {
			lo++
		}
		if hiOpen {
			hi--
		}
	}
	from, to := 0.0, 1.0
	if !math.IsInf(lo, -1) {
		from = m.upTo(lo)
	}
	if !math.IsInf(hi, 1) {
		to = m.upTo(hi)
	}
	return clamp(to-from, 0, 1)
}

// quantiles returns the bounds of pieces of equal weight.
func (m moments) quantiles() []float64 {
	const pieces, farthest = 16, 4.0
	q := make([]float64, pieces+1)
	for i := range q {
		z := clamp(math.Erfinv(2*float64(i)/pieces-1)*math.Sqrt2, -farthest, farthest)
		q[i] = m.mean + z*m.dev
	}
	return q
}

// wholeNumbers reports whether a column has no fractions.
func (c *Column) wholeNumbers() bool {
	return c.Type.IsInteger() || c.Type.ID == types.Decimal && c.Type.Scale == 0
}
