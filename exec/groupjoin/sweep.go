package groupjoin

import (
	"gsql/exec/accum"
	"gsql/exec/join"
	"gsql/exec/op"
	"gsql/exec/search"
	"gsql/internal/mem"
)

// sweep serves two tests whose windows are no window of positions together. Rows of the
// probe side are handled in the order of one test, which is bounded on one side only, so
// that the indexed rows that pass it only grow; they enter a tree by their positions, in
// which the other test has a window. This is the counting of dominated points by a sweep
// line (Bentley, "Multidimensional Divide-and-Conquer", CACM 1980), with the aggregates in
// place of the points.
type sweep struct {
	test   int           // whose order is swept
	suffix bool          // it is bounded below: rows enter from the greatest word on
	find   *search.Words // over its words, ascending
	order  *join.Order
	at     []int32 // positions in the order of entering
}

// newSweep orders the rows for a sweep. words are the tests' by row.
func (x *index) newSweep(ctx *op.Ctx, acct *mem.Account, words [][]uint64) error {
	s := &sweep{}
	x.sweep = s
	if below, above := x.tests[0].bounded(); below && above {
		s.test = 1
	}
	s.suffix, _ = x.tests[s.test].bounded()
	// order sorted by the first test; the window is the other one's.
	if s.test == 0 {
		if err := x.reorder(ctx, acct, words[1]); err != nil {
			return err
		}
	}
	if err := x.arrangeWords(acct, words[1-s.test]); err != nil {
		return err
	}
	if x.groups == nil {
		var err error
		if x.find, err = newWords(acct, x.words[0]); err != nil {
			return err
		}
	}
	return s.enter(ctx, acct, x.rows, words[s.test])
}

// reorder sorts the rows of each group by words.
func (x *index) reorder(ctx *op.Ctx, acct *mem.Account, words []uint64) error {
	if len(x.start) == 2 {
		_, err := x.sortBy(ctx, acct, words)
		return err
	}
	group, err := mem.Alloc[uint64](acct, len(words))
	if err != nil {
		return err
	}
	defer group.Free()
	for g := range len(x.start) - 1 {
		for _, r := range x.rows[x.start[g]:x.start[g+1]] {
			group.S[r] = uint64(g)
		}
	}
	if _, err := x.sortBy(ctx, acct, words); err != nil {
		return err
	}
	_, err = x.sortBy(ctx, acct, group.S)
	return err
}

// enter sorts the positions by the words of the swept test, which are by row.
func (s *sweep) enter(ctx *op.Ctx, acct *mem.Account, rows []int32, words []uint64) error {
	byPosition, err := mem.Alloc[uint64](acct, len(rows))
	if err != nil {
		return err
	}
	for k, r := range rows {
		byPosition.S[k] = words[r]
	}
	if s.order, err = join.SortWords(ctx, acct, byPosition, nil); err != nil {
		return err
	}
	s.at = s.order.Rows
	if s.suffix {
		for i, k := 0, len(s.at)-1; i < k; i, k = i+1, k-1 {
			s.at[i], s.at[k] = s.at[k], s.at[i]
		}
	}
	s.find, err = newWords(acct, s.order.Words)
	return err
}

func (s *sweep) free() {
	if s != nil {
		s.find.Free()
		s.order.Free()
	}
}

// locate gives the windows of rows and how many positions enter before them.
func (s *sweep) locate(p *prober, out *spans) {
	x := p.x
	x.tests[s.test].window(p.lo, p.hi, p.words)
	if s.suffix {
		search.AllBelow(s.find, p.lo, out.entered)
	} else {
		search.AllUpTo(s.find, p.hi, 0, out.entered)
	}
	for i, n := range out.entered {
		if s.suffix {
			n = int32(len(s.find.S)) - n
		}
		if out.entered[i] = n; p.lo[i] > p.hi[i] {
			out.entered[i] = 0
		}
	}
	x.tests[1-s.test].window(p.lo, p.hi, p.words)
	if x.find != nil {
		below, above := x.tests[1-s.test].bounded()
		if below {
			search.AllBelow(x.find, p.lo, out.lo)
		}
		if above {
			search.AllUpTo(x.find, p.hi, 0, out.hi)
		}
		return
	}
	for i, lo := range p.lo {
		out.lo[i], out.hi[i] = ascending(x.words[0], out.lo[i], out.hi[i], lo, p.hi[i])
	}
}

