package groupjoin

import (
	"math"
	"math/bits"

	"gsql/exec/join/merge"
	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/exec/search"
	"gsql/internal/mem"
)

// places map words to numbers short enough to be combined with the number of a group into one
// word. They keep the order of words, but distinguish words only as far as a set of known words
// separates them. 0 is below all known words, and last is above. Places are differences to the
// least known word if these fit, otherwise counts of known words.
type places struct {
	least, span uint64
	ranks       *search.Words // nil for differences
	order       *merge.Order  // has the ranks' words
	bits        int
	last        uint64
}

// newPlaces makes places for words from least to greatest; there are no words if least is
// greater. It returns nil if the places need more than most bits.
func newPlaces(least, greatest uint64, most int) *places {
	if least > greatest {
		least = greatest
	}
	p := &places{least: least, span: greatest - least}
	if p.span >= math.MaxUint64/4 {
		return nil
	}
	p.setBits(p.span + 2)
	if p.bits > most {
		return nil
	}
	return p
}

func (p *places) setBits(greatest uint64) {
	p.bits = bits.Len64(greatest)
	p.last = 1<<p.bits - 1
}

// newRankPlaces makes places from the order of words, except those in skip. It frees words and
// skip.
func newRankPlaces(ctx *op.Ctx, acct *mem.Account, words *mem.Buffer[uint64], skip *mem.Buffer[bool]) (p *places, err error) {
	p = &places{}
	if p.order, err = merge.Sort(ctx, acct, &keyenc.Codes{Words: words, Skip: skip}); err != nil {
		return nil, err
	}
	known := p.order.Codes[:0]
	for i, w := range p.order.Codes {
		if i == 0 || w != known[len(known)-1] {
			known = append(known, w)
		}
	}
	p.setBits(uint64(len(known)) + 1)
	if p.ranks, err = newWords(acct, known); err != nil {
		p.order.Free()
		return nil, err
	}
	return p, nil
}

// of returns the place of a word.
func (p *places) of(w uint64) uint64 {
	switch {
	case p.ranks != nil:
		return uint64(p.ranks.UpTo(w))
	case w < p.least:
		return 0
	}
	return min(w-p.least, p.span) + 1
}

// behind replaces each word by the number of its group followed by the word's place.
func (p *places) behind(groups, words []uint64) {
	if p.ranks != nil {
		for i, g := range groups {
			words[i] = g<<p.bits | uint64(p.ranks.UpTo(words[i]))
		}
		return
	}
	shift, least, span := p.bits&63, p.least, p.span
	for i, g := range groups {
		w := words[i]
		place := min(w-least, span) + 1
		if w < least {
			place = 0
		}
		words[i] = g<<shift | place
	}
}

// Free releases the memory.
func (p *places) Free() {
	p.ranks.Free()
	p.order.Free()
}
