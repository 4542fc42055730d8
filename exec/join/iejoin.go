package join

import (
	"gsql/internal/mem"
)

// sweep is IEJoin (Khayyat et al., "Lightning Fast and Space Efficient Inequality
// Joins", VLDB 2015): outer rows are handled in the order of one comparison (X), so
// that the inner rows that fulfil it only grow; they are entered into a bitmap by their
// position in the order of the other test's operand (Y), the inner order, and an outer
// row's partners are the bits inside its window there. Instead of the paper's bit
// array scanned word by word we keep summaries of it, so that the cost follows the
// output. Each worker sweeps ascending stretches with a bitmap of its own.
type sweep struct {
	key        int      // the comparison X
	suffix     bool     // X's window is open upwards: inner rows enter from the greatest on
	descending bool     // outer rows come by descending word
	words      []uint64 // X's words of the inner side, ascending
	at         []int32  // their positions in the inner order
}

// chooseSweep prepares a sweep if there are two tests for it: X with a single
// comparison that is no equality, and Y any other without negation. Y becomes the
// first test, X the second; the right side is the inner one.
func (m *rangePairer) chooseSweep() {
	ops, all := orient(m.cs, false)
	x, y := -1, -1
	for i, t := range all {
		if x < 0 && len(t.on) == 1 && !t.negate && ops[t.key] != "=" {
			x = i
		} else if y < 0 && !t.negate {
			y = i
		}
	}
	if x < 0 || y < 0 {
		return
	}
	tests := []test{all[y], all[x]}
	for i, t := range all {
		if i != x && i != y {
			tests = append(tests, t)
		}
	}
	m.use(false, ops, tests, 0)
	key := tests[1].key
	suffix := m.ops[key] == "<" || m.ops[key] == "<="
	m.sweep = &sweep{key: key, suffix: suffix, descending: suffix}
}

// prepare sorts the inner side by X.
func (s *sweep) prepare(m *rangePairer) error {
	side := m.innerSide()
	x, err := m.sortRows(side.words[s.key], side)
	if err != nil {
		return err
	}
	position, err := mem.Alloc[int32](m.acct, side.rows)
	if err != nil {
		return err
	}
	defer position.Free()
	for i, r := range m.inner.rows {
		position.S[r] = int32(i)
	}
	s.words, s.at = x.codes, x.rows
	for i, r := range s.at {
		s.at[i] = position.S[r]
	}
	m.stretch = stretchOf(m.ctx, len(m.drivers))
	return nil
}

// worker gives the state of one sweeping goroutine.
func (s *sweep) worker(m *rangePairer) (candidates, error) {
	b, err := newBitmap(m.acct, len(m.inner.rows))
	if err != nil {
		return nil, err
	}
	m.hold(b.buf)
	return &sweepWorker{m: m, s: s, bits: b}, nil
}

type sweepWorker struct {
	m       *rangePairer
	s       *sweep
	bits    *bitmap
	entered int // inner rows in the bitmap, in the order of entering
	at, to  int // inner positions to look at
}

func (w *sweepWorker) begin(_ int, windows []window, from, to int) bool {
	w.enter(windows[1])
	w.at, w.to = from, to
	return from < to
}

// enter enters the inner rows that fulfil X now.
func (w *sweepWorker) enter(x window) {
	n := len(w.s.words)
	if w.s.suffix {
		for ; w.entered < n && w.s.words[n-1-w.entered] >= x.lo; w.entered++ {
			w.bits.set(int(w.s.at[n-1-w.entered]))
		}
		return
	}
	for ; w.entered < n && w.s.words[w.entered] <= x.hi; w.entered++ {
		w.bits.set(int(w.s.at[w.entered]))
	}
}

func (w *sweepWorker) fill(dst []int32) int {
	for i := range dst {
		at := w.bits.next(w.at)
		if at < 0 || at >= w.to {
			return i
		}
		dst[i] = int32(at)
		w.at = at + 1
	}
	return len(dst)
}
