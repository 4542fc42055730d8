package accum

import (
	"math"

	"gsql/sql/expr"
)

// Moments holds Welford's running mean and sum of squared differences from it (1962). They are
// merged as described by Chan, Golub and LeVeque (1979).
type Moments struct{ N, Mean, M2 float64 }

// Add adds a value.
func (m *Moments) Add(x float64) {
	m.N++
	d := x - m.Mean
	m.Mean += d / m.N
	m.M2 += d * (x - m.Mean)
}

// Merge adds the values of o. If all values are equal, the mean is exactly that value and the
// variance 0, however the values are divided.
func (m *Moments) Merge(o Moments) {
	switch {
	case o.N == 0:
		return
	case m.N == 0: // the formulas would round the mean, and equal values would then differ from it
		*m = o
		return
	}
	n, d := m.N+o.N, o.Mean-m.Mean
	m.Mean += d * o.N / n
	m.M2 += o.M2 + d*d*m.N*o.N/n
	m.N = n
}

// Result returns VAR_POP, VAR_SAMP, STDDEV_POP or STDDEV_SAMP of the values; ok is false if there
// are too few of them.
func (m Moments) Result(fn expr.AggFn) (x float64, ok bool) {
	n := m.N
	if fn == expr.VarSamp || fn == expr.StddevSamp {
		n--
	}
	if n <= 0 {
		return 0, false
	}
	if fn == expr.StddevPop || fn == expr.StddevSamp {
		return math.Sqrt(m.M2 / n), true
	}
	return m.M2 / n, true
}
