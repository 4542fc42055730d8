package window

import "gsql/sql/vec"

// cursor reads ordered rows by number. It is fast for adjacent rows.
type cursor struct {
	r    *ordered
	page int
	near recent
}

// at returns the page that contains row pos, valid until the next call of any cursor, and the
// row's number in the page.
func (c *cursor) at(pos int) (b *vec.Batch, row int, err error) {
	p := c.seek(pos)
	s, err := c.r.pool.get(c.r.file, p.block, c.page, &c.near)
	if err != nil {
		return nil, 0, err
	}
	return s.batch, pos - p.start, nil
}

// seek returns the page that contains row pos.
func (c *cursor) seek(pos int) *page {
	if p := &c.r.pages[c.page]; pos >= p.start && pos < p.end() {
		return p
	}
	c.page = c.r.pageOf(pos, c.page)
	return &c.r.pages[c.page]
}

// next returns the first row in [pos, end) with a level less than level, or end. It does not read
// pages without such rows.
func (c *cursor) next(pos, end, level int) (int, error) {
	for pos < end {
		p := c.seek(pos)
		if p.least < int64(level) {
			b, row, err := c.at(pos)
			if err != nil {
				return 0, err
			}
			levels := b.Cols[len(b.Cols)-1].I64
			for ; row < b.N; row++ {
				if levels[row] < int64(level) {
					return min(p.start+row, end), nil
				}
			}
		}
		pos = p.end()
	}
	return end, nil
}

// before returns the last row before pos with a level less than level, or 0 if there is none.
func (c *cursor) before(pos, level int) (int, error) {
	for pos > 0 {
		p := c.seek(pos - 1)
		if p.least < int64(level) {
			b, row, err := c.at(pos - 1)
			if err != nil {
				return 0, err
			}
			levels := b.Cols[len(b.Cols)-1].I64
			for ; row >= 0; row-- {
				if levels[row] < int64(level) {
					return p.start + row, nil
				}
			}
		}
		pos = p.start
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
