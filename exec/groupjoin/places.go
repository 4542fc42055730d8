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

// places map words to numbers that fit behind the number of a group, so that both are one word:
// in the order of the words, as far as a set of known ones separates words. 0 is below all of
// these, and last above. They are differences to the least known word where these fit, else counts
// of known words.
type places struct {
	least, span uint64
	ranks       *search.Words // nil for differences
	order       *merge.Order  // has the ranks' words
	bits        int
	last        uint64
}

// newPlaces makes places of words from least to greatest, none where least is above, that take no
// more than so many bits, or nil.
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

// newRankPlaces makes places by the order of words, which it frees, but for those in skip, which it frees.
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

// behind writes the numbers of groups with the places of words behind them to words.
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
