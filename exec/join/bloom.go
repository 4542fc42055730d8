package join

import (
	"slices"
	"sync"
	"sync/atomic"

	"gsql/exec/dynfilter"
	"gsql/exec/rowhash"
	"gsql/internal/mem"
)

// sieve drops probe rows whose code a hash table does not have before the table is looked
// at, which takes more cache misses. It is made once most probe rows of some prober have
// found no partner, and no sooner than its making is small beside what they have cost.
type sieve struct {
	once  sync.Once
	words *mem.Buffer[uint64]
	bloom atomic.Pointer[dynfilter.Bloom]
}

const (
	// sieveSlots is the size of a table from which a sieve is worth making: smaller ones stay
	// in the second-level cache as a sieve does.
	sieveSlots = 1 << 15
	// A sieve is made where at most one of sieveHits codes was found, and used by a prober as
	// long as it drops one of sieveDrops at least.
	sieveHits, sieveDrops = 3, 4
)

// make fills the sieve with so many codes that each gives; without memory for it there is none.
func (s *sieve) make(acct *mem.Account, codes int, each func(add func(code uint64))) {
	s.once.Do(func() {
		words, err := mem.Alloc[uint64](acct, dynfilter.BloomWords(codes))
		if err != nil {
			return
		}
		s.words = words
		bloom := dynfilter.Bloom(words.S)
		each(func(code uint64) { bloom.Add(rowhash.Mix(code)) })
		s.bloom.Store(&bloom)
	})
}

func (s *sieve) free() { s.words.Free() }

// sifting is a prober's use of a sieve.
type sifting struct {
	looked, found int // codes that were looked up, and those that the table has
	kept, dropped int // by the sieve
	members       []int32
}

// few tells that most codes were not found.
func (s *sifting) few() bool { return s.found*sieveHits <= s.looked }

// pays tells whether a sieve has dropped enough so far.
func (s *sifting) pays() bool { return s.dropped*sieveDrops >= s.kept }

// sift drops codes with their rows, and gives how many are left.
func (s *sifting) sift(filter dynfilter.Bloom, codes []uint64, rows []int32) int {
	s.members = slices.Grow(s.members[:0], len(codes))[:len(codes)]
	n := dynfilter.Members(filter, s.members, codes)
	for i, at := range s.members[:n] {
		codes[i], rows[i] = codes[at], rows[at]
	}
	s.dropped += len(codes) - n
	s.kept += n
	return n
}

// sift drops codes. With some only those of the rows sel are there; it tells whether that is
// so afterwards.
func (p *hashProber) sift(some bool) bool {
	bloom := p.m.sieve.bloom.Load()
	if bloom == nil || !p.sifting.pays() {
		return some
	}
	if !some {
		ascend(p.sel[:len(p.codes)])
	}
	n := p.sifting.sift(*bloom, p.codes, p.sel)
	p.codes, p.sel = p.codes[:n], p.sel[:n]
	return true
}

// looked counts what a lookup of so many codes without a sieve found.
func (p *hashProber) looked(codes, found int) {
	s, t := &p.sifting, p.m.table
	if len(t.slots) < sieveSlots || p.m.sieve.bloom.Load() != nil {
		return
	}
	s.looked += codes
	s.found += found
	if s.looked >= len(t.slots)/4 && s.few() {
		p.m.sieve.make(p.m.acct, t.distinct(), t.eachCode)
	}
}

// distinct counts the codes.
func (t *table) distinct() (n int) {
	for i := range t.slots {
		n += one(t.slots[i].list >= oneRow)
	}
	return n
}

func (t *table) eachCode(f func(code uint64)) {
	for i := range t.slots {
		if x := &t.slots[i]; x.list >= oneRow {
			f(x.code)
		}
	}
}

const (
	// A round is collected before any of its codes is looked up; so sampleCodes of each batch are,
	// and sampled ones together decide on a sieve.
	sampleCodes, sampled = 32, 1024
)

// sift drops codes with their rows, and gives how many are left.
func (p *radixProber) sift(codes []uint64, rows []int32) int {
	switch bloom := p.m.sieve.bloom.Load(); {
	case !p.m.sifts:
	case bloom == nil:
		p.sample(codes[:min(len(codes), sampleCodes)])
	case p.sifting.pays():
		return p.sifting.sift(*bloom, codes, rows)
	}
	return len(codes)
}

// sample looks up some codes of a round.
func (p *radixProber) sample(codes []uint64) {
	s, t := &p.sifting, p.m.table
	t.lookup(codes, &p.hits, &p.scan)
	s.looked += len(codes)
	s.found += len(p.hits.row)
	p.hits.cut(0)
	if s.looked < sampled {
		return
	}
	if s.few() {
		p.m.sieve.make(p.m.acct, t.distinctCodes(), t.eachCode)
	}
	s.looked, s.found = 0, 0
}

// distinctCodes counts the codes.
func (c *clustered) distinctCodes() int { return int(c.first[len(c.first)-1]) }

func (c *clustered) eachCode(f func(code uint64)) {
	for _, x := range c.codes[:c.distinctCodes()] {
		f(x)
	}
}
