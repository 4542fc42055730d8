// Package search finds positions in ascending 64-bit words. Joins by comparisons use it to look
// up sorted operands.
package search

import (
	"math"
	"math/bits"

	"gsql/internal/mem"
)

// Words holds ascending words. If they are distributed evenly, a table by their leading bits
// narrows each search to few of them. It is safe for concurrent use.
type Words struct {
	S       []uint64
	min     uint64
	shift   uint
	below   *mem.Buffer[int32] // below[b] words are less than min + b<<shift; nil if there is no table
	crowded bool               // some bucket has more than crowd words
}

// crowd is the greatest number of words in a bucket that is searched sequentially.
const crowd = 32

// New makes a table of at most twice as many buckets as buckets for words, which are not copied.
// It makes no table for fewer than two buckets or distinct words.
func New(acct *mem.Account, words []uint64, buckets int) (*Words, error) {
	w := &Words{S: words}
	n := len(words)
	if buckets < 2 || n == 0 || words[0] == words[n-1] {
		return w, nil
	}
	w.min = words[0]
	span := words[n-1] - w.min
	w.shift = uint(max(0, bits.Len64(span)-bits.Len(uint(buckets))))
	below, err := mem.Alloc[int32](acct, int(span>>w.shift)+2)
	if err != nil {
		return nil, err
	}
	at := 0
	for b := range below.S {
		from := at
		for at < n && (words[at]-w.min)>>w.shift < uint64(b) {
			at++
		}
		below.S[b] = int32(at)
		w.crowded = w.crowded || at-from > crowd
	}
	w.below = below
	return w, nil
}

// Below returns the number of words less than x.
func (w *Words) Below(x uint64) int32 {
	if w.below == nil {
		return LowerBound(w.S, 0, int32(len(w.S)), x)
	}
	if x <= w.min {
		return 0
	}
	b := (x - w.min) >> w.shift
	if b >= uint64(len(w.below.S)-1) {
		return int32(len(w.S))
	}
	return LowerBound(w.S, w.below.S[b], w.below.S[b+1], x)
}

// UpTo returns the number of words less than or equal to x.
func (w *Words) UpTo(x uint64) int32 {
	if x == math.MaxUint64 {
		return int32(len(w.S))
	}
	return w.Below(x + 1)
}

// Free releases the table. It may be called on nil and more than once.
func (w *Words) Free() {
	if w != nil {
		w.below.Free()
	}
}

// AllUpTo writes to dst, for each x of xs, the number of words less than or equal to x+base,
// which is computed modulo 2^64: signed integers are words less 1<<63. If there are several
// buckets per word, most buckets are empty, and the loop over their words is correctly predicted
// not to run.
func AllUpTo[T int64 | uint64](w *Words, xs []T, base uint64, dst []int32) {
	dst = dst[:len(xs)]
	if w.below == nil || w.crowded {
		for i, x := range xs {
			dst[i] = w.UpTo(uint64(x) + base)
		}
		return
	}
	words, below := w.S, w.below.S
	n, least, shift := int32(len(words)), w.min, w.shift&63
	for i, x := range xs {
		word := uint64(x) + base
		off := word - least
		b := off >> shift
		if b >= uint64(len(below)) || word < least {
			if dst[i] = n; word < least {
				dst[i] = 0
			}
			continue
		}
		at := below[b]
		for at < n && words[at]-least <= off {
			at++
		}
		dst[i] = at
	}
}

// AllBelow writes to dst, for each x of xs, the number of words less than x.
func AllBelow(w *Words, xs []uint64, dst []int32) {
	AllUpTo(w, xs, math.MaxUint64, dst) // less than or equal to x-1
	for i, x := range xs {
		if x == 0 {
			dst[i] = 0
		}
	}
}

// LowerBound returns the first position in [lo, hi) whose word is not less than x, or hi.
func LowerBound(words []uint64, lo, hi int32, x uint64) int32 {
	n := hi - lo
	for n > 0 {
		half := n / 2
		if words[lo+half] < x {
			lo, n = lo+half+1, n-half-1
		} else {
			n = half
		}
	}
	return lo
}

// UpperBound returns the first position in [lo, hi) whose word is greater than x, or hi.
func UpperBound(words []uint64, lo, hi int32, x uint64) int32 {
	if x == math.MaxUint64 {
		return hi
	}
	return LowerBound(words, lo, hi, x+1)
}
