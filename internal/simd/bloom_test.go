package simd

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// member reports whether a filter may have x.
func member(filter []uint64, x int64) bool {
	hi, lo := bits.Mul64(uint64(x)^0xa0761d6478bd642f, 0x9e3779b97f4a7c15)
	h := hi ^ lo
	w := filter[(h>>32)*uint64(len(filter))>>32]
	for i := range 4 {
		if w>>(h>>(6*i)&63)&1 == 0 {
			return false
		}
	}
	return true
}

func TestSelectMembers(t *testing.T) { EachLevel(t.Run, testSelectMembers) }

func testSelectMembers(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 15))
	for _, words := range []int{1, 2, 1000, farMembers, farMembers + 1} {
		filter := make([]uint64, words)
		for range 4 {
			for i := range filter {
				filter[i] |= r.Uint64() // bits are set with growing likelihood
			}
			for range 40 {
				xs := make([]int64, r.IntN(4*membersAhead))
				for i := range xs {
					xs[i] = number(r)
				}
				checkSelectMembers(t, filter, xs)
			}
		}
	}
}

func checkSelectMembers(t *testing.T, filter []uint64, xs []int64) {
	t.Helper()
	dst := make([]int32, len(xs)+1)
	dst[len(xs)] = -42
	n, done := SelectMembers(dst[:len(xs)], xs, filter)
	if level > None && done != len(xs)&^7 || done > len(xs) || dst[len(xs)] != -42 {
		t.Fatalf("%d of %d done", done, len(xs))
	}
	var want []int32
	for i, x := range xs[:done] {
		if member(filter, x) {
			want = append(want, int32(i))
		}
	}
	if !slices.Equal(dst[:n], want) {
		t.Fatalf("%d words: %v, not %v", len(filter), dst[:n], want)
	}
}
