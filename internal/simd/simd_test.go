package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

var edges = []int64{0, 1, -1, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64, 7, 8}

func number(r *rand.Rand) int64 {
	if r.IntN(3) == 0 {
		return edges[r.IntN(len(edges))]
	}
	return int64(r.Uint64()) >> r.IntN(64)
}

func TestLevels(t *testing.T) {
	defer Use(Best())
	if Use(AVX512); level != Best() {
		t.Errorf("level %d is used, but the best is %d", level, Best())
	}
	if old := Use(None); old != Best() || level != None {
		t.Errorf("%d was in use, %d is", old, level)
	}
}

func TestWiden(t *testing.T) {
	EachLevel(t.Run, func(t *testing.T) {
		testWiden(t, Widen)
		testWiden(t, Widen16)
		testWiden(t, Widen8)
	})
}

func testWiden[T int8 | int16 | int32](t *testing.T, widen func([]int64, []T) int) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		src := make([]T, r.IntN(70))
		for i := range src {
			src[i] = T(number(r))
		}
		dst := make([]int64, len(src)+1)
		dst[len(src)] = 42
		done := widen(dst[:len(src)], src)
		if done > len(src) || dst[len(src)] != 42 || level > None && done != len(src)/16*16 {
			t.Fatalf("%d of %d done", done, len(src))
		}
		for i, x := range src[:done] {
			if dst[i] != int64(x) {
				t.Fatalf("%d became %d", x, dst[i])
			}
		}
	}
}

func TestSelect(t *testing.T) {
	EachLevel(t.Run, func(t *testing.T) {
		t.Run("int32", testSelect[int32])
		t.Run("int64", testSelect[int64])
		t.Run("float64", testSelect[float64])
	})
}

// passes is holds as Select has it for NaN.
func passes[T Element](p Predicate, x, c T) bool {
	switch p {
	case LessEqual:
		return !(x > c)
	case GreaterEqual:
		return !(x < c)
	}
	return holds(p, x, c)
}

func testSelect[T Element](t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	some := func() T {
		if x, ok := any(math.NaN()).(T); ok && r.IntN(4) == 0 {
			return x
		}
		return element[T](r, false)
	}
	for range 5000 {
		xs, p, c := make([]T, r.IntN(70)), Predicate(r.IntN(int(predicates))), some()
		for i := range xs {
			if xs[i] = some(); r.IntN(3) == 0 {
				xs[i] = c
			}
		}
		dst := make([]int32, len(xs)+1)
		dst[len(xs)] = 42
		n, done := Select(dst[:len(xs)], xs, c, p)
		if done > len(xs) || dst[len(xs)] != 42 || level > None && done != len(xs)&^15 {
			t.Fatalf("%d of %d done", done, len(xs))
		}
		var want []int32
		for i, x := range xs[:done] {
			if passes(p, x, c) {
				want = append(want, int32(i))
			}
		}
		if !slices.Equal(dst[:n], want) {
			t.Fatalf("predicate %d of %v in %v: %v, want %v", p, c, xs, dst[:n], want)
		}
	}
}

// BenchmarkWiden and BenchmarkSelect give the time of a batch.
func BenchmarkWiden(b *testing.B) {
	dst, src := make([]int64, 2048), make([]int32, 2048)
	b.Run("vectors", func(b *testing.B) {
		for range b.N {
			Widen(dst, src)
		}
	})
	b.Run("plain", func(b *testing.B) {
		for range b.N {
			for i, x := range src {
				dst[i] = int64(x)
			}
		}
	})
}

func BenchmarkSelect(b *testing.B) {
	dst, xs := make([]int32, 2048), make([]int64, 2048)
	for i := range xs {
		xs[i] = int64(i * 7919 % 1000)
	}
	b.Run("vectors", func(b *testing.B) {
		for range b.N {
			Select(dst, xs, 500, Less)
		}
	})
	b.Run("plain", func(b *testing.B) {
		for range b.N {
			n := 0
			for i, x := range xs {
				dst[n] = int32(i)
				if x < 500 {
					n++
				}
			}
		}
	})
}
