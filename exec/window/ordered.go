package window

import (
	"errors"

	"gsql/exec/op"
	"gsql/exec/sort"
	"gsql/exec/spill"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// ordered holds rows on disk in the order of the keys. They are in pages and found by number.
// After their columns come their levels (see Operator.levels); the level of the first row is less
// than all others.
type ordered struct {
	file     *spill.File
	pages    *list[page]
	rows     int
	mostRows int // in a page
	pool     *pool
}

// page locates some rows.
type page struct {
	block spill.Block
	start int   // number of the first row
	least int64 // the least level of its rows
}

// end returns the number of the row after the last one.
func (p *page) end() int { return p.start + p.block.Rows }

// holds reports whether row pos is in the page.
func (p *page) holds(pos int) bool { return pos >= p.start && pos < p.end() }

func (r *ordered) close() error {
	err := r.pages.reset()
	r.pool.free()
	return errors.Join(err, r.file.Close())
}

// pageOf returns the page that contains row pos and its number; it looks near page near first.
func (r *ordered) pageOf(pos, near int) (number int, p page, err error) {
	for i := max(near-1, 0); i < min(near+2, r.pages.n); i++ {
		if p, err = r.pages.at(i); err != nil || p.holds(pos) {
			return i, p, err
		}
	}
	lo, hi := 0, r.pages.n
	for {
		mid := (lo + hi) / 2
		switch p, err = r.pages.at(mid); {
		case err != nil || p.holds(pos):
			return mid, p, err
		case p.start > pos:
			hi = mid
		default:
			lo = mid + 1
		}
	}
}

// ordering writes rows that come in order to pages.
type ordering struct {
	o    *Operator
	to   *ordered
	rows int           // per page
	last []*vec.Vector // the compared keys of the last row
}

// putInOrder writes pages of the rows of in, which are in order, except the first skip ones.
func (o *Operator) putInOrder(in op.Stream, skip int, pool *pool) (*ordered, error) {
	file, err := o.ctx.Spill.Create(append(o.types[:len(o.types):len(o.types)], types.T(types.Int64)))
	if err != nil {
		return nil, err
	}
	w := ordering{o: o, to: &ordered{file: file, pages: newList[page](pool, o.ctx.Spill), pool: pool}, rows: leastPageRows}
	for err == nil {
		var b *vec.Batch
		if b, err = in.Next(); b == nil || err != nil {
			break
		}
		n := min(skip, b.N)
		skip -= n
		if n < b.N {
			err = w.add(b.Slice(n, b.N))
		}
	}
	return w.to, err
}

// add writes rows to pages of about the size that the pool wants.
func (w *ordering) add(b *vec.Batch) error {
	levels, err := w.levels(b)
	if err != nil {
		return err
	}
	all := &vec.Batch{Cols: append(b.Cols[:len(b.Cols):len(b.Cols)], levels), N: b.N}
	for lo := 0; lo < b.N; {
		hi := min(lo+w.rows, b.N)
		if err := w.put(all.Slice(lo, hi), levels.I64[lo:hi]); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

func (w *ordering) put(b *vec.Batch, levels []int64) error {
	r := w.to
	block, err := r.file.Write(b)
	if err != nil {
		return err
	}
	p := page{block, r.rows, levels[0]}
	for _, level := range levels {
		p.least = min(p.least, level)
	}
	if err := r.pages.append(p); err != nil {
		return err
	}
	r.rows, r.mostRows = r.rows+b.N, max(r.mostRows, b.N)
	perRow := block.Bytes()/int64(b.N) + 1
	w.rows = int(min(max(r.pool.pageBytes()/2/perRow, leastPageRows), int64(w.o.ctx.Rows())))
	return nil
}

// levels returns the levels of the next rows.
func (w *ordering) levels(b *vec.Batch) (*vec.Vector, error) {
	part := &Operator{cols: b.Cols, n: b.N, keys: w.o.keys, specs: w.o.specs, ctx: w.o.ctx, account: w.o.account}
	if err := part.findChanges(); err != nil {
		return nil, err
	}
	out := vec.NewFlat(types.T(types.Int64), b.N)
	for i, level := range part.levels.S {
		out.I64[i] = int64(level)
	}
	part.levels.Free()
	keys := w.o.keys[:w.o.compared()]
	if w.to.rows == 0 {
		out.I64[0] = -1
	} else {
		for k := len(keys) - 1; k >= 0; k-- {
			if sort.Compare(b.Cols[keys[k].col], 0, w.last[k], 0) != 0 {
				out.I64[0] = int64(k)
			}
		}
	}
	last := vec.Select(b, []int32{int32(b.N - 1)})
	w.last = w.last[:0]
	for _, k := range keys {
		w.last = append(w.last, last.Cols[k.col].Flatten(nil))
	}
	return out, nil
}
