package simd

import (
	"math/rand/v2"
	"testing"
	"unicode/utf8"
)

// TestValidUTF8 compares with utf8.Valid: each pair and triple of bytes, and characters of all
// lengths with damage, at places on either side of the borders of blocks.
func TestValidUTF8(t *testing.T) {
	EachLevel(t.Run, func(t *testing.T) {
		check := func(data []byte) {
			t.Helper()
			if got, want := ValidUTF8(data), utf8.Valid(data); got != want {
				t.Fatalf("%q: %t, want %t", data, got, want)
			}
		}
		for first := range 256 {
			for second := range 256 {
				for _, at := range []int{0, 30, 31, 61, 62, 63} {
					data := make([]byte, 65)
					data[at], data[at+1] = byte(first), byte(second)
					check(data)
					check(data[:64])
				}
			}
		}
		r := rand.New(rand.NewPCG(1, 2))
		runes := []rune{'a', 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff}
		bytes := []byte{0, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff}
		for range 200_000 {
			var data []byte
			for n := r.IntN(150); len(data) < n; {
				data = utf8.AppendRune(data, runes[r.IntN(len(runes))])
			}
			check(data)
			if len(data) > 0 {
				data[r.IntN(len(data))] = bytes[r.IntN(len(bytes))]
				check(data)
				check(data[:r.IntN(len(data))])
			}
		}
	})
}

// FuzzValidUTF8 compares with utf8.Valid.
func FuzzValidUTF8(f *testing.F) {
	f.Add([]byte("Größe 日本語 \U0001f600 and some more text that fills a block"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, want := ValidUTF8(data), utf8.Valid(data); got != want {
			t.Fatalf("%q: %t, want %t", data, got, want)
		}
	})
}

func BenchmarkValidUTF8(b *testing.B) {
	var data []byte
	for len(data) < 1<<16 {
		data = append(data, "Kundin Müller, Größe 7, żółw "...)
	}
	EachLevel(b.Run, func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			ValidUTF8(data)
		}
	})
}
