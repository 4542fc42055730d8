package theta

import (
	"math/rand/v2"
	"testing"

	"gsql/internal/mem"
)

// TestReach compares what the tree finds with a linear search.
func TestReach(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for _, n := range []int{0, 1, 2, 3, 8, 9, 100, 1025} {
		words := make([]uint64, n)
		for i := range words {
			words[i] = r.Uint64N(50) * r.Uint64N(2)
		}
		for _, falls := range []bool{false, true} {
			tree, b, err := newReach(mem.NewRoot("test", 0), words, n, falls)
			if err != nil {
				t.Fatal(err)
			}
			for range 300 {
				to, x := r.IntN(n+1), r.Uint64N(52)
				from := r.IntN(to + 1)
				if falls {
					x = ^x
				}
				want := from
				for want < to && (falls && ^words[want] < x || !falls && words[want] < x) {
					want++
				}
				if got := tree.next(int32(from), int32(to), x); got != int32(want) {
					t.Fatalf("%d words, falls %v: next(%d, %d, %d) = %d, want %d", n, falls, from, to, x, got, want)
				}
			}
			b.Free()
		}
	}
}

func TestBitmap(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{1, 63, 64, 65, 4096, 4097, 300_000} {
		b, err := newBitmap(nil, n)
		if err != nil {
			t.Fatal(err)
		}
		in := make([]bool, n)
		for range r.IntN(20) {
			i := r.IntN(n)
			in[i] = true
			b.set(i)
		}
		want := -1
		for i := n - 1; i >= 0; i-- {
			if in[i] {
				want = i
			}
			if got := b.next(i); got != want {
				t.Fatalf("%d positions: next(%d) = %d, want %d", n, i, got, want)
			}
		}
	}
}
