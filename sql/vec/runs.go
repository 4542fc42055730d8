package vec

import "gsql/internal/simd"

// MinRun is the smallest average run length for which producers set Vector.Ends. With shorter
// runs, processing row by row is faster.
const MinRun = 4

// InRuns reports whether v is known to consist of runs; a constant vector is one run.
func (v *Vector) InRuns() bool { return v.Form == Const || v.Form == View && v.Ends != nil }

// CommonRuns appends to dst the ends of the runs common to all columns, each of which has n rows
// and is InRuns. It returns nil if these runs are shorter than MinRun on average.
func CommonRuns(dst []int32, n int, cols ...*Vector) []int32 {
	var lists [2][]int32
	many := 0
	for _, c := range cols {
		if c.Form == Const || len(c.Ends) == 1 {
			continue
		}
		switch {
		case many < len(lists):
			lists[many] = c.Ends
		default:
			lists[0], lists[1] = unite(nil, lists[0], lists[1]), c.Ends
			many = 1
		}
		many++
	}
	switch many {
	case 0:
		return append(dst, int32(n))
	case 1:
		return append(dst, lists[0]...)
	}
	if dst = unite(dst, lists[0], lists[1]); len(dst)*MinRun > n {
		return nil
	}
	return dst
}

// Heads sets out to the first row of each run of v. ends holds the ends of the runs; v is
// constant within each. idx is memory for the indexes of out; Heads returns it, grown if
// necessary.
func (v *Vector) Heads(out *Vector, ends, idx []int32) []int32 {
	*out = *v
	out.N, out.Ends = len(ends), nil
	if v.Form == Const {
		return idx
	}
	if idx = grow(idx, len(ends)); len(ends) == 0 {
		return idx
	}
	idx[0] = v.Idx[0]
	for i, end := range ends[:len(ends)-1] {
		idx[i+1] = v.Idx[end]
	}
	out.Idx = idx
	return idx
}

// unite appends the union of two ascending lists with the same last number to dst.
func unite(dst, a, b []int32) []int32 {
	for len(a) > 0 && len(b) > 0 {
		x := min(a[0], b[0])
		dst = append(dst, x)
		if a[0] == x {
			a = a[1:]
		}
		if b[0] == x {
			b = b[1:]
		}
	}
	return dst
}

// gatherRuns is gather for a view with known runs.
func gatherRuns[T any](dst, src []T, view *Vector) {
	done, from := 0, int32(0)
	if !anyNegative(view.Idx[:view.N]) {
		switch dst := any(dst).(type) {
		case []int64:
			done = simd.RepeatRows(dst, any(src).([]int64), view.Idx, view.Ends)
		case []float64:
			done = simd.RepeatRows(dst, any(src).([]float64), view.Idx, view.Ends)
		}
	}
	if done > 0 {
		from = view.Ends[done-1]
	}
	for _, end := range view.Ends[done:] {
		var x T
		if i := view.Idx[from]; i >= 0 {
			x = src[i]
		}
		fill(dst[from:end], x)
		from = end
	}
}

// composeRuns is compose for a view with known runs; it also returns the runs of the result. ok
// is false unless outer is ascending.
func (c *Composer) composeRuns(v *Vector, outer []int32) (idx, ends []int32, ok bool) {
	idx, ends = c.index(len(outer)), c.index(len(v.Ends))[:0]
	n, from := 0, int32(0)
	for _, end := range v.Ends {
		x, at := v.Idx[from], n
		for n < len(outer) && uint32(outer[n]-from) < uint32(end-from) {
			idx[n] = x
			n++
		}
		if n > at {
			ends = append(ends, int32(n))
		}
		from = end
	}
	if n < len(outer) {
		return nil, nil, false
	}
	if len(ends)*MinRun > n {
		ends = nil
	}
	return idx, ends, true
}
