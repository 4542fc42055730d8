package join

import (
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

// make fills the sieve of a table; without memory for it there is none.
func (s *sieve) make(t *table, acct *mem.Account, held *holdings) {
	s.once.Do(func() {
		codes := 0
		for i := range t.slots {
			codes += one(t.slots[i].list >= oneRow)
		}
		words, err := mem.Alloc[uint64](acct, dynfilter.BloomWords(codes))
		if err != nil {
			return
		}
		held.add(words)
		bloom := dynfilter.Bloom(words.S)
		for i := range t.slots {
			if x := &t.slots[i]; x.list >= oneRow {
				bloom.Add(rowhash.Mix(x.code))
			}
		}
		s.bloom.Store(&bloom)
	})
}

// sifting is a prober's use of the sieve.
type sifting struct {
	looked, found int // codes that were looked up, and those that the table has
	kept, dropped int // by the sieve
}

// sift drops codes. With some only those of the rows sel are there; it tells whether that is
// so afterwards.
func (p *hashProber) sift(some bool) bool {
	bloom := p.m.sieve.bloom.Load()
	if bloom == nil || p.sifting.dropped*sieveDrops < p.sifting.kept {
		return some
	}
	n, filter := 0, *bloom
	for i, c := range p.codes {
		row := int32(i)
		if some {
			row = p.sel[i]
		}
		p.codes[n], p.sel[n] = c, row
		n += one(filter.Has(rowhash.Mix(c)))
	}
	p.sifting.dropped += len(p.codes) - n
	p.sifting.kept += n
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
	if s.looked >= len(t.slots)/4 && s.found*sieveHits <= s.looked {
		p.m.sieve.make(t, p.m.acct, &p.m.held)
	}
}
