package join

import (
	"sync/atomic"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// matching makes a Pairer of a Matcher: the right side is built, and the workers probe
// with stretches of the left one.
type matching struct {
	matcher Matcher

	ctx     *op.Ctx
	left    *Side
	stretch int
	next    atomic.Int64
}

// Build implements Pairer.
func (m *matching) Build(ctx *op.Ctx, acct *mem.Account, left, right *Side) error {
	m.ctx, m.left, m.stretch = ctx, left, stretchOf(ctx, left.Rows)
	return m.matcher.Build(ctx, acct, right)
}

// Worker implements Pairer.
func (m *matching) Worker() PairWorker { return &matchingWorker{m: m, prober: m.matcher.Prober()} }

// Close implements Pairer.
func (m *matching) Close() { m.matcher.Close() }

type matchingWorker struct {
	m       *matching
	prober  Prober
	from    int
	probing bool
	rows    []int32 // scratch
}

// Next implements PairWorker.
func (w *matchingWorker) Next(limit int) (Pairs, bool, error) {
	if !w.probing {
		if err := w.m.ctx.Err(); err != nil {
			return Pairs{}, false, err
		}
		w.from = (int(w.m.next.Add(1)) - 1) * w.m.stretch
		if w.from >= w.m.left.Rows {
			return Pairs{}, true, nil
		}
		if err := w.prober.Probe(w.m.left.rows(w.from, min(w.from+w.m.stretch, w.m.left.Rows))); err != nil {
			return Pairs{}, false, err
		}
	}
	p, done, err := w.prober.Next(limit)
	if p.Probe == nil {
		w.rows = append(w.rows[:0], p.Build...)
		ascend(w.rows)
		p.Probe = w.rows
	}
	for i := range p.Probe {
		p.Probe[i] += int32(w.from)
	}
	w.probing = !done
	return p, false, err
}

// rows gives the keys of rows [from, to) as a Side.
func (s *Side) rows(from, to int) *Side {
	part := &Side{Rows: to - from, Keys: make([]*vec.Vector, len(s.Keys))}
	for i, k := range s.Keys {
		part.Keys[i] = k.Slice(from, to)
	}
	return part
}
