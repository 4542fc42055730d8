package window

import (
	"gsql/exec/sort"
	"gsql/sql/expr"
	"gsql/sql/vec"
)

// frames holds the frames [from[i], to[i]) of the rows of a block, as positions;
// from[i] <= to[i].
type frames struct{ from, to []int32 }

// framer finds the frames of one frame clause. Blocks may come in any order.
type framer struct {
	o     *Operator
	f     *frame
	stale bool // the frames are those of another block
	frames
	// RANGE with offsets: the positions whose key is not NULL, and where the last search
	// for each end stopped.
	some, none int
	hint       [2]int
}

const (
	startOf = 0
	endOf   = 1
)

func newFramer(o *Operator, f *frame) *framer {
	return &framer{o: o, f: f, frames: frames{from: make([]int32, blockRows), to: make([]int32, blockRows)}}
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
		fr.some = int(p.groups[1])
	case fr.f.Desc && fr.keyIsNull(p.hi-1):
		fr.none = int(p.groups[last-1])
	}
	fr.hint = [2]int{fr.some, fr.some}
}

func (fr *framer) keyIsNull(pos int) bool { return fr.o.cols[fr.f.key].IsNull(int(fr.o.row(pos))) }

// fill gives the frames of rows [lo, hi), at most blockRows of them.
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

// bound writes one end of the frames of the rows from lo on. As positions, a frame ends
// one behind its last row: which is 1 for that end and 0 for the start.
func (fr *framer) bound(p *partition, lo int, b *expr.Bound, which int, out []int32) {
	delta := 0
	size := p.hi - p.lo
	switch b.Kind {
	case expr.UnboundedPreceding:
		fill(out, int32(p.lo))
		return
	case expr.UnboundedFollowing:
		fill(out, int32(p.hi))
		return
	case expr.Preceding:
		delta = -int(min(b.N, int64(size)+1))
	case expr.Following:
		delta = int(min(b.N, int64(size)+1))
	}
	switch {
	case fr.f.Unit == expr.Rows:
		for i := range out {
			out[i] = int32(min(max(lo+i+delta+which, p.lo), p.hi))
		}
	case b.Value != nil:
		fr.byValue(p, lo, b, which, out)
	default:
		byGroup(p, lo, delta+which, out)
	}
}

func fill(out []int32, x int32) {
	for i := range out {
		out[i] = x
	}
}

// byGroup writes the start of the group that is shift groups away.
func byGroup(p *partition, lo, shift int, out []int32) {
	g, last := p.group(lo), len(p.groups)-1
	for i := range out {
		if lo+i >= int(p.groups[g+1]) {
			g++
		}
		out[i] = p.groups[min(max(g+shift, 0), last)]
	}
}

// byValue searches the positions of the bound's values, once for each group of peers.
func (fr *framer) byValue(p *partition, lo int, b *expr.Bound, which int, out []int32) {
	col := fr.f.start
	if which == endOf {
		col = fr.f.end
	}
	value := fr.o.cols[col]
	g := p.group(lo)
	known := false
	var at int32
	for i := range out {
		if lo+i >= int(p.groups[g+1]) {
			g++
			known = false
		}
		if !known {
			at, known = int32(fr.find(p, g, lo+i, value, b.Kind, which)), true
		}
		out[i] = at
	}
}

// find gives the position of a bound for the row at pos of group g. A row whose key is
// NULL has its peers for a frame.
func (fr *framer) find(p *partition, g, pos int, value *vec.Vector, kind expr.BoundKind, which int) int {
	row := fr.o.row(pos)
	switch {
	case pos < fr.some || pos >= fr.none:
		return int(p.groups[g+which])
	case value.IsNull(int(row)) && kind == expr.Preceding:
		return fr.some
	case value.IsNull(int(row)):
		return fr.none
	}
	at := fr.search(value, row, which)
	fr.hint[which] = at
	return at
}

// search gives the first position at which the key has reached the bound's value, or,
// for the end of a frame, is beyond it. It gallops from where the last search stopped.
func (fr *framer) search(value *vec.Vector, row int32, which int) int {
	lo, hi := fr.some, fr.none // the answer is in [lo, hi]
	if h := fr.hint[which]; h > lo && fr.reached(h-1, value, row, which) {
		hi = h - 1
	} else {
		lo = h
		for step := 1; lo+step <= hi; step *= 2 {
			if fr.reached(lo+step-1, value, row, which) {
				hi = lo + step - 1
				break
			}
			lo += step
		}
	}
	for lo < hi {
		if mid := (lo + hi) / 2; fr.reached(mid, value, row, which) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

func (fr *framer) reached(pos int, value *vec.Vector, row int32, which int) bool {
	d := sort.Compare(fr.o.cols[fr.f.key], fr.o.row(pos), value, row)
	if fr.f.Desc {
		d = -d
	}
	return d >= which
}
