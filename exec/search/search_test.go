package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/internal/mem"
)

// TestPlaces compares positions with counts, with lookup tables of several sizes, for words that
// are spread evenly, clustered, at both ends, or duplicates.
func TestPlaces(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := map[string]func() uint64{
		"even":    func() uint64 { return 1<<63 + r.Uint64N(100_000) },
		"few":     func() uint64 { return 1<<63 + r.Uint64N(20) },
		"whole":   r.Uint64,
		"crowded": func() uint64 { return []uint64{r.Uint64N(1000), math.MaxUint64 - r.Uint64N(1000)}[r.IntN(2)] },
		"ends":    func() uint64 { return []uint64{0, 1, math.MaxUint64, math.MaxUint64 - 1}[r.IntN(4)] },
	}
	for name, one := range draw {
		for _, n := range []int{0, 1, 2, 30, 700} {
			words := make([]uint64, n)
			for i := range words {
				words[i] = one()
			}
			slices.Sort(words)
			for _, buckets := range []int{0, 1, n / 4, 4 * n, 1 << 12} {
				w, err := New(mem.NewRoot("test", 0), words, buckets)
				if err != nil {
					t.Fatal(err)
				}
				check(t, name, w, one)
				w.Free()
			}
		}
	}
}

func check(t *testing.T, name string, w *Words, one func() uint64) {
	t.Helper()
	xs := []uint64{0, 1, math.MaxUint64, math.MaxUint64 - 1, 1 << 63}
	for range 200 {
		xs = append(xs, one(), one()+1, one()-1)
	}
	signed := make([]int64, len(xs))
	for i, x := range xs {
		signed[i] = int64(x ^ 1<<63)
	}
	all, ofSigned := make([]int32, len(xs)), make([]int32, len(xs))
	AllUpTo(w, xs, 0, all)
	AllUpTo(w, signed, 1<<63, ofSigned)
	allBelow := make([]int32, len(xs))
	AllBelow(w, xs, allBelow)
	for i, x := range xs {
		below, upTo := int32(0), int32(0)
		for _, word := range w.S {
			if word < x {
				below++
			}
			if word <= x {
				upTo++
			}
		}
		if w.Below(x) != below || w.UpTo(x) != upTo || all[i] != upTo || ofSigned[i] != upTo || allBelow[i] != below {
			t.Fatalf("%s: %d among %d words: %d, %d, %d, %d, %d, want %d below, %d up to", name, x, len(w.S), w.Below(x), w.UpTo(x), all[i], ofSigned[i], allBelow[i], below, upTo)
		}
	}
}
