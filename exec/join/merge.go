package join

import (
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// mergePairer is the sort-merge join: both sides are sorted by the codes of their
// keys, and the workers merge them, each a piece at a time: see mergePath. Equal keys on both
// sides make cross products, which pieces may divide.
type mergePairer struct {
	nullSafe []bool
	once     bool

	ctx         *op.Ctx
	exact       bool
	leftKeys    []*vec.Vector
	rightKeys   []*vec.Vector
	left, right *sorted
	path        *mergePath
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
	m.path = newMergePath(ctx, m.left.codes, m.right.codes, m.once)
	return nil
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

// mergeWorker merges in one goroutine.
type mergeWorker struct {
	expander
	m *mergePairer
	piece
	groupEnd int // right rows from r on to here have the code of the last left row
}

// Next implements PairWorker.
func (w *mergeWorker) Next(limit int) (Pairs, bool, error) {
	for w.at == len(w.hits.row) {
		if err := w.m.ctx.Err(); err != nil {
			return Pairs{}, false, err
		}
		switch {
		case w.pairs > 0:
			w.cross()
		case w.l < w.end:
			w.merge()
		default:
			var ok bool
			if w.piece, ok = w.m.path.take(); !ok {
				return Pairs{}, true, nil
			}
			w.groupEnd = w.r
		}
	}
	p, _ := w.next(limit)
	if !w.m.exact {
		n := KeepEqual(w.m.leftKeys, w.m.rightKeys, p.Probe, p.Build)
		p.Probe, p.Build = p.Probe[:n], p.Build[:n]
	}
	return p, false, nil
}

// merge finds the right rows of the next block of left rows, up to a long group, or passes one.
func (w *mergeWorker) merge() {
	to := min(w.l+block, w.end)
	if groups := w.m.path.groups; w.long < len(groups) {
		g := &groups[w.long]
		if g.left <= w.l {
			w.l, w.long = min(g.leftEnd, w.end), w.long+1
			return
		}
		to = min(to, g.left)
	}
	w.hits.resize(to - w.l)
	n := 0
	right := w.m.right.codes
	for i, c := range w.m.left.codes[w.l:to] {
		if w.groupEnd == w.r || right[w.r] != c {
			w.r = gallop(right, w.groupEnd, c)
			w.groupEnd = w.r
			for w.groupEnd < len(right) && right[w.groupEnd] == c {
				w.groupEnd++
			}
		}
		w.hits.row[n], w.hits.start[n], w.hits.count[n] = w.m.left.rows[w.l+i], int32(w.r), int32(w.groupEnd-w.r)
		n += one(w.groupEnd > w.r)
	}
	w.hits.cut(n)
	w.l = to
	w.begin()
}

// cross makes hits of the next pairs of a tile.
func (w *mergeWorker) cross() {
	g := w.group
	w.hits.resize(block)
	n := 0
	for ; n < block && w.pairs > 0; n++ {
		pairs := min(g.right+g.width-w.partner, w.pairs)
		w.hits.row[n], w.hits.start[n], w.hits.count[n] = w.m.left.rows[w.row], int32(w.partner), int32(pairs)
		w.pairs -= pairs
		w.row, w.partner = w.row+1, g.right
	}
	w.hits.cut(n)
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
