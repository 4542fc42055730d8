package dynfilter

import (
	"math"

	"gsql/exec/rowhash"
	"gsql/internal/simd"
	"gsql/sql/vec"
)

// Bloom is a Bloom filter of hashes, which must be good in all bits. All bits of a value are in
// one word (Putze, Sanders and Singler, "Cache-, Hash- and Space-Efficient Bloom Filters", WEA
// 2007).
type Bloom []uint64

const (
	// valuesOfWord is the number of values per word. Each has 16 bits, four of which are set, so
	// that less than one in a hundred other values passes.
	valuesOfWord = 4
	mostWords    = math.MaxInt32 // because places are computed from halves of hashes
)

// BloomWords returns the length of a filter for a number of values.
func BloomWords(values int) int { return min(values/valuesOfWord+1, mostWords) }

// Add adds a value. No other goroutine may use b at the same time.
func (b Bloom) Add(hash uint64) {
	w, m := b.place(hash)
	b[w] |= m
}

// Has returns true for all values that were added, and for few others.
func (b Bloom) Has(hash uint64) bool {
	w, m := b.place(hash)
	return b[w]&m == m
}

// place returns the word of a hash and its four bits there: the word is computed from the hash's
// upper half, the bits from its low bits. simd.SelectMembers computes the same.
func (b Bloom) place(h uint64) (word, mask uint64) {
	return h >> 32 * uint64(len(b)) >> 32, 1<<(h&63) | 1<<(h>>6&63) | 1<<(h>>12&63) | 1<<(h>>18&63)
}

// Members writes the positions of those of vals that b may contain, hashed by rowhash.Mix, to
// dst, which is as long as vals. It returns their number.
func Members[T int64 | uint64](b Bloom, dst []int32, vals []T) int {
	n, done := simd.SelectMembers(dst, vals, b)
	for i, x := range vals[done:] {
		dst[n] = int32(done + i)
		n += vec.One(b.Has(rowhash.Mix(uint64(x))))
	}
	return n
}
