package window

import "gsql/sql/vec"

// cursor reads ordered rows by number. It is fast for rows near the last one or the one before,
// because the two ends of frames request rows alternately.
type cursor struct {
	r      *ordered
	places [2]place
	last   int // the place used last
}

// place is a page that a cursor has visited.
type place struct {
	page   page
	number int
	slot   *slot // nil if it has not been read
}

// at returns the page that contains row pos, valid until the next call of any cursor, and the
// row's number in the page.
func (c *cursor) at(pos int) (b *vec.Batch, row int, err error) {
	p, err := c.seek(pos)
	if err != nil {
		return nil, 0, err
	}
	if p.slot == nil || p.slot.batch == nil {
		if p.slot, err = c.r.pool.find(pageKey{c.r.file, p.page.block.Place()}, p.page.block); err != nil {
			return nil, 0, err
		}
	}
	c.r.pool.touch(p.slot)
	return p.slot.batch, pos - p.page.start, nil
}

// seek returns the page that contains row pos, valid until the next call.
func (c *cursor) seek(pos int) (*place, error) {
	last := &c.places[c.last]
	if last.page.holds(pos) {
		return last, nil
	}
	c.last = 1 - c.last
	p := &c.places[c.last]
	if p.page.holds(pos) {
		return p, nil
	}
	near := last.number
	if p.away(pos) < last.away(pos) {
		near = p.number
	}
	number, page, err := c.r.pageOf(pos, near)
	*p = place{page: page, number: number}
	return p, err
}

// away returns the number of rows between the start of a page and row pos.
func (p *place) away(pos int) int { return max(pos-p.page.start, p.page.start-pos) }

// next returns the first row in [pos, end) with a level less than level, or end. It does not read
// pages without such rows.
func (c *cursor) next(pos, end, level int) (int, error) {
	for pos < end {
		p, err := c.seek(pos)
		if err != nil {
			return 0, err
		}
		if p.page.least < int64(level) {
			b, row, err := c.at(pos)
			if err != nil {
				return 0, err
			}
			levels := b.Cols[len(b.Cols)-1].I64
			for ; row < b.N; row++ {
				if levels[row] < int64(level) {
					return min(p.page.start+row, end), nil
				}
			}
		}
		pos = p.page.end()
	}
	return end, nil
}

// before returns the last row before pos with a level less than level, or 0 if there is none.
func (c *cursor) before(pos, level int) (int, error) {
	for pos > 0 {
		p, err := c.seek(pos - 1)
		if err != nil {
			return 0, err
		}
		if p.page.least < int64(level) {
			b, row, err := c.at(pos - 1)
			if err != nil {
				return 0, err
			}
			levels := b.Cols[len(b.Cols)-1].I64
			for ; row >= 0; row-- {
				if levels[row] < int64(level) {
					return p.page.start + row, nil
				}
			}
		}
		pos = p.page.start
	}
	return 0, nil
}

// view is the argument of a function whose rows are on disk, one page at a time.
type view struct {
	cursor
	col int
	v   *vec.Vector // of the page
}

// show makes the page that contains row pos the page of the view. It returns the number of the
// page's first row and of the row after its last one.
func (w *view) show(pos int) (start, end int, err error) {
	b, row, err := w.at(pos)
	if err != nil {
		return 0, 0, err
	}
	*w.v = *b.Cols[w.col]
	return pos - row, pos - row + b.N, nil
}

// copyTo copies the value of row pos to slot i of a flat vector that has NULL flags. A negative
// pos means NULL.
func (w *view) copyTo(to *vec.Vector, i, pos int) error {
	to.Null[i] = true
	if pos < 0 {
		return nil
	}
	b, row, err := w.at(pos)
	if err != nil {
		return err
	}
	v := b.Cols[w.col]
	if to.Null[i] = v.IsNull(row); !to.Null[i] {
		copyValue(to, i, v, row)
	}
	return nil
}
