package accum

import (
	"math"
	"testing"

	"gsql/sql/expr"
)

// TestEqualValuesDoNotVary merges parts of equal values, as workers and spilled partitions do, into
// an empty state. The variance must be exactly 0, although for some n the mean of n values of 0.1
// differs from 0.1 * n / n, and the square of 1e200 is infinite.
func TestEqualValuesDoNotVary(t *testing.T) {
	for _, x := range []float64{0.1, -7.3, 1e200, 123456.789} {
		var whole Moments
		for part := 1; part <= 12; part++ {
			var m Moments
			for range part {
				m.Add(x)
			}
			var moved Moments
			moved.Merge(m)
			whole.Merge(moved)
			whole.Merge(Moments{})
		}
		if got, ok := whole.Result(expr.StddevPop); !ok || got != 0 {
			t.Errorf("%v: a standard deviation of %v", x, got)
		}
	}
}

// TestMergedMoments splits the values at every position. The variance of 1 to n is (n*n-1)/12.
func TestMergedMoments(t *testing.T) {
	const n = 20
	for split := range n + 1 {
		var low, high Moments
		for x := 1; x <= n; x++ {
			if x <= split {
				low.Add(float64(x))
			} else {
				high.Add(float64(x))
			}
		}
		low.Merge(high)
		if got, _ := low.Result(expr.VarPop); math.Abs(got-(n*n-1)/12.0) > 1e-12 {
			t.Errorf("split after %d: %v, want %v", split, got, (n*n-1)/12.0)
		}
	}
}
