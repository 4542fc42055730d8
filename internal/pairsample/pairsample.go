// Package pairsample counts the pairs of sampled outer and inner rows that satisfy several
// conditions together. It estimates how many candidates each way of running a join by comparisons
// has, whatever the correlation of its columns.
package pairsample

import "math/bits"

// Sample has the conditions on all pairs of outer and inner rows. Each is true for an inner row
// whose position in the condition's own order is inside an interval that the outer row determines.
type Sample struct {
	outer, inner, words int
	conditions          []condition
	both                []uint64 // scratch of one outer row
}

// condition has the sets of the first inner rows in its order, as bits, and by outer row the
// ends of its interval.
type condition struct {
	first    []uint64
	from, to []int32
	negate   bool
}

// New returns a sample of the given numbers of rows without conditions.
func New(outer, inner int) *Sample {
	words := (inner + 63) / 64
	return &Sample{outer: outer, inner: inner, words: words, both: make([]uint64, words)}
}

// Outer returns the number of outer rows.
func (s *Sample) Outer() int { return s.outer }

// Pairs returns the number of all pairs.
func (s *Sample) Pairs() int { return s.outer * s.inner }

// Add adds a condition and returns its number. order lists inner rows without those that satisfy it
// for no outer row. Outer row i matches those at positions from[i] up to but excluding to[i], or
// with negate all others of order. Add keeps from and to.
func (s *Sample) Add(order, from, to []int32, negate bool) int {
	first := make([]uint64, (len(order)+1)*s.words)
	for i, row := range order {
		next := first[(i+1)*s.words : (i+2)*s.words]
		copy(next, first[i*s.words:])
		next[row/64] |= 1 << (row % 64)
	}
	s.conditions = append(s.conditions, condition{first, from, to, negate})
	return len(s.conditions) - 1
}

// Count returns the number of pairs that satisfy all of the conditions with these numbers.
func (s *Sample) Count(conditions ...int) int {
	n := 0
	for i := range s.outer {
		n += s.CountOf(i, conditions...)
	}
	return n
}

// CountOf is Count for the pairs of outer row i.
func (s *Sample) CountOf(i int, conditions ...int) int {
	if len(conditions) == 0 {
		return s.inner
	}
	for k, number := range conditions {
		s.intersect(&s.conditions[number], i, k == 0)
	}
	n := 0
	for _, w := range s.both {
		n += bits.OnesCount64(w)
	}
	return n
}

// Has reports whether outer row i and an inner row satisfy all of the conditions with these numbers.
func (s *Sample) Has(i, inner int, conditions ...int) bool {
	at, bit := inner/64, uint64(1)<<(inner%64)
	for _, number := range conditions {
		c := &s.conditions[number]
		from, to := int(c.from[i]), int(c.to[i])
		in := to > from && (c.first[to*s.words+at]&^c.first[from*s.words+at])&bit != 0
		if c.negate {
			in = !in && c.first[len(c.first)-s.words+at]&bit != 0
		}
		if !in {
			return false
		}
	}
	return true
}

func (s *Sample) intersect(c *condition, i int, alone bool) {
	from, to := int(c.from[i])*s.words, int(c.to[i])*s.words
	all := c.first[len(c.first)-s.words:]
	if to <= from {
		from, to = 0, 0
	}
	for k := range s.both {
		in := c.first[to+k] &^ c.first[from+k]
		if c.negate {
			in = all[k] &^ in
		}
		if !alone {
			in &= s.both[k]
		}
		s.both[k] = in
	}
}
