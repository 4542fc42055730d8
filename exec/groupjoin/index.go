package groupjoin

import (
	"gsql/exec/join/merge"
	"gsql/exec/keyenc/rank"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// index is the indexed side: its rows that can have partners, ordered by group and by the words of a
// test. The partners of a row of the probe side are one or two windows of positions, or the positions
// of a window that a sweep has entered so far.
type index struct {
	rows   []int32 // position -> collected row
	groups *grouping
	tests  []test
	first  int         // the test that orders the positions
	by     *ordering   // of positions
	second []uint64    // the other test's words in the order of positions, preceded by groups as in by
	codes  *shortCodes // of second
	falls  bool        // second descends within groups
	sweep  *sweep      // nil if both tests are windows of positions
	held   mem.Buffers
}

// allocIn makes a buffer that h frees.
func allocIn[T any](h *mem.Buffers, acct *mem.Account, n int) ([]T, error) {
	b, err := mem.Alloc[T](acct, n)
	if err != nil {
		return nil, err
	}
	h.Add(b)
	return b.S, nil
}

func (x *index) free() {
	x.groups.Free()
	x.by.free()
	x.sweep.free()
	x.held.Free()
	x.groups, x.by, x.sweep = nil, nil, nil
}

// source holds the collected columns of the indexed side.
type source struct {
	rows     int
	keys     []*vec.Vector
	operands []*vec.Vector // by test
	values   []*vec.Vector // by aggregate argument
}

// coded holds the words of rows by test, until they are sorted.
type coded struct {
	words []*mem.Buffer[uint64]
	codes []*shortCodes
	skip  *mem.Buffer[bool] // rows without partners
}

// take returns the words and codes of test t; the caller frees them.
func (c *coded) take(t int) (*mem.Buffer[uint64], *shortCodes) {
	words, codes := c.words[t], c.codes[t]
	c.words[t], c.codes[t] = nil, nil
	return words, codes
}

func (c *coded) free() {
	c.skip.Free()
	for i, w := range c.words {
		w.Free()
		if c.codes[i] != nil {
			c.codes[i].Free()
		}
	}
}

// newIndex orders the collected rows and gives the tests their encoders.
func newIndex(ctx *op.Ctx, acct *mem.Account, src *source, nullSafe []bool, tests []test) (x *index, err error) {
	x = &index{tests: tests}
	c := &coded{words: make([]*mem.Buffer[uint64], len(tests)), codes: make([]*shortCodes, len(tests))}
	defer func() {
		c.free()
		if err != nil {
			x.free()
		}
	}()
	if err := x.encode(ctx, acct, src, nullSafe, c); err != nil {
		return x, err
	}
	if len(tests) == 2 {
		return x, x.orderByTwo(ctx, acct, c)
	}
	words, codes := c.take(0)
	skip := c.skip
	c.skip = nil
	if x.by, err = newOrdering(ctx, acct, codes, words, skip); err != nil {
		return x, err
	}
	x.rows = x.by.order.Rows
	return x, x.by.prepare(acct)
}

// encode computes the words of the tests' operands by row, preceded by groups if there are keys.
func (x *index) encode(ctx *op.Ctx, acct *mem.Account, src *source, nullSafe []bool, c *coded) (err error) {
	if c.skip, err = mem.Alloc[bool](acct, src.rows); err != nil {
		return err
	}
	skip := c.skip.S
	for i, v := range src.operands {
		t := &x.tests[i]
		if t.encoder, err = rank.NewEncoder(ctx, acct, v); err != nil {
			return err
		}
		if c.words[i], err = mem.Alloc[uint64](acct, src.rows); err != nil {
			return err
		}
		words := c.words[i].S
		if err := inBlocks(ctx, src.rows, func() func(from, to int) {
			return func(from, to int) { t.encoder.Encode(words[from:to], v.Slice(from, to), skip[from:to]) }
		}); err != nil {
			return err
		}
	}
	if len(src.keys) == 0 {
		return nil
	}
	numbers, err := mem.Alloc[uint64](acct, src.rows)
	if err != nil {
		return err
	}
	defer numbers.Free()
	if x.groups, err = newGrouping(ctx, acct, src.keys, nullSafe, numbers.S, skip); err != nil {
		return err
	}
	for i := range c.words {
		if c.codes[i], err = shortenAll(ctx, acct, numbers.S, c.words[i].S, skip, x.groups.bits); err != nil {
			return err
		}
	}
	return nil
}

// orderByTwo orders the rows by both tests and decides how they are evaluated. The rows are ordered by
// the second test first; sorting these positions by the first test yields the order in which a sweep
// enters them.
func (x *index) orderByTwo(ctx *op.Ctx, acct *mem.Account, c *coded) error {
	if below, above := x.tests[0].bounded(); below && above {
		x.first = 1 // a sweep is along a test that is bounded on one side only
	}
	words, codes := c.take(1 - x.first)
	skip := c.skip
	c.skip = nil
	window, err := newOrdering(ctx, acct, codes, words, skip)
	if err != nil {
		return err
	}
	byRow, codes := c.take(x.first)
	defer byRow.Free()
	arranged, err := merge.Arrange(ctx, acct, byRow.S, window.order.Rows)
	if err != nil {
		window.free()
		return err
	}
	entering, err := newOrdering(ctx, acct, codes, arranged, nil)
	if err != nil {
		window.free()
		return err
	}
	if !x.monotone(entering, window) {
		x.sweepAlong(entering, window)
	} else if err := x.arrange(acct, entering, window); err != nil {
		return err
	}
	return x.by.prepare(acct)
}

// arrange uses the order of entering for the positions. It takes over both orders.
func (x *index) arrange(acct *mem.Account, entering, window *ordering) (err error) {
	defer window.order.Free()
	x.by, x.codes = entering, window.codes
	x.held = append(x.held, window.held...)
	at := x.by.order.Rows
	if x.rows, err = allocIn[int32](&x.held, acct, len(at)); err != nil {
		return err
	}
	if x.second, err = allocIn[uint64](&x.held, acct, len(at)); err != nil {
		return err
	}
	for k, p := range at {
		x.rows[k], x.second[k] = window.order.Rows[p], window.order.Codes[p]
	}
	return nil
}

// monotone reports whether the words of window ascend or descend with the order of entering
// within every group, and records which. If so, both tests together are one window. This is the
// case for bands seen from their centres and for intervals that do not overlap.
func (x *index) monotone(entering, window *ordering) bool {
	for _, falls := range []bool{false, true} {
		if monotone(entering, window, falls) {
			x.falls = falls
			return true
		}
	}
	return false
}

func monotone(entering, window *ordering, falls bool) bool {
	words, last := entering.order.Codes, uint64(0)
	for k, p := range entering.order.Rows {
		w := window.order.Codes[p]
		if k > 0 && (falls && w > last || !falls && w < last) && entering.groupOf(words[k]) == entering.groupOf(words[k-1]) {
			return false
		}
		last = w
	}
	return true
}
