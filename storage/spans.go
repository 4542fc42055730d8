package storage

import (
	"math"
	"sort"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/stats"
)

const (
	// spanRun is how many rows runs have at least, on average, for a scan to look at all of
	// them; sorted ones are searched.
	spanRun = 64
	// spanGap is how many rows a scan leaves out at least.
	spanGap = vec.BatchSize / 2
)

// span is a range of rows.
type span struct{ from, to int }

// spans returns the rows of a segment that ranges leave, as its columns of runs tell.
func (s *segment) spans(ranges []catalog.Range) []span {
	out := []span{{0, s.rows}}
	for i := range ranges {
		r := &ranges[i]
		if r.Column < 0 || r.Column >= len(s.cols) || s.cols[r.Column].runs == nil {
			continue
		}
		c := &s.cols[r.Column]
		if r.Lo != nil && !stats.Comparable(r.Lo, c.zone.Min) || r.Hi != nil && !stats.Comparable(r.Hi, c.zone.Max) {
			continue
		}
		if kept, ok := c.runs.within(r, c.zone.Sorted); ok {
			out = intersect(out, kept)
		}
	}
	return out
}

// within returns the rows whose value is not outside of a range; ok is false where that would
// take long to find out.
func (r *runs) within(x *catalog.Range, sorted bool) (kept []span, ok bool) {
	if sorted {
		return r.search(x), true
	}
	if len(r.ends)*spanRun > r.rows() {
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

// pass reports whether value i of v is not outside of a range.
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

// search is within for ascending values, which NULLs precede.
func (r *runs) search(x *catalog.Range) []span {
	n := len(r.ends)
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
	return []span{{r.start(from), int(r.ends[to-1])}}
}

// start returns the first row of a run.
func (r *runs) start(run int) int {
	if run == 0 {
		return 0
	}
	return int(r.ends[run-1])
}

// matching returns the rows of the runs, but for NULLs, that keep holds for, and of short
// stretches between them.
func (r *runs) matching(keep func(run int) bool) []span {
	var out []span
	null := r.values.Null
	for i, end := range r.ends {
		if null != nil && null[i] || !keep(i) {
			continue
		}
		if last := len(out) - 1; last >= 0 && r.start(i)-out[last].to < spanGap {
			out[last].to = int(end)
		} else {
			out = append(out, span{r.start(i), int(end)})
		}
	}
	return out
}

// intersect returns the rows that are in both of two ascending lists.
func intersect(a, b []span) []span {
	var out []span
	for len(a) > 0 && len(b) > 0 {
		if both := (span{max(a[0].from, b[0].from), min(a[0].to, b[0].to)}); both.from < both.to {
			out = append(out, both)
		}
		if a[0].to < b[0].to {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return out
}
