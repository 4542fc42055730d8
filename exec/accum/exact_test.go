package accum

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/types"
)

// TestAddAll compares sums with sums of big integers.
func TestAddAll(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		kind := []types.Kind{types.KindI64, types.KindU64}[r.IntN(2)]
		var sum Exact
		want := new(big.Int)
		for range 3 {
			xs := make([]int64, r.IntN(400))
			for i := range xs {
				xs[i] = []int64{math.MinInt64, math.MaxInt64, -1, r.Int64() - r.Int64()>>1}[r.IntN(4)] >> r.IntN(64)
				x := big.NewInt(xs[i])
				if kind == types.KindU64 {
					x.SetUint64(uint64(xs[i]))
				}
				want.Add(want, x)
			}
			sum.AddAll(xs, kind)
		}
		if got := decimal128.New(sum.Hi, sum.Lo).BigInt(); got.Cmp(want) != 0 {
			t.Fatalf("kind %v: %v, not %v", kind, got, want)
		}
	}
}
