package groupjoin

import (
	"math/bits"
	"slices"

	"gsql/exec/accum"
	"gsql/exec/op"
	"gsql/exec/search"
	"gsql/internal/mem"
)

// sweep computes two tests whose windows cannot be combined into one window of positions. Rows of
// the probe side are processed in the order of one test, which is bounded on one side only, so
// that the set of indexed rows that pass it only grows. These enter a tree at their positions,
// over which the other test has a window. This is the counting of dominated points by a sweep
// line (Bentley, "Multidimensional Divide-and-Conquer", CACM 1980), with aggregates instead of
// points.
type sweep struct {
	entering *ordering // of positions by the test whose order is swept
	suffix   bool      // the test is bounded below: rows enter from the greatest word on
	at       []int32   // positions in the order of entering
}

// sweepAlong uses the order of window for the positions, which enter in the order of entering.
func (x *index) sweepAlong(entering, window *ordering) {
	s := &sweep{entering: entering, at: entering.order.Rows}
	s.suffix, _ = x.tests[x.first].bounded()
	if s.suffix {
		slices.Reverse(s.at)
	}
	x.sweep, x.by, x.rows = s, window, window.order.Rows
}

func (s *sweep) free() {
	if s != nil {
		s.entering.free()
	}
}

// locate writes the words by which the sweep orders rows, and the rows' windows, to out.
func (s *sweep) locate(p *prober, out *windowList) {
	x := p.x
	p.window(x.first, s.entering.codes)
	if s.suffix {
		for i, lo := range p.lo {
			out.sweepKey[i] = ^lo
		}
	} else {
		copy(out.sweepKey, p.hi)
	}
	below, above := p.window(1-x.first, x.by.codes)
	p.bounds(x.by, below, above, out.lo, out.hi)
}

// entered writes the number of positions that enter before each of the rows with ascending sweep
// keys: those with words up to the key or, with suffix, from its complement on.
func (s *sweep) entered(sweepKeys []uint64, dst []int32) {
	words := s.entering.order.Codes
	n := int32(len(words))
	if len(sweepKeys) == 0 {
		return
	}
	if !s.suffix {
		at := search.UpperBound(words, 0, n, sweepKeys[0])
		for i, key := range sweepKeys {
			for at < n && words[at] <= key {
				at++
			}
			dst[i] = at
		}
		return
	}
	at := search.LowerBound(words, 0, n, ^sweepKeys[0])
	for i, key := range sweepKeys {
		for at > 0 && words[at-1] >= ^key {
			at--
		}
		dst[i] = n - at
	}
}

// sweeping is a sweep over rows of the probe side in the order of entering.
type sweeping struct {
	ctx  *op.Ctx
	acct *mem.Account
	at   []int32
	s    *windowList
	size int     // positions
	rows []int64 // partners of each row, once computed
}

// countsAndSums computes the numbers of partners of rows together with sums of width bits: a sum
// is the low part of a number whose high part is the count.
func (w *sweeping) countsAndSums(m *exactSums, width, from, to int, counts, dst []int64) error {
	t, err := mem.Alloc[int64](w.acct, w.size+1)
	if err != nil {
		return err
	}
	defer t.Free()
	f, sums, one, half := fenwick[int64](t.S), m.sums.S, int64(1)<<width, int64(1)<<(width-1)
	entered := w.s.entered[from]
	for _, at := range w.at[:entered] {
		f[at+1] = sums[at+1] - sums[at] + one
	}
	f.build()
	return w.each(from, to, func(i int) error {
		for ; entered < w.s.entered[i]; entered++ {
			at := w.at[entered]
			f.add(at, sums[at+1]-sums[at]+one)
		}
		both := f.between(w.s.lo[i], w.s.hi[i])
		counts[i] = (both + half) >> width
		dst[i] = both - counts[i]<<width
		return nil
	})
}

// withCounts returns the number of bits of all sums of m, including a sign, or 0 if counts of
// positions and such sums do not fit in 64 bits together.
func (m *exactSums) withCounts() int {
	if !m.small {
		return 0
	}
	most, sums := uint64(0), m.sums.S
	for at := range sums[1:] {
		x := sums[at+1] - sums[at]
		most += uint64(x^x>>63) + 1
	}
	if width := bits.Len64(most) + 1; width+bits.Len(uint(len(sums))) < 63 {
		return width
	}
	return 0
}

// sweepCheck is the number of rows after which a sweep checks for cancellation.
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

// counts computes the numbers of values that are not NULL.
func (w *sweeping) counts(p *presence, from, to int, out *results) error {
	if p.prefix == nil && w.rows != nil {
		return nil // they are the numbers of partners
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

// sweepSmall is sweep for sums that fit in 64 bits.
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

// value returns the value at a position, 0 for NULL.
func (m *exactSums) value(at int32) accum.Exact {
	x := m.prefix.S[at+1]
	x.Sub(m.prefix.S[at].Lo, m.prefix.S[at].Hi)
	return x
}
