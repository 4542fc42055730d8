package groupjoin

import (
	"math"
	"slices"

	"gsql/exec/search"
	"gsql/sql/vec"
)

// spans are windows of positions, one a row of the probe side; where lo2 is set a row has
// a second one. In a sweep only the first entered[i] rows to enter are in the window.
type spans struct {
	lo, hi   []int32
	lo2, hi2 []int32
	entered  []int32
}

// resize makes room for n windows, with a second one or a sweep's where these are used.
func (s *spans) resize(n int, second, sweep bool) {
	s.lo, s.hi = slices.Grow(s.lo[:0], n)[:n], slices.Grow(s.hi[:0], n)[:n]
	if second {
		s.lo2, s.hi2 = slices.Grow(s.lo2[:0], n)[:n], slices.Grow(s.hi2[:0], n)[:n]
	}
	if sweep {
		s.entered = slices.Grow(s.entered[:0], n)[:n]
	}
}

// move copies window i to place k.
func (s *spans) move(k, i int) {
	s.lo[k], s.hi[k] = s.lo[i], s.hi[i]
	if s.lo2 != nil {
		s.lo2[k], s.hi2[k] = s.lo2[i], s.hi2[i]
	}
}

// cut keeps the first n windows.
func (s *spans) cut(n int) {
	s.lo, s.hi = s.lo[:n], s.hi[:n]
	if s.lo2 != nil {
		s.lo2, s.hi2 = s.lo2[:n], s.hi2[:n]
	}
}

// part gives windows [from, to).
func (s *spans) part(from, to int) *spans { return &spans{lo: s.lo[from:to], hi: s.hi[from:to]} }

// rows gives the rows in the windows of i.
func (s *spans) rows(i int) int64 {
	n := int64(s.hi[i] - s.lo[i])
	if s.lo2 != nil {
		n += int64(s.hi2[i] - s.lo2[i])
	}
	return n
}

// prober finds the windows of rows of the probe side, for one goroutine.
type prober struct {
	x        *index
	nullSafe []bool
	operands []operand
	finder   finder
	flat     vec.Vector
	words    [][]uint64 // by operand
	skip     []bool
	group    []int32
	lo, hi   []uint64
}

func newProber(x *index, nullSafe []bool, operands []operand) *prober {
	return &prober{x: x, nullSafe: nullSafe, operands: operands, finder: finder{directory: x.groups}}
}

// find gives the windows of n rows with the given keys and operands; those of rows
// without partners are empty.
func (p *prober) find(n int, keys, operands []*vec.Vector, out *spans) {
	x := p.x
	p.skip = slices.Grow(p.skip[:0], n)[:n]
	clear(p.skip)
	p.encode(n, operands)
	out.resize(n, len(x.tests) == 1 && x.tests[0].excludes(), x.sweep != nil)
	p.inGroups(n, keys, out)
	p.lo, p.hi = slices.Grow(p.lo[:0], n)[:n], slices.Grow(p.hi[:0], n)[:n]
	switch {
	case x.sweep != nil:
		x.sweep.locate(p, out)
	case len(x.tests) > 0:
		for i := range x.tests {
			x.tests[i].window(p.lo, p.hi, p.words)
			p.narrow(i, out)
		}
		if x.tests[0].excludes() {
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
		p.x.tests[p.operands[i].test].coder.encode(p.words[i], v.Flatten(&p.flat), p.skip)
	}
}

// inGroups starts with the windows of the rows' groups.
func (p *prober) inGroups(n int, keys []*vec.Vector, out *spans) {
	if p.x.groups == nil {
		for i := range n {
			out.lo[i], out.hi[i] = 0, int32(len(p.x.rows))
		}
		return
	}
	skipUnequal(flattened(keys), p.nullSafe, p.skip)
	p.group = slices.Grow(p.group[:0], n)[:n]
	p.finder.groups(keys, p.group)
	for i, g := range p.group {
		if g < 0 {
			out.lo[i], out.hi[i] = 0, 0
			continue
		}
		out.lo[i], out.hi[i] = p.x.start[g], p.x.start[g+1]
	}
}

func flattened(vs []*vec.Vector) []*vec.Vector {
	out := make([]*vec.Vector, len(vs))
	for i, v := range vs {
		out[i] = v.Flatten(nil)
	}
	return out
}

// narrow cuts the windows to the positions whose words pass test t, except for "<>":
// these then hold what is not wanted, and the second windows the group.
func (p *prober) narrow(t int, out *spans) {
	x := p.x
	if x.tests[t].excludes() {
		copy(out.lo2, out.lo)
		copy(out.hi2, out.hi)
	}
	if x.find != nil && t == 0 {
		below, above := x.tests[t].bounded()
		if below || x.tests[t].excludes() {
			search.AllBelow(x.find, p.lo, out.lo)
		}
		if above || x.tests[t].excludes() {
			search.AllUpTo(x.find, p.hi, 0, out.hi)
		}
		return
	}
	words, within := x.words[t], ascending
	if t == 1 && x.falls {
		within = descending
	}
	for i, lo := range p.lo {
		out.lo[i], out.hi[i] = within(words, out.lo[i], out.hi[i], lo, p.hi[i])
	}
}

// exclude turns the windows of what is not wanted into what is before and after them.
func (p *prober) exclude(n int, out *spans) {
	for i := range n {
		if p.skip[i] || out.lo2[i] >= out.hi2[i] {
			out.lo2[i], out.hi2[i] = 0, 0
			out.lo[i], out.hi[i] = 0, 0
			continue
		}
		before, after := out.lo2[i], out.hi2[i]
		out.lo2[i], out.hi2[i] = out.hi[i], after
		out.lo[i], out.hi[i] = before, out.lo[i]
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

// firstUpTo gives the first position in [from, to) of descending words with a word of at
// most x.
func firstUpTo(words []uint64, from, to int32, x uint64) int32 {
	if x == math.MaxUint64 {
		return from
	}
	return firstBelow(words, from, to, x+1)
}

// firstBelow gives the first position in [from, to) of descending words with a word below x.
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
