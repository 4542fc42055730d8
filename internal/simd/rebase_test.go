package simd

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// rebased compares Rebase with a plain loop, for lengths around those of the vector loop.
func rebased[D uint8 | uint16 | uint32, S int8 | int16 | int32](t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 7))
	for _, n := range []int{0, 1, 127, 128, 129, 255, 256, 400, 2048} {
		src, dst := make([]S, n), make([]D, n)
		for i := range src {
			src[i] = S(r.Uint64())
		}
		for _, bias := range []int64{0, -3, 100, -1 << 31} {
			lo, hi, done := Rebase(dst, src, bias)
			if done > n || done%128 != 0 {
				t.Fatalf("%d of %d elements", done, n)
			}
			for i := range done {
				if dst[i] != D(int64(src[i])-bias) {
					t.Fatalf("%T to %T: element %d of %d is %d, want %d - %d", src, dst, i, n, dst[i], src[i], bias)
				}
			}
			if done > 0 && (lo != slices.Min(src[:done]) || hi != slices.Max(src[:done])) {
				t.Fatalf("%T to %T: bounds %d and %d of %d elements", src, dst, lo, hi, done)
			}
		}
	}
}

func TestRebase(t *testing.T) { EachLevel(t.Run, testRebase) }

func testRebase(t *testing.T) {
	rebased[uint8, int8](t)
	rebased[uint16, int8](t)
	rebased[uint8, int16](t)
	rebased[uint16, int16](t)
	rebased[uint32, int16](t)
	rebased[uint8, int32](t)
	rebased[uint16, int32](t)
	rebased[uint32, int32](t)
	dst, src := make([]uint32, 128), make([]int32, 128)
	if _, _, done := Rebase(dst, src, 0); done == 0 && level >= AVX2 {
		t.Error("the vector loop did not run")
	}
}

func BenchmarkRebase(b *testing.B) {
	dst, src := make([]uint32, 16<<10), make([]int32, 16<<10)
	b.SetBytes(int64(4 * len(src)))
	for b.Loop() {
		Rebase(dst, src, 5)
	}
}
