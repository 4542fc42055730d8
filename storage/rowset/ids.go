// Package rowset implements sets of rows: sets of ids, as ranges, and sets of the deleted rows of
// a segment, as bits.
package rowset

import (
	"cmp"
	"slices"
)

// IDs is a set of row ids. It consists of ranges, which suit most sets of ids, and of ids added
// since the ranges were last updated.
type IDs struct {
	ranges []Range // ascending, not adjacent
	fresh  []int64
}

// Range is the ids from From to To, inclusive.
type Range struct{ From, To int64 }

// freshIDs is the number of added ids after which the ranges are updated.
const freshIDs = 1 << 16

// Add adds ids to the set.
func (s *IDs) Add(ids ...int64) {
	s.fresh = append(s.fresh, ids...)
	if len(s.fresh) >= freshIDs {
		s.Ranges()
	}
}

// Ranges updates the ranges with all added ids and returns them.
func (s *IDs) Ranges() []Range {
	if len(s.fresh) == 0 {
		return s.ranges
	}
	all := s.ranges
	for _, id := range s.fresh {
		if n := len(all); n > len(s.ranges) && all[n-1].To+1 == id {
			all[n-1].To = id
		} else {
			all = append(all, Range{id, id})
		}
	}
	slices.SortFunc(all, func(a, b Range) int { return cmp.Compare(a.From, b.From) })
	merged := all[:1]
	for _, r := range all[1:] {
		if last := &merged[len(merged)-1]; r.From <= last.To+1 {
			last.To = max(last.To, r.To)
		} else {
			merged = append(merged, r)
		}
	}
	s.ranges, s.fresh = merged, nil
	return merged
}

// Clone returns a copy of the set that shares nothing with s.
func (s *IDs) Clone() IDs { return IDs{ranges: slices.Clone(s.Ranges())} }

// Overlap reports whether two lists of ranges have an id in common.
func Overlap(a, b []Range) bool {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].To < b[0].From:
			a = a[1:]
		case b[0].To < a[0].From:
			b = b[1:]
		default:
			return true
		}
	}
	return false
}
