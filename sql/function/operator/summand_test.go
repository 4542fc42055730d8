package operator

import (
	"math"
	"math/rand/v2"
	"testing"

	"gsql/sql/expr"
)

// TestSummandBounds checks that y is within the bounds exactly if the rounded sum x + y satisfies
// the comparison. Values of y are next to the bounds and far from them; x and c may cancel out or
// be unrelated.
func TestSummandBounds(t *testing.T) {
	ops := map[expr.FuncID]func(a, b float64) bool{
		"<": func(a, b float64) bool { return a < b }, "<=": func(a, b float64) bool { return a <= b },
		">": func(a, b float64) bool { return a > b }, ">=": func(a, b float64) bool { return a >= b },
	}
	r := rand.New(rand.NewPCG(1, 2))
	special := []float64{0, math.Copysign(0, -1), 1, -1, 0.1, 1e300, -1e300, 5e-324, -5e-324, 1 << 53, 1<<53 + 2, math.MaxFloat64 / 4, 0x1p-1022, math.Nextafter(1, 2)}
	some := func() float64 {
		switch r.IntN(4) {
		case 0:
			return special[r.IntN(len(special))]
		case 1:
			return float64(r.IntN(2001)-1000) / 10
		case 2:
			return math.Ldexp(r.Float64()-0.5, r.IntN(2000)-1000)
		}
		return r.NormFloat64()
	}
	for range 20000 {
		x, c, y := some(), some(), some()
		if r.IntN(3) == 0 {
			c = x + y
		}
		if r.IntN(4) == 0 {
			c = x
		}
		for op, holds := range ops {
			from, to := math.Inf(-1), math.Inf(1)
			if op[0] == '<' {
				to = summandTo(x, op, c)
			} else {
				from = summandFrom(x, op, c)
			}
			for _, y := range []float64{y, c - x, from, to, math.Nextafter(from, -1e308), math.Nextafter(to, 1e308), math.Nextafter(from, 1e308), math.Nextafter(to, -1e308), 0, x, -x, c} {
				if math.Abs(y) < math.MaxFloat64/2 && holds(x+y, c) != (y >= from && y <= to) {
					t.Fatalf("%v + %v %s %v: bounds %v and %v", x, y, op, c, from, to)
				}
			}
		}
	}
}
