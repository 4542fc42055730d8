package kernel

import (
	"math/bits"
	"slices"
)

// IntSet is a constant set of integers whose lookups have no collisions: a bitmap of a small range,
// or a hash table in which each member has its own slot by multiplicative hashing.
type IntSet struct {
	lo    int64
	words []uint64 // bit x-lo is set if x is in the set; nil for a table
	table []int64  // free slots hold a member of another slot
	mult  uint64
	shift uint8
}

const (
	bitmapRange = 1 << 15 // size of the widest range
	tableLimit  = 1 << 12 // size of the largest table
)

// NewIntSet returns the set of the given values, or nil if neither form suits them.
func NewIntSet(values []int64) *IntSet {
	if len(values) == 0 {
		return nil
	}
	values = slices.Compact(slices.Sorted(slices.Values(values)))
	lo, hi := values[0], values[len(values)-1]
	if span := uint64(hi) - uint64(lo); span < bitmapRange {
		s := &IntSet{lo: lo, words: make([]uint64, span/64+1)}
		for _, x := range values {
			s.words[(x-lo)/64] |= 1 << uint((x-lo)%64)
		}
		return s
	}
	for size := 1 << (1 + bits.Len(uint(len(values)))); size <= tableLimit; size *= 2 {
		s := &IntSet{table: make([]int64, size), shift: uint8(64 - bits.Len(uint(size-1)))}
		for try := range 64 {
			if s.mult = 0x9e3779b97f4a7c15 * uint64(2*try+1); s.place(values) {
				return s
			}
		}
	}
	return nil
}

// place fills the table, or returns false if two values have the same slot.
func (s *IntSet) place(values []int64) bool {
	taken := make([]bool, len(s.table))
	for i := range s.table {
		s.table[i] = values[0]
	}
	for _, x := range values {
		at := uint64(x) * s.mult >> s.shift
		if taken[at] {
			return false
		}
		s.table[at], taken[at] = x, true
	}
	return true
}

// Has returns 1 if x is in the set, else 0.
func (s *IntSet) Has(x int64) int64 {
	if s.words == nil {
		return Bit(s.table[uint64(x)*s.mult>>(s.shift&63)] == x)
	}
	if at := uint64(x) - uint64(s.lo); at/64 < uint64(len(s.words)) {
		return int64(s.words[at/64] >> (at % 64) & 1)
	}
	return 0
}

// Mark sets r to the result of Has for each value of a.
func (s *IntSet) Mark(r, a []int64) {
	a = a[:len(r)]
	if s.words != nil {
		for i, x := range a {
			r[i] = s.Has(x)
		}
		return
	}
	table, mult, shift := s.table, s.mult, s.shift&63
	for i, x := range a {
		r[i] = Bit(table[uint64(x)*mult>>shift] == x)
	}
}

// ScanLimit is the longest list that is searched in order rather than by hash.
const ScanLimit = 8
