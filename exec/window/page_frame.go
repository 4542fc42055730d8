package window

import (
	"gsql/exec/sort"
	"gsql/sql/expr"
	"gsql/sql/vec"
)

// pageFramer computes the frames of a frame clause for rows on disk, block by block in ascending
// order.
type pageFramer struct {
	f     *frame
	order int // groups of peers start at rows with a level less than this
	cursor
	frames
	some, none int // as in framer
	ends       [2]struct {
		number, at int // the last group of peers that was searched for, and its start
		hint       int
	}
	err error // of reading from disk
}

func newPageFramer(r *ordered, s *spec, f *frame) *pageFramer {
	return &pageFramer{f: f, order: s.order, cursor: cursor{r: r}, frames: frames{from: make([]int, blockRows), to: make([]int, blockRows)}}
}

// begin prepares for a partition.
func (fr *pageFramer) begin(p *partition) error {
	for which := range fr.ends {
		fr.ends[which].number, fr.ends[which].at = 0, p.lo
	}
	fr.some, fr.none = p.lo, p.hi
	if fr.f.Key == nil {
		return nil
	}
	at := p.lo
	if fr.f.Desc {
		at = p.hi - 1
	}
	b, row, err := fr.at(at)
	if err == nil && b.Cols[fr.f.key].IsNull(row) {
		if fr.f.Desc {
			fr.none, err = fr.before(p.hi, fr.order)
		} else {
			fr.some, err = fr.next(p.lo+1, p.hi, fr.order)
		}
	}
	fr.ends[startOf].hint, fr.ends[endOf].hint = fr.some, fr.some
	return err
}

// fill returns the frames of rows [lo, hi), which are all in one page.
func (fr *pageFramer) fill(p *partition, page *vec.Batch, lo, hi int) (*frames, error) {
	fr.from, fr.to = fr.from[:hi-lo], fr.to[:hi-lo]
	fr.bound(p, page, lo, &fr.f.Start, startOf, fr.from)
	fr.bound(p, page, lo, &fr.f.End, endOf, fr.to)
	for i, from := range fr.from {
		fr.to[i] = max(fr.to[i], from)
	}
	return &fr.frames, fr.err
}

// bound writes one end of the frames of the rows from lo on; see framer.bound.
func (fr *pageFramer) bound(p *partition, page *vec.Batch, lo int, b *expr.Bound, which int, out []int) {
	shift := distance(p, b) + which
	if fr.f.byPlace(p, lo, b, shift, out) {
		return
	}
	at := 0
	for i, g := 0, p.group(lo)-1; i < len(out); i++ {
		if g < 0 || lo+i >= p.groups[g+1] {
			g = p.group(lo + i)
			if b.Value == nil {
				at = fr.group(p, g, shift, which)
			} else {
				at = fr.find(p, g, page, lo+i, b.Kind, which)
			}
		}
		out[i] = at
	}
}

// group returns the start of the group that is shift groups away from group g of p.
func (fr *pageFramer) group(p *partition, g, shift, which int) int {
	e := &fr.ends[which]
	target := p.before + g + shift
	switch {
	case target <= 0:
		return p.lo
	case g+shift >= 0 && g+shift < len(p.groups):
		e.number, e.at = target, p.groups[g+shift]
	}
	for e.number < target && e.at < p.hi && fr.err == nil {
		e.at, fr.err = fr.next(e.at+1, p.hi, fr.order)
		e.number++
	}
	return e.at
}

// find returns the position of a bound by value; see framer.find.
func (fr *pageFramer) find(p *partition, g int, page *vec.Batch, pos int, kind expr.BoundKind, which int) int {
	col := fr.f.start
	if which == endOf {
		col = fr.f.end
	}
	value, row := page.Cols[col], pos-p.base
	switch {
	case pos < fr.some || pos >= fr.none:
		return p.groups[g+which]
	case value.IsNull(row) && kind == expr.Preceding:
		return fr.some
	case value.IsNull(row):
		return fr.none
	}
	hint := &fr.ends[which].hint
	*hint = gallop(fr.some, fr.none, *hint, func(at int) bool {
		b, k, err := fr.at(at)
		if err != nil {
			fr.err = err
			return true
		}
		return fr.f.reached(sort.Compare(b.Cols[fr.f.key], int32(k), value, int32(row)), which)
	})
	return *hint
}
