package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestIntSet looks up members, their neighbours and others in sets of all sizes.
func TestIntSet(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	made := 0
	for range 2000 {
		values := make([]int64, 1+r.IntN(60))
		shift := r.IntN(64)
		for i := range values {
			if values[i] = int64(r.Uint64()) >> shift; r.IntN(30) == 0 {
				values[i] = []int64{math.MaxInt64, math.MinInt64, 0, -1}[r.IntN(4)]
			}
		}
		set := NewIntSet(values)
		if set == nil {
			continue
		}
		made++
		var xs []int64
		for _, x := range values {
			xs = append(xs, x, x+1, x-1, -x, x<<1, int64(r.Uint64())>>shift)
		}
		got := make([]int64, len(xs))
		set.Mark(got, xs)
		for i, x := range xs {
			if want := Bit(slices.Contains(values, x)); got[i] != want || set.Has(x) != want {
				t.Fatalf("%d in %v is %d, want %d", x, values, got[i], want)
			}
		}
	}
	if made < 1900 {
		t.Errorf("%d sets made", made)
	}
}
