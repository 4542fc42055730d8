package accum

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestSumsAndMeans compares with exact rationals, which FloatString rounds half away from zero.
func TestSumsAndMeans(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		x := Exact{Lo: r.Uint64() >> r.IntN(64)}
		if r.IntN(2) == 0 {
			x = Exact{r.Uint64(), (r.Int64() - 1<<62) >> r.IntN(62)}
		}
		n := 1 + r.Int64()>>r.IntN(64)
		if n <= 0 {
			n = math.MaxInt64
		}
		from, to := r.IntN(8), r.IntN(8)
		dst := vec.NewFlat(types.Dec(38, to), 2)
		ok := [2]bool{x.Sum(dst, 0, from), x.Mean(dst, 1, AveragingOf(dst.Type, types.Dec(38, from)), n)}
		whole := new(big.Int).Add(new(big.Int).Lsh(big.NewInt(x.Hi), 64), new(big.Int).SetUint64(x.Lo))
		for i, by := range []int64{1, n} {
			exact := new(big.Rat).SetFrac(new(big.Int).Mul(whole, power(to)), new(big.Int).Mul(big.NewInt(by), power(from)))
			want := exact.FloatString(0)
			if i == 1 && from == 0 && to == 0 { // div_precision_increment is 0: MySQL cuts off
				want = new(big.Int).Quo(exact.Num(), exact.Denom()).String()
			}
			fits := len(want) <= 38 || len(want) == 39 && want[0] == '-'
			if got := dst.Dec[i].BigInt().String(); ok[i] != fits || fits && got != want && want != "-0" {
				t.Fatalf("%v (scale %d) / %d at scale %d: %s %v, want %s", whole, from, by, to, got, ok[i], want)
			}
		}
	}
}

func power(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }
