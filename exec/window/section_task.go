package window

import (
	"sort"

	"gsql/sql/expr"
)

// windowTask computes the functions of a window section by section. Its evaluators go on
// where they were.
type windowTask struct {
	walker
	open   bool     // the partition goes on behind the rows that are computed
	totals []*total // of large partitions that have not begun, in order
}

// mover is an evaluator with positions of its own.
type mover interface{ shift(by int) }

// holder is an evaluator with rows of its own: see task.hold.
type holder interface {
	hold(p *partition, keep int, f func(row *int32))
}

// rebuilder is an evaluator that begins anew with each section.
type rebuilder interface{ rebuild(p *partition) error }

// limit implements task: frames, peers and rows to come must be known, as far as they are
// not the partition's.
func (t *windowTask) limit(first int, ended bool) int {
	if ended {
		return t.o.n
	}
	p, lo := partition{}, t.o.n-1
	for lo > first && !t.o.starts(t.s, lo) {
		lo--
	}
	switch {
	case t.open && !t.o.starts(t.s, lo):
		p = t.p
		p.groups = nil
		t.o.findEnd(t.s, &p)
	case t.s.needsTotals() && t.o.n-lo <= totalRows:
		return lo // it may be too small to have a total
	default:
		t.o.nextPartition(t.s, &p, lo)
	}
	for _, f := range t.framers {
		f.begin(&p)
	}
	return lo + sort.Search(t.o.n-lo, func(i int) bool { return !t.known(&p, lo+i) })
}

// known tells whether all that row i of the last partition depends on is there.
func (t *windowTask) known(p *partition, i int) bool {
	for _, f := range t.s.funcs {
		switch f.Fn {
		case expr.Lead:
			if f.N >= int64(t.o.n-i) {
				return false
			}
		case expr.CumeDist:
			if int(p.groups[p.group(i)+1]) == t.o.n {
				return false
			}
		}
	}
	for _, fr := range t.framers {
		fr.stale = true
		f := fr.fill(p, i, i+1)
		if int(f.from[0]) == t.o.n || fr.f.End.Kind != expr.UnboundedFollowing && int(f.to[0]) == t.o.n {
			return false
		}
	}
	return true
}

// compute implements task.
func (t *windowTask) compute(first, last, number int, ended bool) error {
	if err := t.makeResults(); err != nil {
		return err
	}
	for pos := first; pos < last; {
		if err := t.enter(pos, number+pos-first, ended); err != nil {
			return err
		}
		end := min(t.p.hi, last)
		if err := t.some(pos, end); err != nil {
			return err
		}
		t.open = end < t.p.hi || t.p.hi == t.o.n && !ended
		pos = end
	}
	return nil
}

func (t *windowTask) makeResults() error {
	for _, f := range t.s.funcs {
		r, err := newResult(f, t.o.cols, t.o.account, t.o.n)
		if err != nil {
			r.free()
			return err
		}
		*t.o.out[f.out] = *r
	}
	return nil
}

// enter begins the partition at pos, the row of that number, or goes on with it.
func (t *windowTask) enter(pos, number int, ended bool) error {
	p := &t.p
	goesOn := t.open && !t.o.starts(t.s, pos)
	if goesOn {
		t.o.findEnd(t.s, p)
		p.first = pos
	} else {
		t.o.nextPartition(t.s, p, pos)
		if p.hi == t.o.n && !ended && t.s.needsTotals() {
			p.all = t.total(number)
		}
	}
	for _, f := range t.framers {
		f.begin(p)
	}
	for _, e := range t.evals {
		var err error
		if r, ok := e.(rebuilder); !goesOn {
			err = e.begin(p)
		} else if ok {
			err = r.rebuild(p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// total gives what is known of the partition that begins with the row of a number.
func (t *windowTask) total(number int) *total {
	for t.totals[0].start < number {
		t.totals = t.totals[1:]
	}
	return t.totals[0]
}

// some computes the rows [from, to) of the partition.
func (t *windowTask) some(from, to int) error {
	for lo := from; lo < to; lo += blockRows {
		if err := t.block(lo, min(lo+blockRows, to), false); err != nil {
			return err
		}
	}
	for hi := to; hi > from; hi -= blockRows {
		if err := t.block(max(hi-blockRows, from), hi, true); err != nil {
			return err
		}
	}
	return nil
}

// needs implements task.
func (t *windowTask) needs(last int) int {
	if !t.open {
		return last
	}
	n := last
	for _, f := range t.s.funcs {
		if f.Fn == expr.Lag {
			n = min(n, last-int(min(f.N, int64(last))))
		}
	}
	for _, fr := range t.framers {
		fr.stale = true
		f := fr.fill(&t.p, last-1, last)
		switch {
		case fr.f.Start.Kind != expr.UnboundedPreceding:
			n = min(n, int(f.from[0]))
		case fr.f.End.Kind != expr.UnboundedFollowing:
			n = min(n, int(f.to[0])-1) // which may be the last row of the next frame, too
		}
	}
	return max(n, t.p.lo)
}

// hold implements task.
func (t *windowTask) hold(keep int, f func(row *int32)) {
	for _, e := range t.evals {
		if h, ok := e.(holder); ok && t.open {
			h.hold(&t.p, keep, f)
		}
	}
}

// move implements task.
func (t *windowTask) move(keep, by int) {
	if !t.open {
		return
	}
	p := &t.p
	if p.lo < keep {
		if t.s.groups {
			g := p.group(keep)
			if g > 0 {
				p.groupStart = int(p.groups[g]) - p.lo + p.before
			}
			p.groupsBefore += g
		}
		p.before += keep - p.lo
		p.lo = keep
	}
	p.lo -= by
	for _, e := range t.evals {
		if m, ok := e.(mover); ok {
			m.shift(by)
		}
	}
}

func (g *growing[S]) shift(by int)   { g.end -= by }
func (s *shrinking[S]) shift(by int) { s.start -= by }

func (s *sliding[S]) shift(by int) {
	s.from -= by
	s.to -= by
}

func (t *tree[S]) rebuild(p *partition) error { return t.begin(p) }

func (s *shrinking[S]) rebuild(p *partition) error {
	if s.known {
		return nil
	}
	return s.begin(p)
}

// hold implements holder: the states of MIN and MAX are rows.
func (g *growing[S]) hold(_ *partition, _ int, f func(row *int32)) { holdState(&g.state, f) }

// holdState holds the row of a state of MIN or MAX.
func holdState(state any, f func(row *int32)) {
	if s, ok := state.(*int32); ok && *s > 0 {
		row := *s - 1
		f(&row)
		*s = row + 1
	}
}

// hold implements holder: the partition's nth row is the value of frames that begin with it.
func (c *chosen) hold(p *partition, keep int, f func(row *int32)) {
	if c.isFixed(p) {
		if c.fixed >= 0 {
			f(&c.fixed)
		}
		return
	}
	if c.frame.Start.Kind != expr.UnboundedPreceding || c.fn == expr.LastValue {
		return
	}
	if at := int64(p.lo-p.before) + c.nth - 1; at >= int64(p.lo) && at < int64(min(keep, p.hi)) {
		c.head = c.o.row(int(at))
	}
	if c.head >= 0 {
		f(&c.head)
	}
}

// isFixed tells whether all frames of p end in one row that memory does not hold.
func (c *chosen) isFixed(p *partition) bool {
	return p.all != nil && c.frame.End.Kind == expr.UnboundedFollowing && c.fn != expr.FirstValue
}
