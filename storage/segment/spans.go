package segment

import (
	"math"
	"sort"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/stats"
)

const (
	// spanRun is the least average length of runs for a scan to look at all of them; sorted runs
	// are searched instead.
	spanRun = 64
	// spanGap is the least number of rows that a scan skips.
	spanGap = vec.BatchSize / 2
)

// Span is a range of rows.
type Span struct{ From, To int }

// Spans returns the rows of a segment that may satisfy ranges, judging by its columns of runs.
func (s *Segment) Spans(ranges []catalog.Range) ([]Span, error) {
	out := []Span{{0, s.Rows}}
	for i := range ranges {
		r := &ranges[i]
		if r.Column < 0 || r.Column >= len(s.Cols) || !s.Cols[r.Column].HasRuns() {
			continue
		}
		c := &s.Cols[r.Column]
		if r.Lo != nil && !stats.Comparable(r.Lo, c.Zone.Min) || r.Hi != nil && !stats.Comparable(r.Hi, c.Zone.Max) {
			continue
		}
		d, err := c.Data()
		if err != nil {
			return nil, err
		}
		if kept, ok := d.Runs.within(r, c.Zone.Sorted); ok {
			out = intersect(out, kept)
		}
	}
	return out, nil
}

// within returns the rows whose value is within a range. ok is false if finding them would take
// too long.
func (r *Runs) within(x *catalog.Range, sorted bool) (kept []Span, ok bool) {
	if sorted {
		return r.search(x), true
	}
	if len(r.Ends)*spanRun > r.Rows() {
		return nil, false
	}
	v := r.values
	switch {
	case v.Form == vec.View:
		pass := passes(v.Base, x)
		return r.matching(func(i int) bool { return v.Idx[i] >= 0 && pass[v.Idx[i]] }), true
	case v.Type.Kind() == types.KindI64:
		lo, hi := bound(x.Lo, math.MinInt64), bound(x.Hi, math.MaxInt64)
		return r.matching(func(i int) bool { return v.I64[i] >= lo && v.I64[i] <= hi }), true
	}
	return r.matching(func(i int) bool { return pass(v, i, x) }), true
}

func bound(d *catalog.Datum, open int64) int64 {
	if d == nil {
		return open
	}
	return d.I64
}

// pass reports whether value i of v is within a range.
func pass(v *vec.Vector, i int, x *catalog.Range) bool {
	d := catalog.DatumAt(v, i)
	return !d.Null && (x.Lo == nil || d.Compare(*x.Lo) >= 0) && (x.Hi == nil || d.Compare(*x.Hi) <= 0)
}

func passes(v *vec.Vector, x *catalog.Range) []bool {
	out := make([]bool, v.N)
	for i := range out {
		out[i] = pass(v, i, x)
	}
	return out
}

// search is like within for ascending values that follow any NULLs.
func (r *Runs) search(x *catalog.Range) []Span {
	n := len(r.Ends)
	from := sort.Search(n, func(i int) bool {
		d := catalog.DatumAt(r.values, i)
		return !d.Null && (x.Lo == nil || d.Compare(*x.Lo) >= 0)
	})
	to := from + sort.Search(n-from, func(i int) bool {
		return x.Hi != nil && catalog.DatumAt(r.values, from+i).Compare(*x.Hi) > 0
	})
	if from == to {
		return nil
	}
	return []Span{{r.start(from), int(r.Ends[to-1])}}
}

// start returns the first row of a run.
func (r *Runs) start(run int) int {
	if run == 0 {
		return 0
	}
	return int(r.Ends[run-1])
}

// matching returns the rows of the non-NULL runs for which keep returns true, merged across short
// gaps between them.
func (r *Runs) matching(keep func(run int) bool) []Span {
	var out []Span
	null := r.values.Null
	for i, end := range r.Ends {
		if null != nil && null[i] || !keep(i) {
			continue
		}
		if last := len(out) - 1; last >= 0 && r.start(i)-out[last].To < spanGap {
			out[last].To = int(end)
		} else {
			out = append(out, Span{r.start(i), int(end)})
		}
	}
	return out
}

// intersect returns the rows that are in both of two ascending lists.
func intersect(a, b []Span) []Span {
	var out []Span
	for len(a) > 0 && len(b) > 0 {
		if both := (Span{max(a[0].From, b[0].From), min(a[0].To, b[0].To)}); both.From < both.To {
			out = append(out, both)
		}
		if a[0].To < b[0].To {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return out
}

// Excluded reports whether the ranges rule out every row.
func (s *Segment) Excluded(ranges []catalog.Range) bool {
	for i := range ranges {
		if r := &ranges[i]; r.Column >= 0 && r.Column < len(s.Cols) && s.Cols[r.Column].Zone.Excludes(r) {
			return true
		}
	}
	return false
}
