// Package textradix numbers texts whose bytes, place by place, are among few: a perfect hash, in
// the texts' order. The numbers are of mixed radix of the texts' images, and as dense as the texts
// are where these are digits with zeros before them, or the like.
package textradix

import (
	"math/bits"

	"gsql/internal/simd"
)

// Longest is the length of the longest text that has a number.
const Longest = 15

// Bounds of the factors that simd.TextRadix takes.
const (
	mostDigits = 1<<7 - 1
	mostPairs  = 1<<15 - 1
)

// Bounds are the least and the greatest byte in each place of the images of texts; the zero value
// is of none.
type Bounds struct {
	lo, hi simd.TextImage
	some   bool
}

// Widen widens the bounds by texts; it is false when one of them is too long.
func (b *Bounds) Widen(texts []string) bool {
	if !b.some && len(texts) > 0 {
		b.some = true
		for i := range b.lo {
			b.lo[i] = 0xff
		}
	}
	for _, s := range texts[simd.TextBounds(texts, &b.lo, &b.hi):] {
		if len(s) > Longest {
			return false
		}
		for i, c := range imageOf(s) {
			b.lo[i], b.hi[i] = min(b.lo[i], c), max(b.hi[i], c)
		}
	}
	return true
}

// Numbers number the texts within bounds.
type Numbers struct {
	Count uint64 // the numbers are below it
	radix simd.TextRadix
}

// Numbers returns the numbers of the texts within the bounds, of the empty text if there is
// none; ok is false where there are too many.
func (b *Bounds) Numbers() (t Numbers, ok bool) {
	r := &t.radix
	r.Least = b.lo
	var n [16]uint64 // of digits, then of pairs, fours and eights
	for i := range n {
		r.Most[i] = b.hi[i] - b.lo[i]
		n[i] = uint64(r.Most[i]) + 1
	}
	for i := range 8 {
		left, right := n[2*i], n[2*i+1]
		if n[i] = left * right; right > mostDigits || n[i] > mostPairs {
			return t, false
		}
		r.Pairs[2*i], r.Pairs[2*i+1] = int8(right), 1
	}
	for i := range 4 {
		r.Fours[2*i], r.Fours[2*i+1] = int16(n[2*i+1]), 1
		n[i] = n[2*i] * n[2*i+1]
	}
	r.Eights[0], r.Eights[2] = uint32(n[1]), uint32(n[3])
	r.Half = n[2] * n[3]
	over, count := bits.Mul64(n[0]*n[1], r.Half)
	t.Count = count
	return t, over == 0 && count <= 1<<63
}

// Of writes the numbers of texts; simd.NoNumber, more than any number, if there is none.
func (t *Numbers) Of(dst []uint64, texts []string) {
	for i := simd.TextNumbers(dst, texts, &t.radix); i < len(texts); i++ {
		dst[i] = t.of(texts[i])
	}
}

func (t *Numbers) of(s string) (number uint64) {
	if len(s) > Longest {
		return simd.NoNumber
	}
	for i, c := range imageOf(s) {
		digit := c - t.radix.Least[i]
		if digit > t.radix.Most[i] {
			return simd.NoNumber
		}
		number = number*(uint64(t.radix.Most[i])+1) + uint64(digit)
	}
	return number
}

// imageOf returns the image of a text that is not too long.
func imageOf(s string) (x simd.TextImage) {
	copy(x[:], s)
	x[Longest] = byte(len(s))
	return x
}
