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
	words    []uint64 // distinct and ascending in each group; the first words of cells
	start    []int32  // group g has the cuts [start[g], start[g+1])
	cells    int
	from, to []int32       // the run of cells of each row
	find     *search.Words // where there is a single group
	held     holdings
}

func (c *cuts) free() {
	c.find.Free()
	c.held.free()
}

// newCuts divides the words by the windows of rows: that of row i, of group[i], nil for a
// single one of groups, begins with lo[i] and ends with hi[i], unless lo[i] is above.
func newCuts(ctx *op.Ctx, acct *mem.Account, lo, hi []uint64, group []uint64, groups int) (c *cuts, err error) {
	if len(lo) > maxWindows {
		return nil, sqlerr.New(sqlerr.OutOfMemory, "Out of memory; a group join holds %d rows of one input, and numbers %d at most", len(lo), maxWindows)
	}
	c = &cuts{}
	defer func() {
		if err != nil {
			c.free()
		}
	}()
	for _, dst := range []*[]int32{&c.from, &c.to} {
		if *dst, err = allocIn[int32](&c.held, acct, len(lo)); err != nil {
			return c, err
		}
	}
	e := &ends{}
	defer e.held.free()
	if err = e.gather(acct, lo, hi, group); err != nil {
		return c, err
	}
	if err = e.sort(ctx, acct); err != nil {
		return c, err
	}
	if err = c.number(acct, e, groups); err != nil {
		return c, err
	}
	c.complete(lo, hi, group)
	if groups == 1 {
		c.find, err = search.New(acct, c.words, max(bucketsPerCut*len(c.words), cacheBuckets))
	}
	return c, err
}

// maxWindows is of how many windows the cells, twice as many and one more a group, have
// numbers.
const maxWindows = math.MaxInt32 / 3

// ends are the words at which windows begin, or have ended, but for the least word and what
// is above the greatest.
type ends struct {
	words  []uint64 // sorted by group and word in the end
	groups []uint64 // of words; nil for a single one
	of     []int32  // of words, twice their row, plus one where its window ends
	held   holdings
}

// gather fills e in the order of rows.
func (e *ends) gather(acct *mem.Account, lo, hi, group []uint64) error {
	n := 0
	for i := range lo {
		if lo[i] <= hi[i] {
			n += one(lo[i] > 0) + one(hi[i] < math.MaxUint64)
		}
	}
	words, err := mem.Alloc[uint64](acct, n)
	if err != nil {
		return err
	}
	e.held.add(words)
	of, err := mem.Alloc[int32](acct, n)
	if err != nil {
		return err
	}
	e.held.add(of)
	e.words, e.of = words.S[:0], of.S[:0]
	for i := range lo {
		if lo[i] <= hi[i] && lo[i] > 0 {
			e.words, e.of = append(e.words, lo[i]), append(e.of, int32(2*i))
		}
		if lo[i] <= hi[i] && hi[i] < math.MaxUint64 {
			e.words, e.of = append(e.words, hi[i]+1), append(e.of, int32(2*i+1))
		}
	}
	if group == nil {
		return nil
	}
	groups, err := mem.Alloc[uint64](acct, n)
	if err != nil {
		return err
	}
	e.held.add(groups)
	e.groups = groups.S
	for k, of := range e.of {
		e.groups[k] = group[of/2]
	}
	return nil
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sort sorts by group and word: by word first, then stably by group.
func (e *ends) sort(ctx *op.Ctx, acct *mem.Account) error {
	if err := e.sortBy(ctx, acct, &e.words, &e.groups); err != nil || e.groups == nil {
		return err
	}
	return e.sortBy(ctx, acct, &e.groups, &e.words)
}

// sortBy sorts e by one of its lists; other is the other one.
func (e *ends) sortBy(ctx *op.Ctx, acct *mem.Account, by, other *[]uint64) error {
	words, err := mem.Alloc[uint64](acct, len(*by))
	if err != nil {
		return err
	}
	copy(words.S, *by)
	order, err := join.SortWords(ctx, acct, words, nil)
	if err != nil {
		return err
	}
	e.held.add(order)
	*by = order.Words
	of, err := mem.Alloc[int32](acct, len(order.Rows))
	if err != nil {
		return err
	}
	e.held.add(of)
	for k, r := range order.Rows {
		of.S[k] = e.of[r]
	}
	e.of = of.S
	if *other == nil {
		return nil
	}
	sorted, err := mem.Alloc[uint64](acct, len(order.Rows))
	if err != nil {
		return err
	}
	e.held.add(sorted)
	for k, r := range order.Rows {
		sorted.S[k] = (*other)[r]
	}
	*other = sorted.S
	return nil
}

// number keeps the distinct words of each group, and notes the cells that begin with them.
func (c *cuts) number(acct *mem.Account, e *ends, groups int) (err error) {
	if c.words, err = allocIn[uint64](&c.held, acct, len(e.words)); err != nil {
		return err
	}
	if c.start, err = allocIn[int32](&c.held, acct, groups+1); err != nil {
		return err
	}
	c.words = c.words[:0]
	i := 0
	for g := range groups {
		from := len(c.words)
		c.start[g] = int32(from)
		for ; i < len(e.words) && (e.groups == nil || e.groups[i] == uint64(g)); i++ {
			if w := e.words[i]; len(c.words) == from || c.words[len(c.words)-1] != w {
				c.words = append(c.words, w)
			}
			cell := int32(g + len(c.words))
			if row := e.of[i] / 2; e.of[i]%2 == 0 {
				c.from[row] = cell
			} else {
				c.to[row] = cell
			}
		}
	}
	c.start[groups] = int32(len(c.words))
	c.cells = len(c.words) + groups
	return nil
}

// complete fills in the runs that begin or end with a group's cells.
func (c *cuts) complete(lo, hi, group []uint64) {
	for i := range lo {
		if lo[i] > hi[i] {
			continue
		}
		g := int32(0)
		if group != nil {
			g = int32(group[i])
		}
		if lo[i] == 0 {
			c.from[i] = g + c.start[g]
		}
		if hi[i] == math.MaxUint64 {
			c.to[i] = g + c.start[g+1] + 1
		}
	}
}

// cell gives the number of the cell of a word in group g.
func (c *cuts) cell(g int32, w uint64) int32 {
	return g + search.UpperBound(c.words, c.start[g], c.start[g+1], w)
}

// bucketsPerCut is how many buckets of the table a cut has, on average; cacheBuckets how
// many there are at least, where the words suffice.
const (
	bucketsPerCut = 4
	cacheBuckets  = 1 << 12
)
