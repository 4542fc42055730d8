package join

import (
	"sync/atomic"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// mergePairer is the sort-merge join: both sides are sorted by the codes of their
// keys, and the workers take stretches of the left side, find by binary search where
// their right rows begin, and merge. Equal keys on both sides make cross products,
// which stretches may divide.
type mergePairer struct {
	nullSafe []bool
	once     bool

	ctx         *op.Ctx
	exact       bool
	leftKeys    []*vec.Vector
	rightKeys   []*vec.Vector
	left, right *sorted
	stretch     int // left rows
	next        atomic.Int64
}

// Build implements Pairer.
func (m *mergePairer) Build(ctx *op.Ctx, acct *mem.Account, left, right *Side) error {
	m.ctx = ctx
	m.leftKeys, m.rightKeys = left.Keys[:len(m.nullSafe)], right.Keys[:len(m.nullSafe)]
	cs := newCodes(m.rightKeys, m.nullSafe)
	m.exact, m.once = cs.exact, m.once && cs.exact
	var err error
	if m.left, err = sortSide(ctx, acct, cs, m.leftKeys, left.Rows); err != nil {
		return err
	}
	if m.right, err = sortSide(ctx, acct, cs, m.rightKeys, right.Rows); err != nil {
		return err
	}
	m.stretch = stretchOf(ctx, len(m.left.codes))
	return nil
}

// stretchOf gives the rows that a worker takes at a time: enough pieces for balance.
func stretchOf(ctx *op.Ctx, rows int) int {
	return max(1, min(1<<14, rows/(8*max(ctx.Workers, 1))))
}

func sortSide(ctx *op.Ctx, acct *mem.Account, cs *codes, keys []*vec.Vector, rows int) (*sorted, error) {
	in, err := encodeSide(ctx, acct, cs, keys, rows)
	if err != nil {
		return nil, err
	}
	return sortCodes(ctx, acct, in)
}

// Worker implements Pairer.
func (m *mergePairer) Worker() PairWorker {
	return &mergeWorker{m: m, expander: expander{rows: m.right.rows, once: m.once}}
}

// Close implements Pairer.
func (m *mergePairer) Close() {
	for _, s := range []*sorted{m.left, m.right} {
		if s != nil {
			s.held.free()
		}
	}
}

type mergeWorker struct {
	expander
	m        *mergePairer
	l, end   int // rest of the stretch
	r, group int // right rows [r, group) have the code of the last left row
}

// Next implements PairWorker.
func (w *mergeWorker) Next(limit int) (Pairs, bool, error) {
	for w.at == len(w.hits.row) {
		if w.l == w.end {
			if w.l = (int(w.m.next.Add(1)) - 1) * w.m.stretch; w.l >= len(w.m.left.codes) {
				w.l, w.end = 0, 0
				return Pairs{}, true, nil
			}
			w.end = min(w.l+w.m.stretch, len(w.m.left.codes))
			w.r = lowerBound(w.m.right.codes, w.m.left.codes[w.l])
			w.group = w.r
		}
		if err := w.m.ctx.Err(); err != nil {
			return Pairs{}, false, err
		}
		w.merge()
	}
	p, _ := w.next(limit)
	if !w.m.exact {
		n := KeepEqual(w.m.leftKeys, w.m.rightKeys, p.Probe, p.Build)
		p.Probe, p.Build = p.Probe[:n], p.Build[:n]
	}
	return p, false, nil
}

// merge finds the right rows of the next block of left rows.
func (w *mergeWorker) merge() {
	to := min(w.l+block, w.end)
	w.hits.resize(to - w.l)
	n := 0
	right := w.m.right.codes
	for i, c := range w.m.left.codes[w.l:to] {
		if w.group == w.r || right[w.r] != c {
			w.r = gallop(right, w.group, c)
			w.group = w.r
			for w.group < len(right) && right[w.group] == c {
				w.group++
			}
		}
		w.hits.row[n], w.hits.start[n], w.hits.count[n] = w.m.left.rows[w.l+i], int32(w.r), int32(w.group-w.r)
		n += one(w.group > w.r)
	}
	w.hits.cut(n)
	w.l = to
	w.begin()
}

// gallop gives the first position from at on whose code is not less than c: a few
// steps one by one, then doubling ones, then binary search.
func gallop(codes []uint64, at int, c uint64) int {
	for range 8 {
		if at == len(codes) || codes[at] >= c {
			return at
		}
		at++
	}
	step := 8
	for at+step < len(codes) && codes[at+step] < c {
		at += step
		step *= 2
	}
	return at + lowerBound(codes[at:min(at+step+1, len(codes))], c)
}

// lowerBound gives the first position whose code is not less than c.
func lowerBound(codes []uint64, c uint64) int {
	lo, n := 0, len(codes)
	for n > 0 {
		half := n / 2
		if codes[lo+half] < c {
			lo, n = lo+half+1, n-half-1
		} else {
			n = half
		}
	}
	return lo
}
