package theta

import (
	"math"
	"sort"
	"sync/atomic"

	"gsql/exec/op"
	"gsql/exec/search"
	"gsql/internal/mem"
)

// rangeWork divides the drivers of a range join into pieces, which workers take in order. If
// every candidate of a driver is examined, pieces have similar work, and a driver with many
// candidates spans several pieces; otherwise pieces have the same number of drivers.
type rangeWork struct {
	from, to []int32 // by driver: the inner positions in its window of the first predicate
	before   []int64 // by block of windowRows drivers: the work before it; nil if pieces count drivers
	total    int64
	piece    int64 // the work, or the number of drivers, in a piece
	next     atomic.Int64
}

// driverWork is the cost of a driver in addition to its candidates, in candidates.
const driverWork = 16

// leastPiece and mostPiece bound the work of a piece. Tests change them.
var leastPiece, mostPiece int64 = 1 << 14, 1 << 22

// rangePiece is the remainder of a piece: the drivers from at up to end, where work is the work
// before driver at. The piece covers the work from first to last.
type rangePiece struct {
	at, end           int
	work, first, last int64
}

// divide finds the inner positions in the first predicate's window of each driver, and divides
// the work.
func (m *RangePairer) divide() error {
	n := len(m.drivers)
	from, err := mem.Scratch[int32](m.acct, n)
	if err != nil {
		return err
	}
	m.hold(from)
	to, err := mem.Scratch[int32](m.acct, n)
	if err != nil {
		return err
	}
	m.hold(to)
	w := &m.work
	w.from, w.to = from.S, to.S
	blocks := (n + windowRows - 1) / windowRows
	before, err := mem.Alloc[int64](m.acct, blocks)
	if err != nil {
		return err
	}
	m.hold(before)
	workers := op.WorkersFor(m.ctx, n)
	err = op.Parallel(m.ctx, workers, func(worker int) error {
		b := newWindowBlock(m)
		first, end := op.Share(blocks, worker, workers)
		for k := first; k < end; k++ {
			if err := m.ctx.Err(); err != nil {
				return err
			}
			before.S[k] = m.locate(&b, k*windowRows)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for k, work := range before.S {
		before.S[k], w.total = w.total, w.total+work
	}
	if m.Once || m.sweep != nil || m.ctx.Workers <= 1 {
		w.total, w.piece = int64(n), int64(op.PieceRows(m.ctx, n))
		return nil
	}
	w.before = before.S
	w.piece = min(max(w.total/int64(8*m.ctx.Workers), leastPiece), mostPiece)
	return nil
}

// locate finds the inner positions of a block of drivers and returns their work.
func (m *RangePairer) locate(b *windowBlock, start int) (work int64) {
	n := b.load(m, start)
	b.compute(m, 0)
	from, to := m.work.from[start:start+n], m.work.to[start:start+n]
	lo, hi := b.tests[0].lo, b.tests[0].hi
	if m.inner.find != nil {
		search.AllBelow(m.inner.find, lo, from)
		search.AllUpTo(m.inner.find, hi, 0, to)
	} else {
		for i := range from {
			from[i], to[i] = m.places(m.outer.codes.Words.S[m.drivers[start+i]], window{lo[i], hi[i]})
		}
	}
	for i := range from {
		if lo[i] > hi[i] {
			from[i], to[i] = 0, 0
		}
		work += driverWork + int64(to[i]-from[i])
	}
	return work
}

// places returns the inner positions with the given code whose words of the first predicate are
// inside w.
func (m *RangePairer) places(code uint64, w window) (from, to int32) {
	lo, hi := bounds(m.inner.codes, window{code, code})
	a, b := bounds(m.inner.words[0][lo:hi], w)
	return int32(lo + a), int32(lo + b)
}

// take returns a piece that no worker has taken; ok is false if none remains.
func (w *rangeWork) take() (p rangePiece, ok bool) {
	first := (w.next.Add(1) - 1) * w.piece
	if first >= w.total {
		return p, false
	}
	last := min(first+w.piece, w.total)
	if w.before == nil {
		return rangePiece{at: int(first), end: int(last), last: math.MaxInt64}, true
	}
	p = rangePiece{end: len(w.from), first: first, last: last}
	k := sort.Search(len(w.before), func(k int) bool { return w.before[k] > first }) - 1
	p.at, p.work = k*windowRows, w.before[k]
	return p, true
}

// step advances to the next driver and returns its inner positions that belong to the piece; more
// is false after the last driver.
func (w *rangeWork) step(p *rangePiece, driver int) (from, to int, more bool) {
	if p.at == p.end || p.work >= p.last {
		return 0, 0, false
	}
	from, to = int(w.from[driver]), int(w.to[driver])
	p.at++
	if w.before != nil {
		first := p.work + driverWork
		p.work = first + int64(to-from)
		from, to = from+int(max(0, p.first-first)), from+int(min(int64(to-from), p.last-first))
	}
	return from, to, true
}
