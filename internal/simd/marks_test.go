//go:build unix

package simd

import (
	"math/rand/v2"
	"testing"
)

// TestMark finds bytes in texts that end and begin where memory does.
func TestMark(t *testing.T) {
	room := guarded(t)
	EachLevel(t.Run, func(t *testing.T) { testMark(t, room) })
}

func testMark(t *testing.T, room []byte) {
	r := rand.New(rand.NewPCG(31, 31))
	sets := [][]byte{[]byte(",\n\"\\"), {0, 1, 127, 128}, {0, 255, 254, 129}, []byte(",,\n\n")}
	for range 2000 {
		set := sets[r.IntN(len(sets))]
		n := r.IntN(300)
		text := room[:n]
		if r.IntN(2) == 0 {
			text = room[len(room)-n:]
		}
		for i := range text {
			text[i] = byte(r.Uint32())
			if r.IntN(3) > 0 {
				text[i] = set[r.IntN(4)] ^ byte(r.IntN(2))<<r.IntN(8)
			}
		}
		dst := make([]Marks, (n+63)/64+1)
		dst[len(dst)-1] = Marks{42}
		Mark(dst, text, [4]byte(set))
		if dst[len(dst)-1] != (Marks{42}) {
			t.Fatal("more is marked than there is")
		}
		for i := range 64 * (len(dst) - 1) {
			for k, b := range set {
				if got := dst[i/64][k]>>(i%64)&1 == 1; got != (i < n && text[i] == b) {
					t.Fatalf("%q: byte %d of %q is %v", set, i, text, got)
				}
			}
		}
	}
}

func TestInsideQuotes(t *testing.T) {
	r := rand.New(rand.NewPCG(32, 32))
	for range 1000 {
		quotes := r.Uint64() & r.Uint64()
		got, inside := InsideQuotes(quotes), false
		for i := range 64 {
			inside = inside != (quotes>>i&1 == 1)
			if inside != (got>>i&1 == 1) {
				t.Fatalf("%#x: bit %d of %#x", quotes, i, got)
			}
		}
	}
}

func BenchmarkMark(b *testing.B) {
	text, dst := make([]byte, 1<<14), make([]Marks, 1<<8)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Mark(dst, text, [4]byte{',', '\n', '"', '\\'})
	}
}
