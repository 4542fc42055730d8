package dynfilter

import "math/bits"

// Bloom is a Bloom filter of values by their hashes, whose bits must all be good. All bits of
// a value lie in one word (Putze, Sanders and Singler, "Cache-, Hash- and Space-Efficient
// Bloom Filters", WEA 2007).
type Bloom []uint64

// valuesOfWord is how many values share a word: 16 bits each, of which four are set, so that
// less than one of a hundred others passes.
const valuesOfWord = 4

// BloomWords gives the length of a filter for so many values.
func BloomWords(values int) int { return values/valuesOfWord + 1 }

// Add enters a value. No other goroutine may use b meanwhile.
func (b Bloom) Add(hash uint64) {
	w, m := b.place(hash)
	b[w] |= m
}

// Has is true of all values that were added, and of few others.
func (b Bloom) Has(hash uint64) bool {
	w, m := b.place(hash)
	return b[w]&m == m
}

// place gives the word of a hash and its four bits there: the word comes of the hash's top
// bits, the others of its low ones.
func (b Bloom) place(h uint64) (word, mask uint64) {
	word, _ = bits.Mul64(h, uint64(len(b)))
	return word, 1<<(h&63) | 1<<(h>>6&63) | 1<<(h>>12&63) | 1<<(h>>18&63)
}
