package dynfilter

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/exec/rowhash"
	"gsql/internal/simd"
)

// TestMembers compares Members with Has, at every instruction level, for filters that fit in the
// caches and filters that do not.
func TestMembers(t *testing.T) {
	for _, values := range []int{1, 1000, 2_200_000} {
		b, probe, want := filterOf(values)
		if passed := len(want) - min(values, len(probe)/2); passed > len(probe)/50 {
			t.Errorf("%d values: %d others pass", values, passed)
		}
		for l := simd.None; l <= simd.Best(); l++ {
			t.Run(fmt.Sprint(values, " ", l), func(t *testing.T) {
				defer simd.Use(simd.Use(l))
				dst := make([]int32, len(probe))
				if n := Members(b, dst, probe); !slices.Equal(dst[:n], want) {
					t.Errorf("%d pass, not %d, or others", n, len(want))
				}
			})
		}
	}
}

// filterOf returns a filter of a number of values, some of which are in probe, and the positions
// in probe of the values that the filter contains.
func filterOf(values int) (b Bloom, probe []uint64, want []int32) {
	r := rand.New(rand.NewPCG(3, uint64(values)))
	b, probe = make(Bloom, BloomWords(values)), make([]uint64, 5003)
	for i := range probe {
		probe[i] = r.Uint64()
	}
	for i := range values {
		if i < len(probe)/2 {
			b.Add(rowhash.Mix(probe[2*i]))
		} else {
			b.Add(rowhash.Mix(r.Uint64()))
		}
	}
	for i, x := range probe {
		if b.Has(rowhash.Mix(x)) {
			want = append(want, int32(i))
		}
	}
	return b, probe, want
}
