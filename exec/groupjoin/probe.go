package groupjoin

import (
	"math"
	"slices"

	"gsql/exec/search"
	"gsql/sql/vec"
)

// windowList holds windows of positions, one per row of the probe side; if lo2 is set, each row has
// a second one. In a sweep, rows are processed in the order of sweepKey, and only the first
// entered[i] positions in the order of entering are in window i.
type windowList struct {
	lo, hi   []int32
	lo2, hi2 []int32
	sweepKey []uint64
	entered  []int32
}

// resize allocates n windows. If used, it also allocates their second windows or the data of a
// sweep.
func (s *windowList) resize(n int, second, sweep bool) {
	s.lo, s.hi = slices.Grow(s.lo[:0], n)[:n], slices.Grow(s.hi[:0], n)[:n]
	if second {
		s.lo2, s.hi2 = slices.Grow(s.lo2[:0], n)[:n], slices.Grow(s.hi2[:0], n)[:n]
	}
	if sweep {
		s.sweepKey = slices.Grow(s.sweepKey[:0], n)[:n]
	}
}

// move copies window i to position k.
func (s *windowList) move(k, i int) {
	s.lo[k], s.hi[k] = s.lo[i], s.hi[i]
	if s.lo2 != nil {
		s.lo2[k], s.hi2[k] = s.lo2[i], s.hi2[i]
	}
}

// cut keeps the first n windows.
func (s *windowList) cut(n int) {
	s.lo, s.hi = s.lo[:n], s.hi[:n]
	if s.lo2 != nil {
		s.lo2, s.hi2 = s.lo2[:n], s.hi2[:n]
	}
}

// part returns windows [from, to).
func (s *windowList) part(from, to int) *windowList {
	return &windowList{lo: s.lo[from:to], hi: s.hi[from:to]}
}

// rows returns the number of rows in the windows of row i.
func (s *windowList) rows(i int) int64 {
	n := int64(s.hi[i] - s.lo[i])
	if s.lo2 != nil {
		n += int64(s.hi2[i] - s.lo2[i])
	}
	return n
}

// sums writes the sums over the windows, computed from prefix sums of the values.
func (s *windowList) sums(prefix, dst []int64) {
	for i := range dst {
		dst[i] = prefix[s.hi[i]] - prefix[s.lo[i]]
	}
	if s.lo2 != nil {
		for i := range dst {
			dst[i] += prefix[s.hi2[i]] - prefix[s.lo2[i]]
		}
	}
}

// prober finds the windows of rows of the probe side, for one goroutine.
type prober struct {
	x        *index
	operands []operand
	numberer *numberer // nil without keys
	flat     vec.Vector
	words    [][]uint64 // by operand
	skip     []bool
	group    []uint64
	lo, hi   []uint64
}

func newProber(x *index, operands []operand) *prober {
	p := &prober{x: x, operands: operands}
	if x.groups != nil {
		p.numberer = x.groups.numberer()
	}
	return p
}

// find writes the windows of n rows with the given keys and operands to out. Rows without
// partners get empty windows.
func (p *prober) find(n int, keys, operands []*vec.Vector, out *windowList) {
	x := p.x
	p.skip = slices.Grow(p.skip[:0], n)[:n]
	clear(p.skip)
	p.encode(n, operands)
	excludes := x.tests[0].excludes()
	out.resize(n, excludes, x.sweep != nil)
	p.lo, p.hi = slices.Grow(p.lo[:0], n)[:n], slices.Grow(p.hi[:0], n)[:n]
	if p.numberer != nil {
		p.group = slices.Grow(p.group[:0], n)[:n]
		p.numberer.numbers(keys, p.group, p.skip)
	}
	switch {
	case x.sweep != nil:
		x.sweep.locate(p, out)
	default:
		below, above := p.window(x.first, x.by.codes)
		p.bounds(x.by, below || excludes, above || excludes, out.lo, out.hi)
		if x.second != nil {
			p.window(1-x.first, x.codes)
			p.narrow(out)
		}
		if excludes {
			p.exclude(n, out)
		}
	}
	for i, skip := range p.skip {
		if skip || out.lo[i] >= out.hi[i] {
			out.lo[i], out.hi[i] = 0, 0
		}
	}
}

