package rules

import (
	"math/bits"

	"gsql/sql/expr"
)

// colSet is a set of column ids as a bitmap. The zero value is empty. Sets that are
// stored in a memo must not be changed any more.
type colSet []uint64

func (s colSet) has(id expr.ColID) bool {
	w := int(id) >> 6
	return id >= 0 && w < len(s) && s[w]&(1<<(uint(id)&63)) != 0
}

func (s *colSet) add(id expr.ColID) {
	w := int(id) >> 6
	for len(*s) <= w {
		*s = append(*s, 0)
	}
	(*s)[w] |= 1 << (uint(id) & 63)
}

func (s *colSet) addAll(o colSet) {
	for len(*s) < len(o) {
		*s = append(*s, 0)
	}
	for i, w := range o {
		(*s)[i] |= w
	}
}

func (s colSet) count() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

func (s colSet) clone() colSet { return append(colSet(nil), s...) }

func (s colSet) union(o colSet) colSet {
	out := s.clone()
	out.addAll(o)
	return out
}

func (s colSet) intersect(o colSet) colSet {
	out := make(colSet, min(len(s), len(o)))
	for i := range out {
		out[i] = s[i] & o[i]
	}
	return out
}

// minus gives the members of s that o lacks.
func (s colSet) minus(o colSet) colSet {
	out := s.clone()
	for i := range out {
		if i < len(o) {
			out[i] &^= o[i]
		}
	}
	return out
}

func (s colSet) meets(o colSet) bool {
	for i := range min(len(s), len(o)) {
		if s[i]&o[i] != 0 {
			return true
		}
	}
	return false
}

func (s colSet) subsetOf(o colSet) bool {
	for i, w := range s {
		if i < len(o) {
			w &^= o[i]
		}
		if w != 0 {
			return false
		}
	}
	return true
}

func (s colSet) empty() bool {
	for _, w := range s {
		if w != 0 {
			return false
		}
	}
	return true
}

// each calls f for the members in ascending order.
func (s colSet) each(f func(expr.ColID)) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			f(expr.ColID(i<<6 + bits.TrailingZeros64(w)))
		}
	}
}
