package state

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/exec/keyenc"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestSelect compares selection with sorting, including orders that partition badly and many equal
// values.
func TestSelect(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 2, 16, 17, 100, 1001} {
		for name, xs := range map[string][]uint64{"random": random64(r, n, 1<<60), "few": random64(r, n, 3), "all equal": make([]uint64, n), "ascending": ascending64(n)} {
			want := slices.Sorted(slices.Values(xs))
			for _, k := range []int{0, n / 2, n - 1} {
				got := slices.Clone(xs)
				selectNth(got, k)
				if got[k] != want[k] || slices.Max(got[:k+1]) != want[k] || slices.Min(got[k:]) != want[k] {
					t.Errorf("%d %s: number %d is %d, want %d", n, name, k, got[k], want[k])
				}
			}
		}
	}
}

func random64(r *rand.Rand, n int, below uint64) []uint64 {
	xs := make([]uint64, n)
	for i := range xs {
		xs[i] = r.Uint64N(below)
	}
	return xs
}

func ascending64(n int) []uint64 {
	xs := make([]uint64, n)
	for i := range xs {
		xs[i] = uint64(i)
	}
	return xs
}

// TestFloatCodes converts floats to codes and back.
func TestFloatCodes(t *testing.T) {
	v := &vec.Vector{Type: types.T(types.Float64), F64: []float64{0, 1, -1, math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1)}}
	v.N = len(v.F64)
	codes := make([]uint64, v.N)
	keyenc.SortKeys(v, false, codes)
	for i, c := range codes {
		if got := floatOf(c); got != v.F64[i] {
			t.Errorf("%v became %v", v.F64[i], got)
		}
	}
}
