package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSelectBits(t *testing.T) { EachLevel(t.Run, testSelectBits) }

func testSelectBits(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 16))
	for _, beyond := range []uint64{0, 1, 63, 64, 65, 1000, 1 << 16} {
		for _, lo := range []int64{0, 1, -7, 2450815, math.MaxInt64, math.MinInt64, math.MaxInt64 - 20} {
			bitmap := make([]uint64, beyond>>6+1)
			for i := range bitmap {
				bitmap[i] = r.Uint64()
			}
			for range 20 {
				xs := make([]int64, r.IntN(300))
				for i := range xs {
					switch r.IntN(4) {
					case 0:
						xs[i] = number(r)
					case 1:
						xs[i] = lo + int64(beyond) + r.Int64N(3) - 1
					default:
						xs[i] = lo + r.Int64N(int64(beyond)+3) - 1
					}
				}
				checkSelectBits(t, bitmap, xs, lo, beyond)
			}
		}
	}
}

func checkSelectBits(t *testing.T, bitmap []uint64, xs []int64, lo int64, beyond uint64) {
	t.Helper()
	dst := make([]int32, len(xs)+1)
	dst[len(xs)] = -42
	n, done := SelectBits(dst[:len(xs)], xs, bitmap, lo, beyond)
	if level > None && done != len(xs)&^7 || done > len(xs) || dst[len(xs)] != -42 {
		t.Fatalf("%d of %d done", done, len(xs))
	}
	var want []int32
	for i, x := range xs[:done] {
		if d := min(uint64(x)-uint64(lo), beyond); bitmap[d/64]>>(d%64)&1 != 0 {
			want = append(want, int32(i))
		}
	}
	if !slices.Equal(dst[:n], want) {
		t.Fatalf("from %d, beyond %d: %v, not %v", lo, beyond, dst[:n], want)
	}
}