// encode computes the words of the operands.
func (p *prober) encode(n int, operands []*vec.Vector) {
	for len(p.words) < len(operands) {
		p.words = append(p.words, nil)
	}
	for i, v := range operands {
		p.words[i] = slices.Grow(p.words[i][:0], n)[:n]
		p.x.tests[p.operands[i].test].encoder.Encode(p.words[i], v.Flatten(&p.flat), p.skip)
	}
}

// window computes the windows of test t, preceded by the rows' groups if there are codes, and
// reports at which ends they are bounded. It marks rows with an empty window in skip.
func (p *prober) window(t int, codes *shortCodes) (below, above bool) {
	p.x.tests[t].window(p.lo, p.hi, p.words)
	for i, lo := range p.lo {
		p.skip[i] = p.skip[i] || lo > p.hi[i]
	}
	if codes == nil {
		return p.x.tests[t].bounded()
	}
	codes.prefix(p.group, p.hi)
	for i, lo := range p.lo {
		if lo == 0 {
			p.lo[i] = p.group[i] << codes.bits
		} else {
			p.lo[i] = (p.group[i]<<codes.bits | codes.of(lo-1)) + 1
		}
	}
	return true, true
}

// bounds writes the positions of the windows: the numbers of words below the windows, or 0 if
// they are not bounded there, and the numbers of words up to their last ones.
func (p *prober) bounds(s *ordering, below, above bool, lo, hi []int32) {
	if below {
		search.AllBelow(s.find, p.lo, lo)
	} else {
		clear(lo)
	}
	if above {
		search.AllUpTo(s.find, p.hi, 0, hi)
		return
	}
	for i := range hi {
		hi[i] = int32(len(s.find.S))
	}
}

func flattened(vs []*vec.Vector) []*vec.Vector {
	out := make([]*vec.Vector, len(vs))
	for i, v := range vs {
		out[i] = v.Flatten(nil)
	}
	return out
}

// narrow narrows the windows to the positions whose second words pass.
func (p *prober) narrow(out *windowList) {
	within := ascending
	if p.x.falls {
		within = descending
	}
	for i, lo := range p.lo {
		if out.lo[i] < out.hi[i] {
			out.lo[i], out.hi[i] = within(p.x.second, out.lo[i], out.hi[i], lo, p.hi[i])
		}
	}
}

// exclude replaces the windows of rows that do not match by the windows before and after them in
// their groups.
func (p *prober) exclude(n int, out *windowList) {
	by := p.x.by
	for i := range n {
		first, last := int32(0), int32(len(by.find.S))
		if by.codes != nil {
			first, last = by.find.Below(p.group[i]<<by.codes.bits), by.find.UpTo(p.group[i]<<by.codes.bits|by.codes.last)
		}
		if p.skip[i] || first >= last {
			out.lo2[i], out.hi2[i] = 0, 0
			out.lo[i], out.hi[i] = 0, 0
			continue
		}
		out.lo2[i], out.hi2[i] = out.hi[i], last
		out.lo[i], out.hi[i] = first, out.lo[i]
	}
}

// ascending narrows positions [from, to) of ascending words to those in [lo, hi].
func ascending(words []uint64, from, to int32, lo, hi uint64) (int32, int32) {
	if lo > hi {
		return from, from
	}
	if lo > 0 {
		from = search.LowerBound(words, from, to, lo)
	}
	if hi != math.MaxUint64 {
		to = search.LowerBound(words, from, to, hi+1)
	}
	return from, to
}

// descending narrows positions [from, to) of descending words to those in [lo, hi].
func descending(words []uint64, from, to int32, lo, hi uint64) (int32, int32) {
	if lo > hi {
		return from, from
	}
	return firstUpTo(words, from, to, hi), firstBelow(words, from, to, lo)
}

// firstUpTo returns the first position in [from, to) of descending words with a word of at
// most x.
func firstUpTo(words []uint64, from, to int32, x uint64) int32 {
	if x == math.MaxUint64 {
		return from
	}
	return firstBelow(words, from, to, x+1)
}

// firstBelow returns the first position in [from, to) of descending words with a word below x.
func firstBelow(words []uint64, from, to int32, x uint64) int32 {
	for from < to {
		mid := from + (to-from)/2
		if words[mid] >= x {
			from = mid + 1
		} else {
			to = mid
		}
	}
	return from
}
