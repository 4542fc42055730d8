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

// shortCodes maps words to codes short enough to be combined with the number of a group into one
// word. Codes keep the order of words, but distinguish words only as far as a set of known words
// separates them. 0 is below all known words, and last is above. Codes are differences to the least
// known word if these fit, otherwise counts of known words.
type shortCodes struct {
	least, span uint64
	ranks       *search.Words // nil for differences
	order       *merge.Order  // has the ranks' words
	bits        int
	last        uint64
}

// newShortCodes makes codes for words from least to greatest; there are no words if least is
// greater. It returns nil if the codes need more than most bits.
func newShortCodes(least, greatest uint64, most int) *shortCodes {
	if least > greatest {
		least = greatest
	}
	p := &shortCodes{least: least, span: greatest - least}
	if p.span >= math.MaxUint64/4 {
		return nil
	}
	p.setBits(p.span + 2)
	if p.bits > most {
		return nil
	}
	return p
}

func (p *shortCodes) setBits(greatest uint64) {
	p.bits = bits.Len64(greatest)
	p.last = 1<<p.bits - 1
}

// newRankCodes makes codes from the order of words, except those in skip. It frees words and
// skip.
func newRankCodes(ctx *op.Ctx, acct *mem.Account, words *mem.Buffer[uint64], skip *mem.Buffer[bool]) (p *shortCodes, err error) {
	p = &shortCodes{}
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

// of returns the code of a word.
func (p *shortCodes) of(w uint64) uint64 {
	switch {
	case p.ranks != nil:
		return uint64(p.ranks.UpTo(w))
	case w < p.least:
		return 0
	}
	return min(w-p.least, p.span) + 1
}

// prefix replaces each word by its code, preceded by the number of its group.
func (p *shortCodes) prefix(groups, words []uint64) {
	if p.ranks != nil {
		for i, g := range groups {
			words[i] = g<<p.bits | uint64(p.ranks.UpTo(words[i]))
		}
		return
	}
	shift, least, span := p.bits&63, p.least, p.span
	for i, g := range groups {
		w := words[i]
		code := min(w-least, span) + 1
		if w < least {
			code = 0
		}
		words[i] = g<<shift | code
	}
}

// Free releases the memory.
func (p *shortCodes) Free() {
	p.ranks.Free()
	p.order.Free()
}
