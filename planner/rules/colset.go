package rules

import (
	"math/bits"
	"slices"

	"gsql/sql/expr"
)

// colSet is a set of column ids as a bitmap. The zero value is empty. Sets that are
// stored in a memo must not be changed any more. Few statements have more columns than
// the first word has room for: their sets take no memory of their own.
type colSet struct {
	first uint64   // ids below 64
	rest  []uint64 // those from 64 on
}

func (s colSet) has(id expr.ColID) bool {
	if id < 64 {
		return id >= 0 && s.first&(1<<uint(id)) != 0
	}
	w := int(id)>>6 - 1
	return w < len(s.rest) && s.rest[w]&(1<<(uint(id)&63)) != 0
}

func (s *colSet) add(id expr.ColID) {
	if id < 64 {
		s.first |= 1 << uint(id)
		return
	}
	w := int(id)>>6 - 1
	if w >= len(s.rest) {
		rest := make([]uint64, w+1, w+4) // statements with many columns have sets that grow
		copy(rest, s.rest)
		s.rest = rest
	}
	s.rest[w] |= 1 << (uint(id) & 63)
}

func (s *colSet) addAll(o colSet) {
	s.first |= o.first
	if n := len(o.rest) - len(s.rest); n > 0 {
		s.rest = append(s.rest, make([]uint64, n)...)
	}
	for i, w := range o.rest {
		s.rest[i] |= w
	}
}

func (s colSet) count() int {
	n := bits.OnesCount64(s.first)
	for _, w := range s.rest {
		n += bits.OnesCount64(w)
	}
	return n
}

func (s colSet) clone() colSet {
	s.rest = slices.Clone(s.rest)
	return s
}

func (s colSet) union(o colSet) colSet {
	out := colSet{first: s.first | o.first}
	if n := max(len(s.rest), len(o.rest)); n > 0 {
		out.rest = make([]uint64, n)
		copy(out.rest, s.rest)
		for i, w := range o.rest {
			out.rest[i] |= w
		}
	}
	return out
}

func (s colSet) intersect(o colSet) colSet {
	out := s.clone()
	out.first &= o.first
	out.rest = out.rest[:min(len(out.rest), len(o.rest))]
	for i := range out.rest {
		out.rest[i] &= o.rest[i]
	}
	return out
}

// minus returns the members of s that o lacks.
func (s colSet) minus(o colSet) colSet {
	out := s.clone()
	out.first &^= o.first
	for i := range min(len(out.rest), len(o.rest)) {
		out.rest[i] &^= o.rest[i]
	}
	return out
}

func (s colSet) meets(o colSet) bool {
	if s.first&o.first != 0 {
		return true
	}
	for i := range min(len(s.rest), len(o.rest)) {
		if s.rest[i]&o.rest[i] != 0 {
			return true
		}
	}
	return false
}

func (s colSet) subsetOf(o colSet) bool {
	if s.first&^o.first != 0 {
		return false
	}
	for i, w := range s.rest {
		if i < len(o.rest) {
			w &^= o.rest[i]
		}
		if w != 0 {
			return false
		}
	}
	return true
}

func (s colSet) empty() bool { return s.subsetOf(colSet{}) }

// each calls f for the members in ascending order.
func (s colSet) each(f func(expr.ColID)) {
	eachBit(s.first, 0, f)
	for i, w := range s.rest {
		eachBit(w, i+1, f)
	}
}

func eachBit(w uint64, word int, f func(expr.ColID)) {
	for ; w != 0; w &= w - 1 {
		f(expr.ColID(word<<6 + bits.TrailingZeros64(w)))
	}
}
