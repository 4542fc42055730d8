package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gsql/internal/dec128"
)

// TestReciprocal divides by all kinds of numbers.
func TestReciprocal(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 200_000 {
		d := max(2, r.Uint64()>>(1+r.IntN(62)))
		if r.IntN(3) == 0 {
			d = 1 << (1 + r.IntN(62))
			d += uint64(r.IntN(3)) - 1
			d = max(d, 2)
		}
		by := newReciprocal(d)
		n := r.Uint64() >> (1 + r.IntN(62))
		for _, n := range []uint64{n, 0, d - 1, d, math.MaxInt64, math.MaxInt64 / d * d, math.MaxInt64/d*d - 1} {
			if got := by.quotient(n); got != n/d {
				t.Fatalf("%d / %d is %d, got %d", n, d, n/d, got)
			}
		}
	}
}

// TestCut compares with exact rational numbers.
func TestCut(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 50_000 {
		digits, to, x := 1+r.IntN(18), Toward(r.IntN(4)), int64(r.Uint64())>>(1+r.IntN(62))
		unit := int64(dec128.Pow10(digits).LowBits())
		if r.IntN(3) == 0 {
			x = x/unit*unit + []int64{0, unit / 2, unit/2 - 1, -unit / 2, 1, -1}[r.IntN(6)]
		}
		if x >= 1<<62 || x < -1<<62 {
			continue
		}
		q, rest := new(big.Int).DivMod(big.NewInt(x), big.NewInt(unit), new(big.Int)) // rounded down
		want := q.Int64()
		twice := 2 * rest.Uint64()
		switch {
		case to == Up && rest.Sign() > 0, to == ToZero && x < 0 && rest.Sign() > 0,
			to == Nearest && (twice > uint64(unit) || twice == uint64(unit) && x > 0):
			want++
		}
		got, c := []int64{0}, newCut(digits, to)
		if c.All(got, []int64{x}); got[0] != want {
			t.Fatalf("%d / 10^%d toward %d is %d, got %d", x, digits, to, want, got[0])
		}
	}
}
