package operator

import (
	"math/rand/v2"
	"testing"

	"gsql/sql/expr"
)

// TestFactorBounds checks that exactly the factors between the bounds satisfy the comparison.
func TestFactorBounds(t *testing.T) {
	ops := map[expr.FuncID]func(a, b int64) bool{
		"<": func(a, b int64) bool { return a < b }, "<=": func(a, b int64) bool { return a <= b }, "=": func(a, b int64) bool { return a == b },
		">": func(a, b int64) bool { return a > b }, ">=": func(a, b int64) bool { return a >= b },
	}
	r := rand.New(rand.NewPCG(1, 2))
	for op, holds := range ops {
		for x := int64(-12); x <= 12; x++ {
			for c := int64(-40); c <= 40; c++ {
				from, to := factorFrom(x, op, c), factorTo(x, op, c)
				for y := int64(-50); y <= 50; y++ {
					if holds(x*y, c) != (y >= from && y <= to) {
						t.Fatalf("%d * %d %s %d: bounds %d and %d", x, y, op, c, from, to)
					}
				}
			}
		}
		for range 20000 {
			x, y := int64(int32(r.Uint64()))>>r.IntN(31), int64(int32(r.Uint64()))>>r.IntN(31)
			c := x*y + int64(r.IntN(3)) - 1
			if r.IntN(2) == 0 {
				c = int64(r.Uint64()) >> (2 + r.IntN(40))
			}
			if from, to := factorFrom(x, op, c), factorTo(x, op, c); holds(x*y, c) != (y >= from && y <= to) {
				t.Fatalf("%d * %d %s %d: bounds %d and %d", x, y, op, c, from, to)
			}
		}
	}
}
