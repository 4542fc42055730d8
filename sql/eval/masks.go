package eval

import (
	"math"

	"gsql/internal/simd"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// masks are the memory for conditions that are tested for all rows, a bit each: with vector
// instructions that takes less than looking at the rows that others have left.
type masks struct{ all, one []uint64 }

// maskRows is the least number of rows worth it.
const maskRows = 64

// masked applies the first conditions, as many as compare flat numbers with constants, if there
// are several, and gives their number.
func (ev *FilterEvaluator) masked(b *vec.Batch) (rows selection, applied int) {
	rows = selection{n: b.N, all: true}
	if b.N < maskRows || simd.Best() == simd.None {
		return rows, 0
	}
	conjuncts := ev.f.conjuncts
	for applied < len(conjuncts) && conjuncts[applied].direct.isMasked(b.Cols) {
		applied++
	}
	if applied < 2 {
		return rows, 0
	}
	words := (b.N + 63) / 64
	m := &ev.masks
	m.all, m.one = resize(m.all, words), resize(m.one, words)
	dst := m.all
	for _, c := range conjuncts[:applied] {
		if some := c.direct.mask(dst, m.all, b.Cols[c.direct.left]); !some {
			return rows.keep(nil), applied
		}
		dst = m.one
	}
	ev.rows[0] = resize(ev.rows[0], b.N)
	idx := ev.rows[0][:simd.Positions(ev.rows[0], m.all)]
	for _, c := range conjuncts[:applied] {
		idx = dropNulls(idx, b.Cols[c.direct.left].Null)
	}
	return rows.keep(idx), applied
}

// isMasked tells whether c, nil for a program, compares a flat number with a constant.
func (c *condition) isMasked(cols []*vec.Vector) bool {
	if c == nil || c.form != compared || c.right >= 0 {
		return false
	}
	v := cols[c.left]
	if v.Form != vec.Flat {
		return false
	}
	return c.kind == types.KindI64 || c.kind == types.KindF64 || c.kind == types.KindDec && v.Narrow
}

// mask writes the bits of the rows of v that pass to dst and keeps those in all, which dst may
// be; false: none is left.
func (c *condition) mask(dst, all []uint64, v *vec.Vector) (some bool) {
	if c.kind == types.KindF64 {
		compareMask(dst, v.F64[:v.N], math.Float64frombits(c.bits), c.rel)
	} else {
		compareMask(dst, v.I64[:v.N], int64(c.bits), c.rel)
	}
	left := uint64(0)
	for i, w := range dst {
		if &dst[0] != &all[0] {
			w &= all[i]
			all[i] = w
		}
		left |= w
	}
	return left != 0
}

// compareMask is selectVector to bits.
func compareMask[T int64 | float64](dst []uint64, a []T, c T, rel relation) {
	var rows [64]int32
	for w := simd.CompareConst(dst, a, c, predicates[rel]) / 64; 64*w < len(a); w++ {
		part := a[64*w : min(64*w+64, len(a))]
		dst[w] = 0
		for _, r := range selectConst(rows[:len(part)], part, c, rel, nil) {
			dst[w] |= 1 << r
		}
	}
}
