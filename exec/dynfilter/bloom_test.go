package dynfilter

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/exec/rowhash"
	"gsql/internal/simd"
)

// TestMembers compares Members with Has, at every level of instructions, for filters within
// the caches and beyond.
func TestMembers(t *testing.T) {
	simd.EachLevel(t.Run, func(t *testing.T) {
		for _, values := range []int{1, 1000, 3_000_000} {
			testMembers(t, values)
		}
	})
}

func testMembers(t *testing.T, values int) {
	r := rand.New(rand.NewPCG(3, uint64(values)))
	b := make(Bloom, BloomWords(values))
	probe := make([]uint64, 5003)
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
	var want []int32
	for i, x := range probe {
		if b.Has(rowhash.Mix(x)) {
			want = append(want, int32(i))
		}
	}
	dst := make([]int32, len(probe))
	if n := Members(b, dst, probe); !slices.Equal(dst[:n], want) {
		t.Errorf("%d values: %d pass, not %d, or others", values, n, len(want))
	}
	if passed := len(want) - min(values, len(probe)/2); passed > len(probe)/50 {
		t.Errorf("%d values: %d others pass", values, passed)
	}
}
