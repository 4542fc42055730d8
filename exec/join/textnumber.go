package join

import (
	"math/bits"

	"gsql/internal/simd"
	"gsql/sql/vec"
)

// textNumbers number the texts of a key whose bytes, place by place, are among few: a perfect
// hash. They are numbers of mixed radix of the texts' images, in the order of the texts, and as
// dense as the texts are where they are digits with zeros before them, or the like.
type textNumbers struct {
	simd.TextRadix
	count uint64
}

// Bounds of the factors that simd.TextRadix takes.
const (
	mostDigits = 1<<7 - 1
	mostPairs  = 1<<15 - 1
)

// numberTexts finds numbers for the strings of v, which is flat; nil where there are none, or
// more than 2^63.
func numberTexts(v *vec.Vector) *textNumbers {
	lo, hi := simd.TextImage{}, simd.TextImage{}
	for i := range lo {
		lo[i] = 0xff
	}
	var some [block]string
	t, measured := &textNumbers{}, false
	for from := 0; from < v.N; from += block {
		part := v.Slice(from, min(from+block, v.N))
		texts := part.Str[:part.N]
		if part.Null != nil {
			texts = some[:0]
			for i, null := range part.Null[:part.N] {
				if !null {
					texts = append(texts, part.Str[i])
				}
			}
		}
		if len(texts) == 0 {
			continue
		}
		if !widen(texts, &lo, &hi) || !t.count64(&lo, &hi) {
			return nil
		}
		measured = true
	}
	if !measured { // no text at all: the empty one may have a number, too
		lo = hi
		t.count64(&lo, &hi)
	}
	return t
}

// widen widens the bounds by the images of texts; it is false when one has none.
func widen(texts []string, lo, hi *simd.TextImage) bool {
	for _, s := range texts[simd.TextBounds(texts, lo, hi):] {
		if len(s) > textMax {
			return false
		}
		w := textOf(s)
		for i := range lo {
			b := w.at(i)
			lo[i], hi[i] = min(lo[i], b), max(hi[i], b)
		}
	}
	return true
}

// count64 takes bounds; it is false where there are too many numbers.
func (t *textNumbers) count64(lo, hi *simd.TextImage) bool {
	t.Least = *lo
	var n [16]uint64 // of digits, then of pairs, fours and eights
	for i := range n {
		t.Most[i] = hi[i] - lo[i]
		n[i] = uint64(t.Most[i]) + 1
	}
	for i := range 8 {
		left, right := n[2*i], n[2*i+1]
		if n[i] = left * right; right > mostDigits || n[i] > mostPairs {
			return false
		}
		t.Pairs[2*i], t.Pairs[2*i+1] = int8(right), 1
	}
	for i := range 4 {
		t.Fours[2*i], t.Fours[2*i+1] = int16(n[2*i+1]), 1
		n[i] = n[2*i] * n[2*i+1]
	}
	t.Eights[0], t.Eights[2] = uint32(n[1]), uint32(n[3])
	t.Half = n[2] * n[3]
	over, count := bits.Mul64(n[0]*n[1], t.Half)
	t.count = count
	return over == 0 && count <= 1<<63
}

// of writes the numbers of texts; simd.NoNumber, more than any number, where there is none.
func (t *textNumbers) of(dst []uint64, texts []string) {
	for i := simd.TextNumbers(dst, texts, &t.TextRadix); i < len(texts); i++ {
		dst[i] = t.number(texts[i])
	}
}

func (t *textNumbers) number(s string) (number uint64) {
	w := textOf(s)
	for i := range t.Least {
		digit := w.at(i) - t.Least[i]
		if digit > t.Most[i] {
			return simd.NoNumber
		}
		number = number*(uint64(t.Most[i])+1) + uint64(digit)
	}
	return number
}
