package groupjoin

import (
	"math"

	"gsql/exec/join"
	"gsql/exec/op"
	"gsql/exec/search"
	"gsql/internal/mem"
	"gsql/sql/sqlerr"
)

// cuts divide the words of an operand of the streamed side into cells, the elementary
// intervals of computational geometry (de Berg et al., "Computational Geometry", section
// 10.3): the windows of the probe side's rows begin and end at cuts, so that all words of a
// cell have the same partners, and a window is a run of cells. Each group of equal keys has
// cuts of its own; the cells of group g begin with number start[g]+g.
type cuts struct {
	words []uint64 // distinct and ascending in each group; the first words of cells
	start []int32  // group g has the cuts [start[g], start[g+1])
	cells int
	find  *search.Words // where there is a single group
	held  holdings
}

func (c *cuts) free() {
	c.find.Free()
	c.held.free()
}

// newCuts gathers the ends of windows: row i of group[i], nil for a single one of groups,
// begins one at lo[i] and ends it with hi[i], unless lo[i] is above.
func newCuts(ctx *op.Ctx, acct *mem.Account, lo, hi []uint64, group []uint64, groups int) (c *cuts, err error) {
	c = &cuts{}
	defer func() {
		if err != nil {
			c.free()
		}
	}()
	ends, of, err := endsOf(acct, lo, hi, group)
	if err != nil {
		return c, err
	}
	words, numbers, free, err := sortEnds(ctx, acct, ends, of)
	if err != nil {
		return c, err
	}
	defer free()
	if c.cells = len(words) + groups; c.cells >= math.MaxInt32 {
		return c, sqlerr.New(sqlerr.OutOfMemory, "Out of memory; a group join of %d bounds", len(words))
	}
	if err = c.number(acct, words, numbers, groups); err != nil || groups != 1 {
		return c, err
	}
	c.find, err = search.New(acct, c.words, max(bucketsPerCut*len(c.words), cacheBuckets))
	return c, err
}

// endsOf gives the words at which cells begin, with their groups.
func endsOf(acct *mem.Account, lo, hi, group []uint64) (ends, of *mem.Buffer[uint64], err error) {
	n := 0
	for i := range lo {
		if lo[i] <= hi[i] {
			n += 2
		}
	}
	if ends, err = mem.Alloc[uint64](acct, n); err != nil {
		return nil, nil, err
	}
	if group != nil {
		if of, err = mem.Alloc[uint64](acct, n); err != nil {
			ends.Free()
			return nil, nil, err
		}
	}
	n = 0
	put := func(w uint64, i int) {
		ends.S[n] = w
		if of != nil {
			of.S[n] = group[i]
		}
		n++
	}
	for i := range lo {
		if lo[i] > hi[i] {
			continue
		}
		put(lo[i], i)
		if hi[i] != math.MaxUint64 {
			put(hi[i]+1, i)
		}
	}
	ends.S = ends.S[:n]
	if of != nil {
		of.S = of.S[:n]
	}
	return ends, of, nil
}

// sortEnds sorts by group and word, and frees its arguments. numbers is nil for a single
// group.
func sortEnds(ctx *op.Ctx, acct *mem.Account, ends, of *mem.Buffer[uint64]) (words, numbers []uint64, free func(), err error) {
	byWord, err := join.SortWords(ctx, acct, ends, nil)
	if err != nil || of == nil {
		of.Free()
		if err != nil {
			return nil, nil, nil, err
		}
		return byWord.Words, nil, byWord.Free, nil
	}
	defer of.Free()
	defer byWord.Free()
	groups, err := mem.Alloc[uint64](acct, len(byWord.Rows))
	if err != nil {
		return nil, nil, nil, err
	}
	for k, r := range byWord.Rows {
		groups.S[k] = of.S[r]
	}
	byGroup, err := join.SortWords(ctx, acct, groups, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	sorted, err := mem.Alloc[uint64](acct, len(byGroup.Rows))
	if err != nil {
		byGroup.Free()
		return nil, nil, nil, err
	}
	for k, r := range byGroup.Rows {
		sorted.S[k] = byWord.Words[r]
	}
	return sorted.S, byGroup.Words, func() { sorted.Free(); byGroup.Free() }, nil
}

// number keeps the distinct words of each group. Word 0 is no cut: nothing is below.
func (c *cuts) number(acct *mem.Account, words, numbers []uint64, groups int) error {
	kept, err := mem.Alloc[uint64](acct, len(words))
	if err != nil {
		return err
	}
	c.held.add(kept)
	start, err := mem.Alloc[int32](acct, groups+1)
	if err != nil {
		return err
	}
	c.held.add(start)
	c.start, c.words = start.S, kept.S[:0]
	of := func(i int) int {
		if numbers == nil {
			return 0
		}
		return int(numbers[i])
	}
	i := 0
	for g := range groups {
		from := len(c.words)
		c.start[g] = int32(from)
		for ; i < len(words) && of(i) == g; i++ {
			if w := words[i]; w > 0 && (len(c.words) == from || c.words[len(c.words)-1] != w) {
				c.words = append(c.words, w)
			}
		}
	}
	c.start[groups] = int32(len(c.words))
	c.cells = len(c.words) + groups
	return nil
}

// cell gives the number of the cell of a word in group g.
func (c *cuts) cell(g int32, w uint64) int32 {
	return g + search.UpperBound(c.words, c.start[g], c.start[g+1], w)
}

// window gives the run of cells [from, to) of the words lo to hi, both of them ends.
func (c *cuts) window(g int32, lo, hi uint64) (from, to int32) {
	return c.cell(g, lo), c.cell(g, hi) + 1
}

// bucketsPerCut is how many buckets of the table a cut has, on average; cacheBuckets how
// many there are at least, where the words suffice.
const (
	bucketsPerCut = 4
	cacheBuckets  = 1 << 12
)
