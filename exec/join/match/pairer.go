package match

import (
	"sync/atomic"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// MatcherPairer makes a Pairer of a Matcher: it builds the right side, and its workers probe with
// pieces of the left side.
type MatcherPairer struct {
	Matcher Matcher

	ctx   *op.Ctx
	left  *Side
	piece int // rows
	next  atomic.Int64
}

// Build implements Pairer.
func (m *MatcherPairer) Build(ctx *op.Ctx, acct *mem.Account, left, right *Side) error {
	m.ctx, m.left, m.piece = ctx, left, op.PieceRows(ctx, left.Rows)
	return m.Matcher.Build(ctx, acct, right)
}

// Worker implements Pairer.
func (m *MatcherPairer) Worker() PairWorker { return &matcherWorker{m: m, prober: m.Matcher.Prober()} }

// Close implements Pairer.
func (m *MatcherPairer) Close() { m.Matcher.Close() }

type matcherWorker struct {
	m       *MatcherPairer
	prober  Prober
	from    int
	probing bool
	rows    []int32 // scratch
}

// Next implements PairWorker.
func (w *matcherWorker) Next(limit int) (Pairs, bool, error) {
	if !w.probing {
		if err := w.m.ctx.Err(); err != nil {
			return Pairs{}, false, err
		}
		w.from = (int(w.m.next.Add(1)) - 1) * w.m.piece
		if w.from >= w.m.left.Rows {
			return Pairs{}, true, nil
		}
		if err := w.prober.Probe(w.m.left.rows(w.from, min(w.from+w.m.piece, w.m.left.Rows))); err != nil {
			return Pairs{}, false, err
		}
	}
	p, done, err := w.prober.Next(limit)
	if p.Probe == nil {
		w.rows = append(w.rows[:0], p.Build...)
		vec.Ascend(w.rows, 0)
		p.Probe = w.rows
	}
	for i := range p.Probe {
		p.Probe[i] += int32(w.from)
	}
	w.probing = !done
	return p, false, err
}

// rows returns the keys of rows [from, to) as a Side.
func (s *Side) rows(from, to int) *Side {
	part := &Side{Rows: to - from, Keys: make([]*vec.Vector, len(s.Keys))}
	for i, k := range s.Keys {
		part.Keys[i] = k.Slice(from, to)
	}
	return part
}
