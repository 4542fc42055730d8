package isolate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/dec128"
)

// TestGreatestUpTo checks that the result for the double of a decimal is that decimal, or the
// previous one if less is set. For the next greater double it is that decimal, for the next smaller
// one the previous decimal.
func TestGreatestUpTo(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50000 {
		scale := r.IntN(7)
		n := r.Int64N(1<<51) >> r.IntN(50)
		if r.IntN(2) == 0 {
			n = -n
		}
		c := dec128.Float64(decimal128.FromI64(n), scale)
		below, above := math.Nextafter(c, math.Inf(-1)), math.Nextafter(c, math.Inf(1))
		for _, tt := range []struct {
			c    float64
			less bool
			want int64
		}{{c, false, n}, {c, true, n - 1}, {below, false, n - 1}, {below, true, n - 1}, {above, false, n}, {above, true, n}} {
			if got := greatestUpTo(tt.c, scale, tt.less); got != tt.want {
				t.Fatalf("%d digits up to %v (less: %v): %d, want %d", scale, tt.c, tt.less, got, tt.want)
			}
		}
	}
}
