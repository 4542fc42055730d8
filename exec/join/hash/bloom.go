package hash

import (
	"slices"
	"sync"
	"sync/atomic"

	"gsql/exec/dynfilter"
	"gsql/exec/rowhash"
	"gsql/internal/mem"
)

// Filter is a Bloom filter of a table's codes. It drops probe rows before they are looked up in
// the table, which costs more cache misses. It is built once most rows of some prober have found
// no partner and building it costs little compared with their lookups.
type Filter struct {
	once  sync.Once
	words *mem.Buffer[uint64]
	Bloom atomic.Pointer[dynfilter.Bloom]
}

const (
	// FilterSlots is the least size of a table for which a filter pays: smaller tables stay in
	// the second-level cache, as a filter does.
	FilterSlots = 1 << 15
	// A filter is made if at most one in filterHits codes was found. A prober uses it as long as
	// it drops at least one code for every filterDrops that it keeps.
	filterHits, filterDrops = 3, 4
)

// Make builds the filter from the codes that each passes to add. If memory is refused, there is
// no filter.
func (s *Filter) Make(acct *mem.Account, codes int, each func(add func(code uint64))) {
	s.once.Do(func() {
		words, err := mem.Alloc[uint64](acct, dynfilter.BloomWords(codes))
		if err != nil {
			return
		}
		s.words = words
		bloom := dynfilter.Bloom(words.S)
		each(func(code uint64) { bloom.Add(rowhash.Mix(code)) })
		s.Bloom.Store(&bloom)
	})
}

// Free releases the memory.
func (s *Filter) Free() { s.words.Free() }

// FilterUse holds a prober's counters for a filter.
type FilterUse struct {
	Looked, Found int // codes looked up, and those found
	kept, dropped int // by the filter
	members       []int32
}

// Few reports whether most codes were not found.
func (s *FilterUse) Few() bool { return s.Found*filterHits <= s.Looked }

// Pays reports whether the filter has dropped enough codes so far.
func (s *FilterUse) Pays() bool { return s.dropped*filterDrops >= s.kept }

// Apply drops the codes that the filter rules out, with their rows, and returns the number that
// remain.
func (s *FilterUse) Apply(filter dynfilter.Bloom, codes []uint64, rows []int32) int {
	s.members = slices.Grow(s.members[:0], len(codes))[:len(codes)]
	n := dynfilter.Members(filter, s.members, codes)
	for i, at := range s.members[:n] {
		codes[i], rows[i] = codes[at], rows[at]
	}
	s.dropped += len(codes) - n
	s.kept += n
	return n
}