// sweeping is a sweep over rows of the probe side in the order of entering.
type sweeping struct {
	ctx  *op.Ctx
	acct *mem.Account
	at   []int32
	s    *spans
	size int     // positions
	rows []int64 // partners of each row, once known
}

// sweepCheck is after how many rows a sweep looks for cancellation.
const sweepCheck = 4096

// each calls f for rows [from, to) and stops when the query is cancelled.
func (w *sweeping) each(from, to int, f func(i int) error) error {
	for i := from; i < to; i++ {
		if (i-from)%sweepCheck == 0 {
			if err := w.ctx.Err(); err != nil {
				return err
			}
		}
		if err := f(i); err != nil {
			return err
		}
	}
	return nil
}

// counts fills the counts of values that are not NULL.
func (w *sweeping) counts(p *presence, from, to int, out *results) error {
	if p.prefix == nil && w.rows != nil {
		copy(out.count[from:to], w.rows[from:to])
		return nil
	}
	t, err := mem.Alloc[int32](w.acct, w.size+1)
	if err != nil {
		return err
	}
	defer t.Free()
	f := fenwick[int32](t.S)
	entered := w.s.entered[from]
	for _, at := range w.at[:entered] {
		if p.has(at) {
			f[at+1] = 1
		}
	}
	f.build()
	return w.each(from, to, func(i int) error {
		for ; entered < w.s.entered[i]; entered++ {
			if at := w.at[entered]; p.has(at) {
				f.add(at, 1)
			}
		}
		out.count[i] = int64(f.between(w.s.lo[i], w.s.hi[i]))
		return nil
	})
}

func (c *counting) sweep(w *sweeping, from, to int, out *results) error {
	return w.counts(c.presence, from, to, out)
}

func (m *exactSums) sweep(w *sweeping, from, to int, out *results) error {
	if err := w.counts(m.presence, from, to, out); err != nil {
		return err
	}
	if m.small {
		return m.sweepSmall(w, from, to, out)
	}
	size := treeSize(w.size)
	t, err := mem.Alloc[accum.Exact](w.acct, 2*size)
	if err != nil {
		return err
	}
	defer t.Free()
	entered := w.s.entered[from]
	for _, at := range w.at[:entered] {
		t.S[size+int(at)] = m.value(at)
	}
	ok := buildExact(t.S)
	err = w.each(from, to, func(i int) error {
		for ; entered < w.s.entered[i]; entered++ {
			at := w.at[entered]
			x := m.value(at)
			ok = addExact(t.S, at, x.Lo, x.Hi) && ok
		}
		sum, fits := exactIn(t.S, w.s.lo[i], w.s.hi[i])
		out.exact[i], ok = sum, ok && fits
		return nil
	})
	if err == nil && !ok {
		return m.overflow()
	}
	return err
}

// sweepSmall is sweep where no sum can exceed 64 bits.
func (m *exactSums) sweepSmall(w *sweeping, from, to int, out *results) error {
	t, err := mem.Alloc[int64](w.acct, w.size+1)
	if err != nil {
		return err
	}
	defer t.Free()
	f, sums := fenwick[int64](t.S), m.sums.S
	entered := w.s.entered[from]
	for _, at := range w.at[:entered] {
		f[at+1] = sums[at+1] - sums[at]
	}
	f.build()
	return w.each(from, to, func(i int) error {
		for ; entered < w.s.entered[i]; entered++ {
			at := w.at[entered]
			f.add(at, sums[at+1]-sums[at])
		}
		out.small[i] = f.between(w.s.lo[i], w.s.hi[i])
		return nil
	})
}

// value gives the value at a position, 0 for NULL.
func (m *exactSums) value(at int32) accum.Exact {
	x := m.prefix.S[at+1]
	x.Sub(m.prefix.S[at].Lo, m.prefix.S[at].Hi)
	return x
}
