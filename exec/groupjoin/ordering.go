package groupjoin

import (
	"math"
	"sync"

	"gsql/exec/join/merge"
	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/exec/search"
	"gsql/internal/mem"
)

// ordering is an order of rows by group, if there are keys, and by words.
type ordering struct {
	codes *shortCodes // of the words; nil without keys
	order *merge.Order
	find  *search.Words // nil before prepare
	held  mem.Buffers
}

// newOrdering sorts words, which are preceded by the numbers of groups if there are codes, and
// frees them and skip. It takes over codes, even on error.
func newOrdering(ctx *op.Ctx, acct *mem.Account, p *shortCodes, words *mem.Buffer[uint64], skip *mem.Buffer[bool]) (s *ordering, err error) {
	s = &ordering{codes: p}
	if p != nil {
		s.held.Add(p)
	}
	if s.order, err = merge.Sort(ctx, acct, &keyenc.Codes{Words: words, Skip: skip}); err != nil {
		s.free()
		return nil, err
	}
	return s, nil
}

// prepare makes the table for looking up words.
func (s *ordering) prepare(acct *mem.Account) (err error) {
	s.find, err = newWords(acct, s.order.Codes)
	return err
}

func (s *ordering) free() {
	if s != nil {
		s.find.Free()
		s.order.Free()
		s.held.Free()
	}
}

// groupOf returns the number of the group of a word.
func (s *ordering) groupOf(w uint64) uint64 {
	if s.codes == nil {
		return 0
	}
	return w >> s.codes.bits
}

// shortenAll makes codes for the words of rows that are not in skip, and writes them to words
// after the numbers of the rows' groups.
func shortenAll(ctx *op.Ctx, acct *mem.Account, numbers, words []uint64, skip []bool, groupBits int) (*shortCodes, error) {
	var mu sync.Mutex
	least, greatest := uint64(math.MaxUint64), uint64(0)
	err := inBlocks(ctx, len(words), func() func(from, to int) {
		return func(from, to int) {
			a, b := uint64(math.MaxUint64), uint64(0)
			for i, w := range words[from:to] {
				if !skip[from+i] {
					a, b = min(a, w), max(b, w)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			least, greatest = min(least, a), max(greatest, b)
		}
	})
	if err != nil {
		return nil, err
	}
	p := newShortCodes(least, greatest, 64-groupBits)
	if p == nil {
		if p, err = rankAll(ctx, acct, words, skip); err != nil {
			return nil, err
		}
	}
	return p, inBlocks(ctx, len(words), func() func(from, to int) {
		return func(from, to int) { p.prefix(numbers[from:to], words[from:to]) }
	})
}

// rankAll makes codes from the order of words.
func rankAll(ctx *op.Ctx, acct *mem.Account, words []uint64, skip []bool) (*shortCodes, error) {
	known, err := mem.Alloc[uint64](acct, len(words))
	if err != nil {
		return nil, err
	}
	left, err := mem.Alloc[bool](acct, len(words))
	if err != nil {
		known.Free()
		return nil, err
	}
	copy(known.S, words)
	copy(left.S, skip)
	return newRankCodes(ctx, acct, known, left)
}
