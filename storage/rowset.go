package storage

import "slices"

// rowSet is a set of row ids: ranges, which most sets of ids are made of, and ids added since
// they were last put in order.
type rowSet struct {
	ranges []idRange // ascending, apart from each other
	fresh  []int64
}

// idRange is the ids from up to and with to.
type idRange struct{ from, to int64 }

// freshIDs is how many ids wait until they are put in order.
const freshIDs = 1 << 16

// add puts ids into the set.
func (s *rowSet) add(ids ...int64) {
	s.fresh = append(s.fresh, ids...)
	if len(s.fresh) >= freshIDs {
		s.settle()
	}
}

// settle puts all ids in order and returns their ranges.
func (s *rowSet) settle() []idRange {
	if len(s.fresh) == 0 {
		return s.ranges
	}
	all := s.ranges
	for _, id := range s.fresh {
		if n := len(all); n > len(s.ranges) && all[n-1].to+1 == id {
			all[n-1].to = id
		} else {
			all = append(all, idRange{id, id})
		}
	}
	slices.SortFunc(all, func(a, b idRange) int {
		if a.from < b.from {
			return -1
		}
		return 1
	})
	merged := all[:1]
	for _, r := range all[1:] {
		if last := &merged[len(merged)-1]; r.from <= last.to+1 {
			last.to = max(last.to, r.to)
		} else {
			merged = append(merged, r)
		}
	}
	s.ranges, s.fresh = merged, nil
	return merged
}

// overlap is true when two lists of ranges have an id in common.
func overlap(a, b []idRange) bool {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].to < b[0].from:
			a = a[1:]
		case b[0].to < a[0].from:
			b = b[1:]
		default:
			return true
		}
	}
	return false
}
