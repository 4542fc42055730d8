package groupjoin

import (
	"gsql/exec/join"
	"gsql/exec/op"
	"gsql/exec/search"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// index is the indexed side: its rows that can have partners, ordered by group and by the
// words of the first test, so that the partners of a row of the probe side are a window of
// positions, or two, or those of a window that a sweep has entered so far.
type index struct {
	rows   []int32 // position -> collected row
	start  []int32 // group g has the positions [start[g], start[g+1])
	groups *directory
	tests  []test
	words  [][]uint64    // by test, in the order of positions
	find   *search.Words // of the first test, where there is a single group
	falls  bool          // the second test's words descend with the positions
	sweep  *sweep        // nil: both tests are windows of positions
	held   holdings
	sorted interface{ Free() } // holds rows
}

// holdings are buffers to free at the end.
type holdings []interface{ Free() }

func (h *holdings) add(b interface{ Free() }) { *h = append(*h, b) }

// allocIn makes a buffer that h frees.
func allocIn[T any](h *holdings, acct *mem.Account, n int) ([]T, error) {
	b, err := mem.Alloc[T](acct, n)
	if err != nil {
		return nil, err
	}
	h.add(b)
	return b.S, nil
}

func (h *holdings) free() {
	for _, b := range *h {
		b.Free()
	}
	*h = nil
}

func (x *index) free() {
	x.held.free()
	x.groups.free()
	x.find.Free()
	if x.sorted != nil {
		x.sorted.Free()
	}
	x.sweep.free()
	x.groups, x.find, x.sorted, x.sweep = nil, nil, nil, nil
}

// source are the collected columns of the indexed side.
type source struct {
	rows     int
	keys     []*vec.Vector
	operands []*vec.Vector // by test
	values   []*vec.Vector // by aggregate argument
}

// newIndex orders the collected rows; tests get their coders.
func newIndex(ctx *op.Ctx, acct *mem.Account, src *source, nullSafe []bool, tests []test) (x *index, err error) {
	x = &index{tests: tests}
	defer func() {
		if err != nil {
			x.free()
		}
	}()
	skip, err := mem.Alloc[bool](acct, src.rows)
	if err != nil {
		return x, err
	}
	defer skip.Free()
	skipUnequal(src.keys, nullSafe, skip.S)
	var held holdings
	defer held.free()
	words, err := x.encode(acct, src, skip.S, &held)
	if err != nil {
		return x, err
	}
	if err := x.order(ctx, acct, src, words, skip.S); err != nil {
		return x, err
	}
	return x, x.arrange(ctx, acct, words)
}

// encode gives the words of the tests' operands by row.
func (x *index) encode(acct *mem.Account, src *source, skip []bool, held *holdings) (words [][]uint64, err error) {
	for i, v := range src.operands {
		t := &x.tests[i]
		if t.coder, err = newCoder(acct, v); err != nil {
			return nil, err
		}
		w, err := mem.Alloc[uint64](acct, src.rows)
		if err != nil {
			return nil, err
		}
		held.add(w)
		t.coder.encode(w.S, v, skip)
		words = append(words, w.S)
	}
	return words, nil
}

// order sorts the rows by group, then by the words of the tests: the least significant
// first, as sorting is stable.
func (x *index) order(ctx *op.Ctx, acct *mem.Account, src *source, words [][]uint64, skip []bool) (err error) {
	if x.rows, err = x.kept(acct, skip); err != nil {
		return err
	}
	for i := len(words) - 1; i >= 0; i-- {
		if _, err := x.sortBy(ctx, acct, words[i]); err != nil {
			return err
		}
	}
	x.start = []int32{0, int32(len(x.rows))}
	if len(src.keys) == 0 {
		return nil
	}
	d, group, err := newDirectory(ctx, acct, src.keys, src.rows, skip)
	if err != nil {
		return err
	}
	defer group.Free()
	x.groups = d
	codes, err := x.sortBy(ctx, acct, group.S)
	if err != nil {
		return err
	}
	start, err := mem.Alloc[int32](acct, len(d.find.S)+1)
	if err != nil {
		return err
	}
	x.held.add(start)
	for at, g := range codes {
		start.S[g+1] = int32(at + 1)
	}
	x.start = start.S
	return nil
}

func (x *index) kept(acct *mem.Account, skip []bool) ([]int32, error) {
	rows, err := mem.Alloc[int32](acct, len(skip))
	if err != nil {
		return nil, err
	}
	x.sorted = rows
	out := rows.S[:0]
	for i, s := range skip {
		if !s {
			out = append(out, int32(i))
		}
	}
	return out, nil
}

// sortBy sorts the rows stably by words, which are by row, and gives the sorted words.
func (x *index) sortBy(ctx *op.Ctx, acct *mem.Account, words []uint64) ([]uint64, error) {
	codes, err := join.Arrange(acct, words, x.rows)
	if err != nil {
		return nil, err
	}
	o, err := join.SortWords(ctx, acct, codes, nil)
	if err != nil {
		return nil, err
	}
	for k, at := range o.Rows {
		o.Rows[k] = x.rows[at]
	}
	x.sorted.Free()
	x.rows, x.sorted = o.Rows, o
	return o.Words, nil
}

// arrange puts the words into the order of positions and decides how the tests are run.
func (x *index) arrange(ctx *op.Ctx, acct *mem.Account, words [][]uint64) error {
	if len(x.tests) == 2 && !x.monotone(words[1]) {
		return x.newSweep(ctx, acct, words)
	}
	for _, w := range words {
		if err := x.arrangeWords(acct, w); err != nil {
			return err
		}
	}
	if x.groups == nil && len(words) > 0 {
		var err error
		x.find, err = newWords(acct, x.words[0])
		return err
	}
	return nil
}

// newWords makes a table of a bucket a word.
func newWords(acct *mem.Account, words []uint64) (*search.Words, error) {
	return search.New(acct, words, len(words))
}

// arrangeWords adds words, which are by row, in the order of positions.
func (x *index) arrangeWords(acct *mem.Account, words []uint64) error {
	w, err := join.Arrange(acct, words, x.rows)
	if err != nil {
		return err
	}
	x.held.add(w)
	x.words = append(x.words, w.S)
	return nil
}

// monotone tells whether words, by row, ascend or descend with the positions of every
// group, and notes which: then both tests together are one window. This is so for bands
// seen from their centres and for intervals that do not overlap.
func (x *index) monotone(words []uint64) bool {
	for _, falls := range []bool{false, true} {
		if x.ordered(words, falls) {
			x.falls = falls
			return true
		}
	}
	return false
}

func (x *index) ordered(words []uint64, falls bool) bool {
	for g := range len(x.start) - 1 {
		for k := x.start[g] + 1; k < x.start[g+1]; k++ {
			if a, b := words[x.rows[k-1]], words[x.rows[k]]; falls && a < b || !falls && a > b {
				return false
			}
		}
	}
	return true
}
