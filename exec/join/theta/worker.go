package theta

import (
	"gsql/exec/join/match"
	"gsql/exec/keyenc"
)

// candidates returns the inner positions to examine, one outer row at a time.
type candidates interface {
	// begin starts on the driver at position i of the order of work, whose candidates lie in the
	// non-empty range [from, to). It returns false if there are none.
	begin(i, from, to int) bool
	// fill writes positions to dst. It writes fewer than fit only at the end.
	fill(dst []int32) int
}

// rangeWorker compares the outer rows of pieces with the inner side.
type rangeWorker struct {
	m       *RangePairer
	from    candidates
	piece   rangePiece // the remainder of the current piece
	active  bool
	last    bool // the current driver has no further candidates
	windows []window
	block   windowBlock
	found   [tile]int32
	look    int     // number of candidates to fetch at once
	rest    []int32 // inner rows found that did not fit in the output
	out     match.Pairs
}

// Worker implements Pairer.
func (m *RangePairer) Worker() match.PairWorker {
	w := &rangeWorker{m: m, windows: make([]window, len(m.predicates)), block: newWindowBlock(m), from: &windowSearch{}, look: tile}
	if m.sweep != nil { // the first call of Next makes all sweeps but the first
		m.mu.Lock()
		w.from, m.sweeping = m.sweeping, nil
		m.mu.Unlock()
	}
	return w
}

// Next implements PairWorker. It returns after a bounded number of steps even without pairs, so
// that its caller can check for cancellation.
func (w *rangeWorker) Next(limit int) (match.Pairs, bool, error) {
	w.out.Probe, w.out.Build = w.out.Probe[:0], w.out.Build[:0]
	if w.from == nil {
		var err error
		if w.from, err = w.m.sweep.worker(w.m); err != nil {
			return match.Pairs{}, false, err
		}
	}
	for steps := 0; len(w.out.Probe) < limit && steps < 1<<12; steps++ {
		if !w.active {
			more, err := w.advance()
			if err != nil {
				return match.Pairs{}, false, err
			}
			if !more {
				p := w.pairs()
				return p, true, nil
			}
			continue
		}
		if len(w.rest) == 0 && !w.last {
			w.rest = w.test()
		}
		w.emit(limit - len(w.out.Probe))
		w.active = len(w.rest) > 0 || !w.last
	}
	return w.pairs(), false, w.m.ctx.Err()
}

// pairs returns the output as left and right rows.
func (w *rangeWorker) pairs() match.Pairs {
	p := w.out
	if w.m.swapped {
		p.Probe, p.Build = p.Build, p.Probe
	}
	if !w.m.exact {
		n := keyenc.KeepEqual(w.m.leftKeys, w.m.rightKeys, p.Probe, p.Build)
		p.Probe, p.Build = p.Probe[:n], p.Build[:n]
	}
	return p
}

// advance moves to the next driver with candidates; more is false at the end.
func (w *rangeWorker) advance() (more bool, err error) {
	for {
		i := w.m.position(w.piece.at)
		from, to, some := w.m.work.step(&w.piece, i)
		if !some {
			if err := w.m.ctx.Err(); err != nil {
				return false, err
			}
			if w.piece, more = w.m.work.take(); !more {
				return false, nil
			}
			continue
		}
		if from < to && w.computeWindows(i) && w.from.begin(i, from, to) {
			w.active, w.last, w.rest = true, false, nil
			if w.m.Once { // the first candidate is likely to pass
				w.look = 1
			}
			return true, nil
		}
	}
}

// position returns the position in the order of work of the driver number i to be processed.
func (m *RangePairer) position(i int) int {
	if m.sweep != nil && m.sweep.descending {
		return len(m.drivers) - 1 - i
	}
	return i
}

// windowRows is the number of drivers whose windows are computed at a time.
const windowRows = 256

// windowBlock holds the windows of consecutive drivers in the order of work.
type windowBlock struct {
	start int // -1 if empty
	words [][]uint64
	tests []windows
}

func newWindowBlock(m *RangePairer) windowBlock {
	b := windowBlock{start: -1, words: make([][]uint64, len(m.Comparisons)), tests: make([]windows, len(m.predicates))}
	for i := range b.tests {
		b.tests[i] = windows{make([]uint64, windowRows), make([]uint64, windowRows)}
	}
	return b
}

// load moves to the drivers from start on and returns their number.
func (b *windowBlock) load(m *RangePairer, start int) int {
	b.start = start
	n := min(windowRows, len(m.drivers)-start)
	for i, words := range m.outer.words {
		b.words[i] = words[start : start+n]
	}
	return n
}

// compute computes the windows of a predicate.
func (b *windowBlock) compute(m *RangePairer, test int) {
	w, n := &b.tests[test], len(b.words[0])
	w.lo, w.hi = w.lo[:n], w.hi[:n]
	m.predicates[test].windows(m.ops, b.words, w)
}

// computeWindows computes the windows of the driver at position i, except those of the first
// predicate, whose positions are known. It returns false if nothing passes a predicate.
func (w *rangeWorker) computeWindows(i int) bool {
	if len(w.windows) == 1 {
		return true
	}
	b := &w.block
	if i < b.start || b.start < 0 || i >= b.start+windowRows {
		b.load(w.m, i-i%windowRows)
		for t := 1; t < len(b.tests); t++ {
			b.compute(w.m, t)
		}
	}
	i -= b.start
	for t := 1; t < len(b.tests); t++ {
		v := window{b.tests[t].lo[i], b.tests[t].hi[i]}
		if v.lo > v.hi {
			return false
		}
		w.windows[t] = v
	}
	return true
}

// test returns the inner rows among the next candidates that pass the other predicates.
func (w *rangeWorker) test() []int32 {
	n := w.from.fill(w.found[:w.look])
	w.last = n < w.look
	w.look = min(4*w.look, tile)
	for i := 1; i < len(w.m.predicates); i++ { // candidates have passed the first one
		n = keepInside(w.found[:n], w.m.inner.words[i], w.windows[i], w.m.predicates[i].negate)
	}
	found := w.found[:n]
	for i, at := range found {
		found[i] = w.m.inner.rows[at]
	}
	return found
}

// emit moves up to limit of the rows found to the output.
func (w *rangeWorker) emit(limit int) {
	k := min(len(w.rest), limit)
	if w.m.Once && k > 0 {
		k, w.last = 1, true
	}
	w.out.Build = append(w.out.Build, w.rest[:k]...)
	row := w.m.drivers[w.m.position(w.piece.at-1)]
	for range k {
		w.out.Probe = append(w.out.Probe, row)
	}
	w.rest = w.rest[k:]
	if w.m.Once && k > 0 {
		w.rest = nil
	}
}

// windowSearch returns all positions inside the first predicate's window.
type windowSearch struct{ from, to int }

func (s *windowSearch) begin(_, from, to int) bool {
	s.from, s.to = from, to
	return true
}

func (s *windowSearch) fill(dst []int32) int {
	n := min(len(dst), s.to-s.from)
	for i := range dst[:n] {
		dst[i] = int32(s.from + i)
	}
	s.from += n
	return n
}
