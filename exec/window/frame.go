package window

import (
	"gsql/exec/sort"
	"gsql/sql/expr"
	"gsql/sql/vec"
)

// frames holds the frames [from[i], to[i]) of the rows of a block, as positions;
// from[i] <= to[i].
type frames struct{ from, to []int }

// framer computes the frames of one frame clause. Blocks may come in any order.
type framer struct {
	o     *Operator
	f     *frame
	stale bool // the frames are those of another block
	frames
	// RANGE with offsets: the positions whose key is not NULL, and the result of the last search
	// for each end.
	some, none int
	hint       [2]int
}

const (
	startOf = 0
	endOf   = 1
)

func newFramer(o *Operator, f *frame) *framer {
	return &framer{o: o, f: f, frames: frames{from: make([]int, blockRows), to: make([]int, blockRows)}}
}

// begin prepares for a partition.
func (fr *framer) begin(p *partition) {
	if fr.f.Key == nil {
		return
	}
	fr.some, fr.none = p.lo, p.hi
	last := len(p.groups) - 1
	switch {
	case !fr.f.Desc && fr.keyIsNull(p.lo):
		fr.some = p.groups[1]
	case fr.f.Desc && fr.keyIsNull(p.hi-1):
		fr.none = p.groups[last-1]
	}
	fr.hint = [2]int{fr.some, fr.some}
}

func (fr *framer) keyIsNull(pos int) bool { return fr.o.cols[fr.f.key].IsNull(int(fr.o.row(pos))) }

// fill returns the frames of rows [lo, hi). There are at most blockRows.
func (fr *framer) fill(p *partition, lo, hi int) *frames {
	if !fr.stale {
		return &fr.frames
	}
	fr.stale = false
	fr.from, fr.to = fr.from[:hi-lo], fr.to[:hi-lo]
	fr.bound(p, lo, &fr.f.Start, startOf, fr.from)
	fr.bound(p, lo, &fr.f.End, endOf, fr.to)
	for i, from := range fr.from {
		fr.to[i] = max(fr.to[i], from)
	}
	return &fr.frames
}

// bound writes one end of the frames of the rows from lo on. Frames are half-open, so which, 1
// for the end and 0 for the start, is added to distances.
func (fr *framer) bound(p *partition, lo int, b *expr.Bound, which int, out []int) {
	switch delta := distance(p, b); {
	case fr.f.byPlace(p, lo, b, delta+which, out):
	case b.Value != nil:
		fr.byValue(p, lo, b, which, out)
	default:
		byGroup(p, lo, delta+which, out)
	}
}

// distance returns how many rows or groups away a bound is, but at most one more than p has rows.
func distance(p *partition, b *expr.Bound) int {
	n := int(min(b.N, int64(p.hi-p.lo)+1))
	switch b.Kind {
	case expr.Preceding:
		return -n
	case expr.Following:
		return n
	}
	return 0
}

// byPlace writes a bound that is an end of the partition or a number of rows away. It returns
// false for other bounds.
func (f *frame) byPlace(p *partition, lo int, b *expr.Bound, shift int, out []int) bool {
	switch {
	case b.Kind == expr.UnboundedPreceding:
		fill(out, p.lo)
	case b.Kind == expr.UnboundedFollowing:
		fill(out, p.hi)
	case f.Unit == expr.Rows:
		for i := range out {
			out[i] = min(max(lo+i+shift, p.lo), p.hi)
		}
	default:
		return false
	}
	return true
}

func fill(out []int, x int) {
	for i := range out {
		out[i] = x
	}
}

// byGroup writes the start of the group that is shift groups away.
func byGroup(p *partition, lo, shift int, out []int) {
	g, last := p.group(lo), len(p.groups)-1
	for i := range out {
		if lo+i >= p.groups[g+1] {
			g++
		}
		out[i] = p.groups[min(max(g+shift, 0), last)]
	}
}

// byValue searches for the positions of the bound's values, once for each group of peers.
func (fr *framer) byValue(p *partition, lo int, b *expr.Bound, which int, out []int) {
	col := fr.f.start
	if which == endOf {
		col = fr.f.end
	}
	value := fr.o.cols[col]
	g := p.group(lo)
	known := false
	at := 0
	for i := range out {
		if lo+i >= p.groups[g+1] {
			g++
			known = false
		}
		if !known {
			at, known = fr.find(p, g, lo+i, value, b.Kind, which), true
		}
		out[i] = at
	}
}

// find returns the position of a bound for the row at pos, in group g. The frame of a row whose
// key is NULL consists of its peers.
func (fr *framer) find(p *partition, g, pos int, value *vec.Vector, kind expr.BoundKind, which int) int {
	row := fr.o.row(pos)
	switch {
	case pos < fr.some || pos >= fr.none:
		return p.groups[g+which]
	case value.IsNull(int(row)) && kind == expr.Preceding:
		return fr.some
	case value.IsNull(int(row)):
		return fr.none
	}
	at := fr.search(value, row, which)
	fr.hint[which] = at
	return at
}

// search returns the first position at which the key has reached the bound's value or, for the
// end of a frame, is beyond it. It gallops from the result of the last search.
func (fr *framer) search(value *vec.Vector, row int32, which int) int {
	key := fr.o.cols[fr.f.key]
	return gallop(fr.some, fr.none, fr.hint[which], func(pos int) bool {
		return fr.f.reached(sort.Compare(key, fr.o.row(pos), value, row), which)
	})
}

// gallop returns the first of positions [lo, hi) for which reached is true, or hi. If reached is
// true for a position, it is true for all later ones. The search starts near a hint.
func gallop(lo, hi, hint int, reached func(pos int) bool) int {
	if hint > lo && reached(hint-1) {
		hi = hint - 1
	} else {
		lo = hint
		for step := 1; lo+step <= hi; step *= 2 {
			if reached(lo + step - 1) {
				hi = lo + step - 1
				break
			}
			lo += step
		}
	}
	for lo < hi {
		if mid := (lo + hi) / 2; reached(mid) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// reached reports whether a row is at a bound or, for the end of a frame, beyond it. compared is
// the result of comparing the row's key with the bound's value.
func (f *frame) reached(compared, which int) bool {
	if f.Desc {
		compared = -compared
	}
	return compared >= which
}
