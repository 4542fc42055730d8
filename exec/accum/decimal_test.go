package accum

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"
)

// TestQuotient compares with exact rationals, whose FloatString rounds half away from
// zero.
func TestQuotient(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		x := decimal128.FromI64(int64(r.Uint64() >> r.IntN(64)))
		if r.IntN(2) == 0 {
			x = decimal128.New(r.Int64N(1<<40)-1<<39, r.Uint64())
		}
		n := 1 + r.Int64()>>r.IntN(64)
		if n <= 0 {
			n = math.MaxInt64
		}
		from, to := r.IntN(8), r.IntN(8)
		got, ok := quotient(x, n, from, to)
		exact := new(big.Rat).SetFrac(x.BigInt(), new(big.Int).Mul(big.NewInt(n), pow10(from)))
		scaled := new(big.Rat).Mul(exact, new(big.Rat).SetInt(pow10(to)))
		want := scaled.FloatString(0)
		fits := len(want) <= 38 || len(want) == 39 && want[0] == '-'
		if ok != fits || ok && got.BigInt().String() != want && want != "-0" {
			t.Fatalf("%v (scale %d) / %d at scale %d: %v %v, want %s", x.BigInt(), from, n, to, got.BigInt(), ok, want)
		}
	}
}
