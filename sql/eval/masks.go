package eval

import (
	"encoding/binary"
	"math"
	"unsafe"

	"gsql/internal/simd"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// masks is the memory for conditions that are tested for all rows, with one bit per row. With
// vector instructions that is faster than testing only the rows that passed earlier conditions.
type masks struct {
	all   []uint64   // the rows that qualify
	spare [][]uint64 // two for each nesting level of alternatives
	words int
}

// maskRows is the smallest number of rows for which masks pay off.
const maskRows = 64

// masked applies the leading conditions that compare flat numbers and returns how many it
// applied. It applies none to small batches, without vector instructions, or if there is only one
// such condition and it has no alternatives.
func (ev *FilterEvaluator) masked(b *vec.Batch) (rows selection, applied int) {
	rows = selection{n: b.N, all: true}
	if b.N < maskRows || simd.Best() == simd.None {
		return rows, 0
	}
	conjuncts := ev.f.conjuncts
	for applied < len(conjuncts) && conjuncts[applied].direct.isMasked(b.Cols) {
		applied++
	}
	if applied == 0 || applied == 1 && conjuncts[0].direct.form != anyOf {
		return rows, 0
	}
	m := &ev.masks
	m.words = (b.N + 63) / 64
	m.all = kernel.Resize(m.all, m.words)
	for i, c := range conjuncts[:applied] {
		if some := m.and(i == 0, c.direct, m.all, b.Cols, 0); !some {
			return rows.keep(nil), applied
		}
	}
	ev.rows[0] = kernel.Resize(ev.rows[0], b.N)
	return rows.keep(ev.rows[0][:simd.Positions(ev.rows[0], m.all, 0)]), applied
}

// isMasked reports whether c compares flat numbers with constants or with each other, or consists
// of alternatives that do. c is nil for a program.
func (c *condition) isMasked(cols []*vec.Vector) bool {
	if c != nil && c.form == anyOf {
		for _, all := range c.any {
			for i := range all {
				if !all[i].isMasked(cols) {
					return false
				}
			}
		}
		return true
	}
	if c == nil || c.form != compared || !c.hasNumbers(cols[c.left]) {
		return false
	}
	return c.right < 0 || c.kind != types.KindDec && c.hasNumbers(cols[c.right])
}

func (c *condition) hasNumbers(v *vec.Vector) bool {
	if v.Form != vec.Flat {
		return false
	}
	return c.kind == types.KindI64 || c.kind == types.KindF64 || c.kind == types.KindDec && v.Narrow
}

// and clears the bits in dst of rows that do not pass c, and reports whether any bit remains. If
// first is set, the previous contents of dst are ignored.
func (m *masks) and(first bool, c *condition, dst []uint64, cols []*vec.Vector, depth int) (some bool) {
	one := dst
	if !first {
		one = m.room(2 * depth)
	}
	m.test(c, one, cols, depth)
	left := uint64(0)
	for i, w := range one {
		if !first {
			w &= dst[i]
			dst[i] = w
		}
		left |= w
	}
	return left != 0
}

// room returns spare buffer i.
func (m *masks) room(i int) []uint64 {
	for len(m.spare) <= i {
		m.spare = append(m.spare, nil)
	}
	m.spare[i] = kernel.Resize(m.spare[i], m.words)
	return m.spare[i]
}

// test sets dst to the bits of the rows that pass c.
func (m *masks) test(c *condition, dst []uint64, cols []*vec.Vector, depth int) {
	if c.form == anyOf {
		clear(dst)
		for _, all := range c.any {
			passed := m.room(2*depth + 1)
			for i := range all {
				if !m.and(i == 0, &all[i], passed, cols, depth+1) {
					break
				}
			}
			for i, w := range passed {
				dst[i] |= w
			}
		}
		return
	}
	v := cols[c.left]
	switch {
	case c.right >= 0:
		w := cols[c.right]
		if c.kind == types.KindF64 {
			compareMasks(dst, v.F64[:v.N], w.F64[:v.N], c.rel)
		} else {
			compareMasks(dst, v.I64[:v.N], w.I64[:v.N], c.rel)
		}
		maskNulls(dst, w)
	case c.kind == types.KindF64:
		compareMask(dst, v.F64[:v.N], math.Float64frombits(c.bits), c.rel)
	default:
		compareMask(dst, v.I64[:v.N], int64(c.bits), c.rel)
	}
	maskNulls(dst, v)
}

// maskNulls clears the bits of the rows where v is NULL.
func maskNulls(dst []uint64, v *vec.Vector) {
	if v.Null == nil {
		return
	}
	null, at := v.Null[:v.N], 0
	for ; at+8 <= len(null); at += 8 {
		// The product moves the lowest bit of byte i, the only one that a bool sets, to bit 56 +
		// i.
		if w := binary.LittleEndian.Uint64(unsafe.Slice((*byte)(unsafe.Pointer(&null[at])), 8)); w != 0 {
			dst[at>>6] &^= w * 0x0102040810204080 >> 56 << (at & 63)
		}
	}
	for i, gone := range null[at:] {
		if gone {
			dst[(at+i)>>6] &^= 1 << ((at + i) & 63)
		}
	}
}

// compareMask is selectVector with a bit mask as its output.
func compareMask[T int64 | float64](dst []uint64, a []T, c T, rel kernel.Relation) {
	var rows [64]int32
	for w := simd.CompareConst(dst, a, c, predicates[rel]) / 64; 64*w < len(a); w++ {
		part := a[64*w : min(64*w+64, len(a))]
		dst[w] = bitsOf(selectConst(rows[:len(part)], part, c, rel, nil))
	}
}

// compareMasks is selectPairs with a bit mask as its output.
func compareMasks[T int64 | float64](dst []uint64, a, b []T, rel kernel.Relation) {
	var rows [64]int32
	for w := simd.Compare(dst, a, b, predicates[rel]) / 64; 64*w < len(a); w++ {
		from, to := 64*w, min(64*w+64, len(a))
		dst[w] = bitsOf(selectPairs(rows[:to-from], a[from:to], b[from:to], rel, nil))
	}
}

func bitsOf(rows []int32) (word uint64) {
	for _, r := range rows {
		word |= 1 << r
	}
	return word
}
