package window

import (
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// paging computes rows that are on disk, in order, if whole partitions do not fit in memory.
// Everything a function reads (rows of its frames, nodes of segment trees) is in pages on disk. A
// pool holds the pages used most recently: functions process the rows in order, and the ends of
// their frames move in the same direction, so most pages are read only a few times. The
// algorithms are the same as in memory, so that results are identical to the last bit.
type paging struct {
	o       *Operator
	r       *ordered
	results []*result
	walkers []*pageWalker
	next    int   // page
	shown   *slot // the page that was returned last
}

// newPaging makes a paging over the rows on disk except the first skip ones.
func (o *Operator) newPaging(skip int) (*paging, error) {
	g := &paging{o: o}
	in, _, err := o.openRuns()
	if err != nil {
		return g, err
	}
	g.r, err = o.putInOrder(in, skip, newPool(o.account))
	if cerr := in.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return g, err
	}
	if err := o.sorted.Forget(); err != nil {
		return g, err
	}
	g.results = make([]*result, o.results)
	for _, s := range o.specs {
		for _, f := range s.funcs {
			if g.results[f.out], err = newPageResult(f, o.types, o.account, g.r.mostRows); err != nil {
				return g, err
			}
		}
	}
	for _, s := range o.specs {
		g.walkers = append(g.walkers, g.newWalker(s))
	}
	return g, nil
}

// newPageResult allocates the values of f for the rows of a page.
func newPageResult(f *function, ts []types.Type, account *mem.Account, rows int) (*result, error) {
	if !passesValue(f.WindowFunc) {
		return newResult(f, nil, account, rows)
	}
	held := &reserved{account: account, bytes: int64(rows) * mostValue}
	if err := account.Reserve(held.bytes); err != nil {
		return nil, err
	}
	v := vec.NewFlat(ts[f.arg], rows)
	v.Null = make([]bool, rows)
	return &result{flat: v, bufs: []freer{held}}, nil
}

// mostValue is the greatest number of bytes that a value takes in a vector, not counting the
// bytes of a text.
const mostValue = 17

// reserved are bytes of an account.
type reserved struct {
	account *mem.Account
	bytes   int64
}

// Free releases them.
func (r *reserved) Free() {
	r.account.Release(r.bytes)
	r.bytes = 0
}

// page computes the next page, which is valid until the next call. It returns nil at the end.
func (g *paging) page() (*vec.Batch, error) {
	if g.shown != nil {
		g.shown.pinned = false
		g.shown = nil
	}
	if err := g.o.ctx.Err(); err != nil || g.next == g.r.pages.n {
		return nil, err
	}
	p, err := g.r.pages.at(g.next)
	if err != nil {
		return nil, err
	}
	s, err := g.r.pool.find(pageKey{g.r.file, p.block.Place()}, p.block)
	if err != nil {
		return nil, err
	}
	g.next++
	s.pinned, g.shown = true, s
	for _, w := range g.walkers {
		if err := w.rows(s.batch, p.start, p.end()); err != nil {
			return nil, err
		}
	}
	b := s.batch.Slice(0, s.batch.N)
	b.Cols = b.Cols[:g.o.width]
	for _, r := range g.results {
		b.Cols = append(b.Cols, r.slice(0, b.N))
	}
	return b, nil
}

func (g *paging) close() error {
	if g == nil {
		return nil
	}
	for _, w := range g.walkers {
		w.free()
	}
	for _, r := range g.results {
		r.free()
	}
	if g.r == nil {
		return nil
	}
	return g.r.close()
}

// pageWalker computes the functions of one window page by page.
type pageWalker struct {
	s       *spec
	p       partition
	c       cursor
	framers []*pageFramer
	evals   []evaluator // by function
}

func (g *paging) newWalker(s *spec) *pageWalker {
	w := &pageWalker{s: s, c: cursor{r: g.r}}
	for _, f := range s.frames {
		w.framers = append(w.framers, newPageFramer(g.r, s, f))
	}
	for _, f := range s.funcs {
		var frame *frame
		if f.frame >= 0 {
			frame = s.frames[f.frame]
		}
		w.evals = append(w.evals, newEvaluator(g.o.viewing(g, f), f, frame))
	}
	return w
}

// viewing makes the operator that the evaluator of f uses.
func (o *Operator) viewing(g *paging, f *function) *Operator {
	part := &Operator{ctx: o.ctx, account: o.account, types: o.types, out: g.results, cols: make([]*vec.Vector, len(o.types))}
	part.view = &view{cursor: cursor{r: g.r}, col: f.arg}
	if f.arg >= 0 {
		part.view.v = &vec.Vector{Type: o.types[f.arg]}
		part.cols[f.arg] = part.view.v
	}
	return part
}

func (w *pageWalker) free() {
	for _, e := range w.evals {
		e.free()
	}
}

// rows computes the rows [lo, hi), which are those of a page.
func (w *pageWalker) rows(page *vec.Batch, lo, hi int) error {
	base := lo
	for lo < hi {
		if lo == w.p.hi {
			if err := w.enter(lo); err != nil {
				return err
			}
		}
		end := min(hi, w.p.hi, lo+blockRows)
		w.p.base, w.p.first = base, lo
		if err := w.block(page, lo, end); err != nil {
			return err
		}
		lo = end
	}
	return nil
}

// enter begins the partition that starts at row lo.
func (w *pageWalker) enter(lo int) error {
	hi, err := w.c.next(lo+1, w.c.r.rows, w.s.partition)
	if err != nil {
		return err
	}
	w.p = partition{lo: lo, hi: hi, groups: append(w.p.groups[:0], lo)}
	for _, f := range w.framers {
		if err := f.begin(&w.p); err != nil {
			return err
		}
	}
	for _, e := range w.evals {
		if err := e.begin(&w.p); err != nil {
			return err
		}
	}
	return nil
}

// block computes rows [lo, hi) of the partition.
func (w *pageWalker) block(page *vec.Batch, lo, hi int) error {
	if w.s.groups {
		if err := w.findGroups(lo, hi); err != nil {
			return err
		}
	}
	filled := make([]*frames, len(w.framers))
	for i, f := range w.framers {
		var err error
		if filled[i], err = f.fill(&w.p, page, lo, hi); err != nil {
			return err
		}
	}
	for i, e := range w.evals {
		var f *frames
		if k := w.s.funcs[i].frame; k >= 0 {
			f = filled[k]
		}
		if err := e.rows(&w.p, lo, hi, f); err != nil {
			return err
		}
	}
	return nil
}

// findGroups sets the groups of the partition to those of rows [lo, hi).
func (w *pageWalker) findGroups(lo, hi int) error {
	p := &w.p
	k := 0
	for k+1 < len(p.groups) && p.groups[k+1] <= lo {
		k++
	}
	p.before += k
	p.groups = append(p.groups[:0], p.groups[k:]...)
	for last := p.groups[len(p.groups)-1]; last < hi; {
		next, err := w.c.next(last+1, p.hi, w.s.order)
		if err != nil {
			return err
		}
		p.groups = append(p.groups, next)
		last = next
	}
	return nil
}
