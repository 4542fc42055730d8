package dynfilter

import (
	"math"

	"gsql/exec/rowhash"
	"gsql/internal/simd"
	"gsql/sql/vec"
)

// Bloom is a Bloom filter of values by their hashes, whose bits must all be good. All bits of
// a value are in one word (Putze, Sanders and Singler, "Cache-, Hash- and Space-Efficient
// Bloom Filters", WEA 2007).
type Bloom []uint64

const (
	// valuesOfWord is how many values share a word: 16 bits each, of which four are set, so
	// that less than one of a hundred others passes.
	valuesOfWord = 4
	mostWords    = math.MaxInt32 // places are made of halves of hashes
)

// BloomWords returns the length of a filter for so many values.
func BloomWords(values int) int { return min(values/valuesOfWord+1, mostWords) }

// Add enters a value. No other goroutine may use b meanwhile.
func (b Bloom) Add(hash uint64) {
	w, m := b.place(hash)
	b[w] |= m
}

// Has reports true for all values that were added, and for few others.
func (b Bloom) Has(hash uint64) bool {
	w, m := b.place(hash)
	return b[w]&m == m
}

// place returns the word of a hash and its four bits there: the word comes of the hash's upper
// half, the others of its low bits. simd.SelectMembers has it likewise.
func (b Bloom) place(h uint64) (word, mask uint64) {
	return h >> 32 * uint64(len(b)) >> 32, 1<<(h&63) | 1<<(h>>6&63) | 1<<(h>>12&63) | 1<<(h>>18&63)
}

// Members writes the positions of those of vals to dst, which is as long, that b has by
// rowhash.Mix, and returns their number.
func Members[T int64 | uint64](b Bloom, dst []int32, vals []T) int {
	n, done := simd.SelectMembers(dst, vals, b)
	for i, x := range vals[done:] {
		dst[n] = int32(done + i)
		n += vec.One(b.Has(rowhash.Mix(uint64(x))))
	}
	return n
}
