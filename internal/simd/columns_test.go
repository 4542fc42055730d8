package simd

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func testExtent[T int64 | uint64](t *testing.T, any func() T) {
	r := rand.New(rand.NewPCG(11, 11))
	for range 2000 {
		xs := make([]T, r.IntN(300))
		for i := range xs {
			xs[i] = any()
		}
		if r.IntN(2) == 0 { // ascending, but for one place perhaps
			slices.Sort(xs)
			if len(xs) > 1 && r.IntN(2) == 0 {
				i := r.IntN(len(xs) - 1)
				xs[i], xs[i+1] = xs[i+1], xs[i]
			}
		}
		lo, hi, falls, done := Extent(xs)
		if level > None && done != max(len(xs)-1, 0)&^63 || done > 0 && done >= len(xs) {
			t.Fatalf("%d of %d done", done, len(xs))
		}
		if done == 0 {
			continue
		}
		if in := xs[:done]; lo != slices.Min(in) || hi != slices.Max(in) || falls == slices.IsSorted(xs[:done+1]) {
			t.Fatalf("%v: bounds %d and %d, falls %v", xs[:done+1], lo, hi, falls)
		}
	}
}

func TestExtent(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	EachLevel(t.Run, func(t *testing.T) {
		t.Run("int64", func(t *testing.T) { testExtent(t, func() int64 { return number(r) }) })
		t.Run("uint64", func(t *testing.T) { testExtent(t, func() uint64 { return uint64(number(r)) }) })
	})
}

// murmur is the finaliser of MurmurHash3.
func murmur(x int64) uint64 {
	h := uint64(x)
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

func TestSelectHashes(t *testing.T) { EachLevel(t.Run, testSelectHashes) }

func testSelectHashes(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 13))
	for range 2000 {
		xs := make([]int64, r.IntN(300))
		dst := make([]int32, len(xs)+1)
		dst[len(xs)] = -42
		for i := range xs {
			xs[i] = number(r)
		}
		mask := (uint64(1)<<r.IntN(8) - 1) << r.IntN(57)
		n, done := SelectHashes(dst[:len(xs)], xs, mask)
		if level > None && done != len(xs)&^63 || done > len(xs) || dst[len(xs)] != -42 {
			t.Fatalf("%d of %d done", done, len(xs))
		}
		var want []int32
		for i, x := range xs[:done] {
			if murmur(x)&mask == 0 {
				want = append(want, int32(i))
			}
		}
		if !slices.Equal(dst[:n], want) {
			t.Fatalf("mask %#x: %v, not %v", mask, dst[:n], want)
		}
	}
}

func TestAnyNegative(t *testing.T) { EachLevel(t.Run, testAnyNegative) }

func testAnyNegative(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 14))
	for range 2000 {
		xs := make([]int32, r.IntN(300))
		for i := range xs {
			xs[i] = r.Int32()
		}
		if len(xs) > 0 && r.IntN(2) == 0 {
			xs[r.IntN(len(xs))] = -r.Int32() - 1
		}
		got, done := AnyNegative(xs)
		if level > None && done != len(xs)&^63 || done > len(xs) {
			t.Fatalf("%d of %d done", done, len(xs))
		}
		if want := slices.ContainsFunc(xs[:done], func(x int32) bool { return x < 0 }); got != want {
			t.Fatalf("%v: %v", xs[:done], got)
		}
	}
}

func TestOffsets(t *testing.T) { EachLevel(t.Run, testOffsets) }

func testOffsets(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 15))
	for range 2000 {
		lo, size := uint64(number(r)), uint64(1+r.IntN(1<<31))
		xs, outside := make([]uint64, r.IntN(300)), -1
		for i := range xs {
			xs[i] = lo + r.Uint64N(size)
		}
		if len(xs) > 0 && r.IntN(2) == 0 {
			outside = r.IntN(len(xs))
			xs[outside] = []uint64{lo - 1, lo + size, lo + 1<<63, lo + size + 1<<32}[r.IntN(4)]
		}
		dst := make([]int32, len(xs)+1)
		dst[len(xs)] = -42
		done, whole := Offsets(dst[:len(xs)], xs, lo, size), len(xs)&^63
		if outside >= 0 {
			whole = min(whole, outside&^63)
		}
		if level > None && done != whole || done > len(xs) || dst[len(xs)] != -42 {
			t.Fatalf("%d of %d done, one outside at %d", done, len(xs), outside)
		}
		for i, x := range xs[:done] {
			if uint64(dst[i]) != x-lo {
				t.Fatalf("%d from %d is %d", x, lo, dst[i])
			}
		}
	}
}

func TestSumHalves(t *testing.T) { EachLevel(t.Run, testSumHalves) }

func testSumHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 16))
	for range 4000 {
		xs := make([]int64, r.IntN(300))
		for i := range xs {
			xs[i] = number(r)
		}
		lo, hi, done := SumHalves(xs)
		if level > None && done != len(xs)&^63 || done > len(xs) {
			t.Fatalf("%d of %d done", done, len(xs))
		}
		us := make([]uint64, len(xs))
		var wantLo uint64
		var wantHi, wantUnsigned int64
		for i, x := range xs {
			us[i] = uint64(x)
			if i < done {
				wantLo += uint64(uint32(x))
				wantHi += x >> 32
				wantUnsigned += int64(uint64(x) >> 32)
			}
		}
		if lo != wantLo || hi != wantHi {
			t.Fatalf("%d and %d, not %d and %d", lo, hi, wantLo, wantHi)
		}
		if lo, hi, _ := SumHalves(us); lo != wantLo || hi != wantUnsigned {
			t.Fatalf("unsigned: %d and %d, not %d and %d", lo, hi, wantLo, wantUnsigned)
		}
	}
}
