package groupjoin

import (
	"math"

	"gsql/exec/op"
	"gsql/exec/search"
	"gsql/internal/mem"
)

// cuts divide the words of an operand of the streamed side into cells, the elementary intervals of
// computational geometry (de Berg et al., "Computational Geometry", section 10.3): the windows of
// the probe side's rows begin and end at cuts, so that all words of a cell have the same partners,
// and a window is a run of cells. Cell i begins with the cut before it, and cell 0 holds the words
// below all cuts. With groups of equal keys, a cut consists of the group's number and the word's
// code, each group begins with a cut, and cell 0 is empty.
type cuts struct {
	words    []uint64    // distinct and ascending
	codes    *shortCodes // nil without groups: cuts are words
	cells    int
	from, to []int32 // the run of cells of each row
	find     *search.Words
	held     mem.Buffers
}

func (c *cuts) free() {
	c.find.Free()
	c.held.Free()
}

const (
	// maxWindows is the greatest number of windows for which cells can be numbered: there are up
	// to two cells per window, and one more per group.
	maxWindows = math.MaxInt32 / 3
	// bucketsPerCut is the average number of buckets of the table per cut if cells are looked up
	// without groups. cacheBuckets is the least number of buckets, if the words' range allows it.
	bucketsPerCut = 4
	cacheBuckets  = 1 << 12
)

// newCuts divides the words at the ends of the windows of rows. It takes over the memory of the
// ends, even on error.
func newCuts(ctx *op.Ctx, acct *mem.Account, e *ends) (c *cuts, err error) {
	c = &cuts{codes: e.codes, from: e.from, to: e.to, held: e.held}
	defer func() {
		e.order.Free()
		if err != nil {
			c.free()
		}
	}()
	if c.words, err = allocIn[uint64](&c.held, acct, e.distinct()); err != nil {
		return c, err
	}
	c.words = c.words[:0]
	for i := 0; i < len(e.order.Codes); {
		if i, err = c.enter(ctx, e, i); err != nil {
			return c, err
		}
	}
	c.cells = len(c.words) + 1
	if c.codes == nil {
		c.closeOpen()
	}
	buckets := len(c.words)
	if c.codes == nil {
		buckets *= bucketsPerCut
	}
	c.find, err = search.New(acct, c.words, max(buckets, cacheBuckets))
	return c, err
}

// enter adds the cuts of the group whose ends begin at i, and assigns cells to the rows with
// these ends. It returns where the next group begins.
func (c *cuts) enter(ctx *op.Ctx, e *ends, i int) (next int, err error) {
	words, rows := e.order.Codes, e.order.Rows
	first, group := int32(0), e.groupOf(words[i])
	if c.codes != nil {
		if start := group << c.codes.bits; words[i] != start {
			c.words = append(c.words, start)
			first = int32(len(c.words))
		} else {
			first = int32(len(c.words)) + 1
		}
	}
	for next = i; next < len(words) && e.groupOf(words[next]) == group; next++ {
		if err := look(ctx, next); err != nil {
			return next, err
		}
		if w := words[next]; next == i || w != words[next-1] {
			c.words = append(c.words, w)
		}
		cell, row := int32(len(c.words)), rows[next]
		switch n := int32(len(c.from)); {
		case e.begin && row < n:
			c.from[row] = cell
		case e.begin:
			c.to[row-n] = cell
		default:
			c.from[row], c.to[row] = first, cell
		}
	}
	if !e.end {
		last := int32(len(c.words)) + 1
		for _, row := range rows[i:next] {
			c.to[row] = last
		}
	}
	return next, nil
}

// cellsOf writes the cells of words, which are preceded by the numbers of the rows' groups if
// there are groups. Words of groups without a cut get the cell none.
func (c *cuts) cellsOf(words []uint64, none int32, at []int32) {
	search.AllUpTo(c.find, words, 0, at)
	if c.codes == nil {
		return
	}
	shift := c.codes.bits & 63
	for i, w := range words {
		if k := at[i]; k == 0 || c.words[k-1]>>shift != w>>shift {
			at[i] = none
		}
	}
}

// toEnd is the end of a window without groups that is open above.
const toEnd = -1

// closeOpen ends the windows that are open above.
func (c *cuts) closeOpen() {
	for i, to := range c.to {
		if to == toEnd {
			c.to[i] = int32(c.cells)
		}
	}
}
