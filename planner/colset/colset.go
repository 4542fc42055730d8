// Package colset provides sets of columns, by id, for the rules and the planning of operators.
package colset

import (
	"math/bits"
	"slices"

	"gsql/sql/expr"
)

// Set is a set of column ids as a bitmap. The zero value is empty. Sets stored in a memo must not
// be changed. Most statements have so few columns that all ids fit into the first word: their
// sets allocate no memory.
type Set struct {
	first uint64   // ids below 64
	rest  []uint64 // ids from 64 on
}

// Has reports whether id is a member.
func (s Set) Has(id expr.ColID) bool {
	if id < 64 {
		return id >= 0 && s.first&(1<<uint(id)) != 0
	}
	w := int(id)>>6 - 1
	return w < len(s.rest) && s.rest[w]&(1<<(uint(id)&63)) != 0
}

// Add adds id. Negative ids are ignored.
func (s *Set) Add(id expr.ColID) {
	if id < 64 {
		s.first |= 1 << uint(id)
		return
	}
	w := int(id)>>6 - 1
	if w >= len(s.rest) {
		rest := make([]uint64, w+1, w+4) // spare capacity: sets of statements with many columns grow
		copy(rest, s.rest)
		s.rest = rest
	}
	s.rest[w] |= 1 << (uint(id) & 63)
}

// AddAll adds the members of o.
func (s *Set) AddAll(o Set) {
	s.first |= o.first
	if n := len(o.rest) - len(s.rest); n > 0 {
		s.rest = append(s.rest, make([]uint64, n)...)
	}
	for i, w := range o.rest {
		s.rest[i] |= w
	}
}

// Bound returns an id that no member exceeds.
func (s Set) Bound() expr.ColID { return expr.ColID(64 * (1 + len(s.rest))) }

// Count returns the number of members.
func (s Set) Count() int {
	n := bits.OnesCount64(s.first)
	for _, w := range s.rest {
		n += bits.OnesCount64(w)
	}
	return n
}

// Clone returns a copy that may be changed.
func (s Set) Clone() Set {
	s.rest = slices.Clone(s.rest)
	return s
}

// Union returns the members of either set.
func (s Set) Union(o Set) Set {
	out := Set{first: s.first | o.first}
	if n := max(len(s.rest), len(o.rest)); n > 0 {
		out.rest = make([]uint64, n)
		copy(out.rest, s.rest)
		for i, w := range o.rest {
			out.rest[i] |= w
		}
	}
	return out
}

// Intersect returns the members of both sets.
func (s Set) Intersect(o Set) Set {
	out := s.Clone()
	out.first &= o.first
	out.rest = out.rest[:min(len(out.rest), len(o.rest))]
	for i := range out.rest {
		out.rest[i] &= o.rest[i]
	}
	return out
}

// Minus returns the members of s that o lacks.
func (s Set) Minus(o Set) Set {
	out := s.Clone()
	out.first &^= o.first
	for i := range min(len(out.rest), len(o.rest)) {
		out.rest[i] &^= o.rest[i]
	}
	return out
}

// Meets reports whether the sets have a member in common.
func (s Set) Meets(o Set) bool {
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

// SubsetOf reports whether o has all members of s.
func (s Set) SubsetOf(o Set) bool {
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

// Empty reports whether the set has no members.
func (s Set) Empty() bool { return s.SubsetOf(Set{}) }

// Each calls f for the members in ascending order.
func (s Set) Each(f func(expr.ColID)) {
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
