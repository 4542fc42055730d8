package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestDoubles(t *testing.T) { EachLevel(t.Run, testDoubles) }

func testDoubles(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 21))
	for range 3000 {
		src := make([]int64, r.IntN(200))
		for i := range src {
			if src[i] = number(r); r.IntN(3) == 0 { // halfway between floats, or near that
				src[i] = 1<<62 + r.Int64N(1<<20)<<9 + 1<<8 + r.Int64N(3) - 1
			}
		}
		dst := make([]float64, len(src)+1)
		dst[len(src)] = 42
		Doubles(dst[:len(src)], src)
		for i, x := range src {
			if dst[i] != float64(x) {
				t.Fatalf("%d becomes %v", x, dst[i])
			}
		}
		if dst[len(src)] != 42 {
			t.Fatal("one more is written")
		}
	}
}

func TestAreFinite(t *testing.T) { EachLevel(t.Run, testAreFinite) }

func testAreFinite(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 22))
	for range 3000 {
		xs := make([]float64, r.IntN(200))
		for i := range xs {
			xs[i] = []float64{0, math.Copysign(0, -1), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, r.NormFloat64()}[r.IntN(6)]
		}
		if !AreFinite(xs) {
			t.Fatalf("%v are finite", xs)
		}
		if len(xs) == 0 {
			continue
		}
		i := r.IntN(len(xs))
		xs[i] = []float64{math.Inf(1), math.Inf(-1), math.NaN()}[r.IntN(3)]
		if AreFinite(xs) {
			t.Fatalf("%v is at %d of %d", xs[i], i, len(xs))
		}
	}
}

func TestMagnitudes(t *testing.T) { EachLevel(t.Run, testMagnitudes) }

func testMagnitudes(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 23))
	for range 3000 {
		xs, want, shift := make([]int64, r.IntN(200)), uint64(0), r.IntN(63)
		for i := range xs {
			xs[i] = number(r) >> shift
			if xs[i] < 0 {
				want |= uint64(^xs[i])
			} else {
				want |= uint64(xs[i])
			}
		}
		if got := Magnitudes(xs); got != want {
			t.Fatalf("%v: %#x, not %#x", xs, got, want)
		}
	}
}

func TestPositions(t *testing.T) { EachLevel(t.Run, testPositions) }

func testPositions(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 24))
	for range 3000 {
		rows := r.IntN(300)
		mask, dst := make([]uint64, (rows+63)/64), make([]int32, rows+1)
		var want []int32
		share, first := r.IntN(5), int32(r.IntN(2)*r.IntN(1<<30))
		for i := range rows {
			if r.IntN(4) < share {
				mask[i/64] |= 1 << (i % 64)
				want = append(want, first+int32(i))
			}
		}
		dst[rows] = -42
		n := Positions(dst[:rows], mask, first)
		if dst[rows] != -42 || !slices.Equal(dst[:n], want) {
			t.Fatalf("%x: %v, not %v", mask, dst[:n], want)
		}
	}
}
