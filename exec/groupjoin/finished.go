package groupjoin

import (
	"sync/atomic"

	"gsql/exec/accum"
	"gsql/exec/join/match"
	"gsql/exec/join/merge"
	"gsql/exec/keyenc"
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// finishedRows are the rows of the probe side with their aggregates, in the order of a sweep or in
// input order.
type finishedRows struct {
	cols    []*vec.Vector // of the output, by collected row
	rows    []int32       // the collected rows in their order
	results []results
	counts  []int64 // partners
	held    mem.Buffers
	next    atomic.Int64
}

func (r *finishedRows) free() { r.held.Free() }

// alloc makes a buffer that r holds.
func alloc[T any](r *finishedRows, acct *mem.Account, n int) ([]T, error) {
	b, err := mem.Alloc[T](acct, n)
	if err != nil {
		return nil, err
	}
	r.held.Add(b)
	return b.S, nil
}

// sweepProbe reads the probe side and sweeps it.
func (o *Operator) sweepProbe() (*finishedRows, error) {
	r := &finishedRows{}
	side, err := o.spilling.collect(o.ctx, true, o.probe, &o.closed[0], o.account)
	if err == nil {
		err = o.sweepSide(r, side)
	}
	if err != nil {
		r.free()
		return nil, err
	}
	return r, nil
}

func (o *Operator) sweepSide(r *finishedRows, side *match.Side) (err error) {
	n, c, k := side.Rows, len(o.passed), len(o.keys)
	r.cols = side.Keys[:c]
	w := &sweeping{ctx: o.ctx, acct: o.account, at: o.index.sweep.at, size: len(o.index.rows)}
	if w.s, err = o.inOrder(r, side.Keys[c:c+k], side.Keys[c+k:], n); err != nil {
		return err
	}
	if r.counts, err = alloc[int64](r, o.account, n); err != nil {
		return err
	}
	return o.sweepMeasures(r, w)
}

// sweepMeasures computes the numbers of partners and the aggregates.
func (o *Operator) sweepMeasures(r *finishedRows, w *sweeping) error {
	n := len(r.counts)
	r.results = make([]results, len(o.measures))
	for i, m := range o.measures {
		if m.whole() {
			r.results[i].count = r.counts
		}
		if err := r.results[i].alloc(r, o.account, m.layout(), n); err != nil {
			return err
		}
	}
	with, err := o.sweepCounts(r, w)
	if err != nil {
		return err
	}
	w.rows = r.counts
	for i, m := range o.measures {
		out := &r.results[i]
		if i == with {
			continue
		}
		if err := o.ranges(n, func(from, to int) error { return m.sweep(w, from, to, out) }); err != nil {
			return err
		}
	}
	return nil
}

// sweepCounts computes the numbers of partners. If the sums of one measure leave enough bits, it
// computes them at the same time and returns that measure; otherwise it returns -1.
func (o *Operator) sweepCounts(r *finishedRows, w *sweeping) (with int, err error) {
	for i, m := range o.measures {
		if sums, ok := m.(*exactSums); ok && sums.whole() {
			if width := sums.withCounts(); width > 0 {
				return i, o.ranges(len(r.counts), func(from, to int) error {
					return w.countsAndSums(sums, width, from, to, r.counts, r.results[i].small)
				})
			}
		}
	}
	return -1, o.ranges(len(r.counts), func(from, to int) error {
		return w.counts(&presence{}, from, to, &results{count: r.counts})
	})
}

// ranges divides n rows into one range per worker and calls f for each.
func (o *Operator) ranges(n int, f func(from, to int) error) error {
	workers := max(1, min(o.ctx.Workers, n/sweepCheck))
	return op.Parallel(o.ctx, workers, func(w int) error {
		from, to := n*w/workers, n*(w+1)/workers
		if from == to {
			return nil
		}
		return f(from, to)
	})
}

// alloc allocates n values. It keeps existing counts.
func (out *results) alloc(r *finishedRows, acct *mem.Account, l layout, n int) (err error) {
	if out.count == nil {
		if out.count, err = alloc[int64](r, acct, n); err != nil {
			return err
		}
	}
	switch l {
	case smallSum:
		out.small, err = alloc[int64](r, acct, n)
	case exactSum:
		out.exact, err = alloc[accum.Exact](r, acct, n)
	case floatSum:
		out.float, err = alloc[float64](r, acct, n)
	case wordExtreme:
		out.word, err = alloc[uint64](r, acct, n)
	}
	return err
}

// inOrder finds the windows of all rows and arranges them in the order of a sweep.
func (o *Operator) inOrder(r *finishedRows, keys, operands []*vec.Vector, n int) (*windowList, error) {
	sweepKeys, err := mem.Alloc[uint64](o.account, n)
	if err != nil {
		return nil, err
	}
	var passing mem.Buffers
	defer func() { sweepKeys.Free(); passing.Free() }()
	found := &windowList{sweepKey: sweepKeys.S}
	if err := found.alloc(&passing, o.account, n); err != nil {
		return nil, err
	}
	if err := o.locate(keys, operands, found); err != nil {
		return nil, err
	}
	order, err := merge.Sort(o.ctx, o.account, &keyenc.Codes{Words: sweepKeys, Skip: nil})
	if err != nil {
		return nil, err
	}
	r.held.Add(order)
	r.rows = order.Rows
	s := &windowList{}
	if err := s.alloc(&r.held, o.account, n); err != nil {
		return nil, err
	}
	if s.entered, err = alloc[int32](r, o.account, n); err != nil {
		return nil, err
	}
	return s, o.ranges(n, func(from, to int) error {
		for k, i := range r.rows[from:to] {
			s.lo[from+k], s.hi[from+k] = found.lo[i], found.hi[i]
		}
		o.index.sweep.entered(order.Codes[from:to], s.entered[from:to])
		return nil
	})
}

// alloc allocates n windows.
func (s *windowList) alloc(h *mem.Buffers, acct *mem.Account, n int) (err error) {
	if s.lo, err = allocIn[int32](h, acct, n); err == nil {
		s.hi, err = allocIn[int32](h, acct, n)
	}
	return err
}

// locate finds the windows and sweep keys of all rows.
func (o *Operator) locate(keys, operands []*vec.Vector, out *windowList) error {
	return o.ranges(len(out.lo), func(from, end int) error {
		p := newProber(o.index, o.operands)
		for ; from < end; from += vec.BatchSize {
			if err := o.ctx.Err(); err != nil {
				return err
			}
			to := min(from+vec.BatchSize, end)
			part := windowList{lo: out.lo[from:to:to], hi: out.hi[from:to:to], sweepKey: out.sweepKey[from:to:to]}
			p.find(to-from, sliced(keys, from, to), sliced(operands, from, to), &part)
		}
		return nil
	})
}

func sliced(vs []*vec.Vector, from, to int) []*vec.Vector {
	out := make([]*vec.Vector, len(vs))
	for i, v := range vs {
		out[i] = v.Slice(from, to)
	}
	return out
}

// finishedStream returns the rows that no other stream has taken.
type finishedStream struct {
	o        *Operator
	r        *finishedRows
	sel      []int32
	rows     []int32
	composer vec.Composer
	out      output
}

// Next implements op.Stream.
func (s *finishedStream) Next() (*vec.Batch, error) {
	if s.out.aggs == nil {
		s.out = newOutput(s.o.plan, len(s.o.passed), emittersOf(s.o.measures))
	}
	step := int64(s.o.ctx.Rows())
	for {
		if err := s.o.ctx.Err(); err != nil {
			return nil, err
		}
		to := s.r.next.Add(step)
		from := to - step
		if from >= int64(len(s.r.rows)) {
			return nil, nil
		}
		if b, err := s.batch(int(from), int(min(to, int64(len(s.r.rows))))); b != nil || err != nil {
			return b, err
		}
	}
}

func (s *finishedStream) batch(from, to int) (*vec.Batch, error) {
	s.sel, s.rows = s.sel[:0], s.rows[:0]
	for i := from; i < to; i++ {
		if s.o.plan.Outer || s.r.counts[i] > 0 {
			s.sel, s.rows = append(s.sel, int32(i)), append(s.rows, s.r.rows[i])
		}
	}
	if len(s.sel) == 0 {
		return nil, nil
	}
	b := &s.out.batch
	b.N = len(s.sel)
	s.composer.Reset()
	for i, c := range s.r.cols {
		b.Cols[i] = s.composer.View(c, s.rows)
	}
	return b, s.out.emit(s.r.results, s.sel)
}

// Close implements op.Stream.
func (s *finishedStream) Close() error { return nil }
