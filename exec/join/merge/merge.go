package merge

import (
	"gsql/exec/join/match"
	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// Pairer is the sort-merge join: it sorts both sides by the codes of their keys, and the workers
// merge pieces of them.
type Pairer struct {
	NullSafe []bool
	Once     bool

	ctx         *op.Ctx
	exact       bool
	leftKeys    []*vec.Vector
	rightKeys   []*vec.Vector
	left, right *Order
	path        *path
}

// Build implements Pairer.
func (m *Pairer) Build(ctx *op.Ctx, acct *mem.Account, left, right *match.Side) error {
	m.ctx = ctx
	m.leftKeys, m.rightKeys = left.Keys[:len(m.NullSafe)], right.Keys[:len(m.NullSafe)]
	cs := keyenc.NewEncoding(m.rightKeys, m.NullSafe)
	m.exact, m.Once = cs.Exact, m.Once && cs.Exact
	var err error
	if m.left, err = sortSide(ctx, acct, cs, m.leftKeys, left.Rows); err != nil {
		return err
	}
	if m.right, err = sortSide(ctx, acct, cs, m.rightKeys, right.Rows); err != nil {
		return err
	}
	m.path = newPath(ctx, m.left.Codes, m.right.Codes, m.Once)
	return nil
}

func sortSide(ctx *op.Ctx, acct *mem.Account, cs *keyenc.Encoding, keys []*vec.Vector, rows int) (*Order, error) {
	in, err := keyenc.Encode(ctx, acct, cs, keys, rows)
	if err != nil {
		return nil, err
	}
	return Sort(ctx, acct, in)
}

// Worker implements Pairer.
func (m *Pairer) Worker() match.PairWorker {
	return &worker{m: m, Expander: match.Expander{Rows: m.right.Rows, Once: m.Once}}
}

// Close implements Pairer.
func (m *Pairer) Close() {
	m.left.Free()
	m.right.Free()
}

// worker merges in one goroutine.
type worker struct {
	match.Expander
	m *Pairer
	piece
	groupEnd int // right rows from r up to here have the code of the last left row
}

// Next implements PairWorker.
func (w *worker) Next(limit int) (match.Pairs, bool, error) {
	for w.At == len(w.Hits.Row) {
		if err := w.m.ctx.Err(); err != nil {
			return match.Pairs{}, false, err
		}
		switch {
		case w.pairs > 0:
			w.cross()
		case w.l < w.end:
			w.merge()
		default:
			var ok bool
			if w.piece, ok = w.m.path.take(); !ok {
				return match.Pairs{}, true, nil
			}
			w.groupEnd = w.r
		}
	}
	p, _ := w.NextPairs(limit)
	if !w.m.exact {
		n := keyenc.KeepEqual(w.m.leftKeys, w.m.rightKeys, p.Probe, p.Build)
		p.Probe, p.Build = p.Probe[:n], p.Build[:n]
	}
	return p, false, nil
}

// merge finds the right rows of the next block of left rows, up to a long group, or skips a long
// group.
func (w *worker) merge() {
	to := min(w.l+op.Block, w.end)
	if groups := w.m.path.groups; w.long < len(groups) {
		g := &groups[w.long]
		if g.left <= w.l {
			w.l, w.long = min(g.leftEnd, w.end), w.long+1
			return
		}
		to = min(to, g.left)
	}
	w.Hits.Resize(to - w.l)
	n := 0
	right := w.m.right.Codes
	for i, c := range w.m.left.Codes[w.l:to] {
		if w.groupEnd == w.r || right[w.r] != c {
			w.r = gallop(right, w.groupEnd, c)
			w.groupEnd = w.r
			for w.groupEnd < len(right) && right[w.groupEnd] == c {
				w.groupEnd++
			}
		}
		w.Hits.Row[n], w.Hits.Start[n], w.Hits.Count[n] = w.m.left.Rows[w.l+i], int32(w.r), int32(w.groupEnd-w.r)
		n += vec.One(w.groupEnd > w.r)
	}
	w.Hits.Cut(n)
	w.l = to
	w.Begin()
}

// cross makes hits of the next pairs of a tile.
func (w *worker) cross() {
	g := w.group
	w.Hits.Resize(op.Block)
	n := 0
	for ; n < op.Block && w.pairs > 0; n++ {
		pairs := min(g.right+g.width-w.partner, w.pairs)
		w.Hits.Row[n], w.Hits.Start[n], w.Hits.Count[n] = w.m.left.Rows[w.row], int32(w.partner), int32(pairs)
		w.pairs -= pairs
		w.row, w.partner = w.row+1, g.right
	}
	w.Hits.Cut(n)
	w.Begin()
}

// gallop returns the first position from at on whose code is not less than c. It tries a few
// single steps, then doubling steps, then a binary search.
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
	return at + LowerBound(codes[at:min(at+step+1, len(codes))], c)
}

// LowerBound returns the first position whose code is not less than c; codes must ascend.
func LowerBound(codes []uint64, c uint64) int {
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
