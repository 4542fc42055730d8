package merge

import (
	"errors"

	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/gpu/join"
	"gsql/gpu/prim"
)

// aggregate uses the runs' lengths as the driving side's counts. The counts of the sorted side are
// the numbers of runs that cover each item.
func (s *span) aggregate(t *engine.Task, aggs []join.Agg) ([]join.Value, error) {
	items, err := sort(t, s.column)
	if err != nil {
		return nil, err
	}
	if items.n == 0 {
		return join.FromCounts(t, 0, 0, aggs)
	}
	r, err := s.runs(t, items)
	if err != nil {
		return nil, err
	}
	return bySides(aggs, func(left bool, mine []join.Agg) ([]join.Value, error) {
		m := t.Mark()
		values, err := s.sideAggregate(t, items, r, left == s.sortLeft, mine)
		return values, errors.Join(err, t.Release(m))
	})
}

func (s *span) sideAggregate(t *engine.Task, items sorted, r runs, ofItems bool, aggs []join.Agg) ([]join.Value, error) {
	if ofItems {
		counts, err := s.cover(t, items, r)
		if err != nil {
			return nil, err
		}
		return items.aggregate(t, counts, aggs)
	}
	counts, err := s.lengths(t, r)
	if err != nil {
		return nil, err
	}
	return join.FromCounts(t, counts, s.rows, aggs)
}

// cover returns the number of runs that contain each item: the runs that begin at or before the
// item less those that end there or before.
func (s *span) cover(t *engine.Task, items sorted, r runs) (gpu.Ptr, error) {
	counts, err := t.Alloc(8 * items.n)
	if err != nil {
		return 0, err
	}
	m := t.Mark()
	begun, err := s.upTo(t, r.starts, items.n)
	if err != nil {
		return 0, err
	}
	ended, err := s.upTo(t, r.ends, items.n)
	if err != nil {
		return 0, err
	}
	err = t.Launch("gsql_run_cover", "", items.n, false, uint64(begun), uint64(ended), uint64(items.n), uint64(counts))
	return counts, errors.Join(err, t.Release(m))
}

// upTo returns n+1 numbers, the i-th of which is the number of driving rows whose positions are
// below i.
func (s *span) upTo(t *engine.Task, places gpu.Ptr, n int64) (gpu.Ptr, error) {
	n++ // a run may begin or end after the last item
	sums, err := t.Alloc(8 * n)
	if err != nil {
		return 0, err
	}
	total, err := t.Alloc(8)
	if err != nil {
		return 0, err
	}
	if err := t.Fill(sums, 0, 8*n); err != nil {
		return 0, err
	}
	if err := t.Launch("gsql_pair_count", "i32", s.rows, false, uint64(places), uint64(s.rows), uint64(sums)); err != nil {
		return 0, err
	}
	return sums, prim.Scan64(t, sums, sums, n, total)
}
