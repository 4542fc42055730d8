package theta

import (
	"gsql/exec/join/merge"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/expr"
)

// sweep is IEJoin, described in the package documentation. Each worker sweeps ascending stretches
// with its own bitmap or tree.
type sweep struct {
	by         int      // the comparison X
	suffix     bool     // X's window is open upwards: inner rows enter in descending order
	descending bool     // outer rows come in descending order of words
	words      []uint64 // X's words of the inner side, ascending
	at         []int32  // their positions in the inner order
	treed      int      // the comparison Z; none for a bitmap
	falls      bool     // Z's window is open downwards: words are complemented
	treeWords  []uint64 // Z's words of the inner side, in the order of at
}

// oneSided reports whether the windows of an operator are bounded on one side only.
func oneSided(op expr.FuncID) bool { return op != expr.FuncEQ && op != expr.FuncNE }

func upwards(op expr.FuncID) bool { return op == expr.FuncLT || op == expr.FuncLE }

// newSweep makes a sweep by comparison x with a tree by z, or without a tree if z is none. The
// right side is the inner one.
func newSweep(ops []expr.FuncID, x, z int) *sweep {
	suffix := upwards(ops[x])
	return &sweep{by: x, suffix: suffix, descending: suffix, treed: z, falls: z != none && !upwards(ops[z])}
}

// prepare sorts the inner side by X.
func (s *sweep) prepare(m *RangePairer) error {
	side := m.innerSide()
	x, err := m.sortRows(side.words[s.by], side)
	if err != nil {
		return err
	}
	position, err := mem.Alloc[int32](m.acct, side.rows)
	if err != nil {
		return err
	}
	defer position.Free()
	err = op.EachShare(m.ctx, len(m.inner.rows), func(from, to int) {
		for i, r := range m.inner.rows[from:to] {
			position.S[r] = int32(from + i)
		}
	})
	if err != nil {
		return err
	}
	s.words, s.at = x.Codes, x.Rows
	if s.treed != none {
		if err := s.arrangeTree(m, side.words[s.treed]); err != nil {
			return err
		}
	}
	return op.EachShare(m.ctx, len(s.at), func(from, to int) {
		for i, r := range s.at[from:to] {
			s.at[from+i] = position.S[r]
		}
	})
}

// arrangeTree computes treeWords from the inner side's words by row. It is called while at still
// holds rows.
func (s *sweep) arrangeTree(m *RangePairer, words []uint64) error {
	w, err := merge.Arrange(m.ctx, m.acct, words, s.at)
	if err != nil {
		return err
	}
	m.hold(w)
	s.treeWords = w.S
	for i, x := range w.S {
		s.treeWords[i] = s.treeWord(x)
	}
	return nil
}

// treeWord returns a word as stored in the tree. Zero stands for rows that have not entered, so
// the two least words are not distinguished.
func (s *sweep) treeWord(x uint64) uint64 {
	if s.falls {
		x = ^x
	}
	return max(x, 1)
}

// worker makes the state of one sweeping goroutine.
func (s *sweep) worker(m *RangePairer) (candidates, error) {
	w := &sweepWorker{m: m, s: s}
	if s.treed != none {
		tree, buf, err := newReach(m.acct, nil, len(m.inner.rows), false)
		if err != nil {
			return nil, err
		}
		m.hold(buf)
		w.tree = tree
		return w, nil
	}
	b, err := newBitmap(m.acct, len(m.inner.rows))
	if err != nil {
		return nil, err
	}
	m.hold(b.buf)
	w.bits = b
	return w, nil
}

type sweepWorker struct {
	m       *RangePairer
	s       *sweep
	bits    *bitmap
	tree    *reach // instead of bits
	least   uint64 // the least word of the tree that passes
	entered int    // number of inner rows entered
	at, to  int    // inner positions to examine
}

func (w *sweepWorker) begin(i, from, to int) bool {
	x, ok := windowOf(w.m.ops[w.s.by], w.m.outer.words[w.s.by][i])
	if !ok {
		return false
	}
	w.enter(x)
	if w.tree != nil {
		z, ok := windowOf(w.m.ops[w.s.treed], w.m.outer.words[w.s.treed][i])
		if !ok {
			return false
		}
		if w.least = w.s.treeWord(z.lo); w.s.falls {
			w.least = w.s.treeWord(z.hi)
		}
	}
	w.at, w.to = from, to
	return true
}

// enter enters the inner rows that satisfy X for the current outer row.
func (w *sweepWorker) enter(x window) {
	n := len(w.s.words)
	if w.s.suffix {
		for ; w.entered < n && w.s.words[n-1-w.entered] >= x.lo; w.entered++ {
			w.add(n - 1 - w.entered)
		}
		return
	}
	for ; w.entered < n && w.s.words[w.entered] <= x.hi; w.entered++ {
		w.add(w.entered)
	}
}

// add enters the inner row at position i in the order of X.
func (w *sweepWorker) add(i int) {
	if w.tree != nil {
		w.tree.raise(w.s.at[i], w.s.treeWords[i])
	} else {
		w.bits.set(int(w.s.at[i]))
	}
}

func (w *sweepWorker) fill(dst []int32) int {
	for i := range dst {
		at := w.next()
		if at < 0 || at >= w.to {
			return i
		}
		dst[i] = int32(at)
		w.at = at + 1
	}
	return len(dst)
}

// next returns the first candidate position from at on. A result outside the window means that
// there is none.
func (w *sweepWorker) next() int {
	if w.tree != nil {
		return int(w.tree.next(int32(w.at), int32(w.to), w.least))
	}
	return w.bits.next(w.at)
}
