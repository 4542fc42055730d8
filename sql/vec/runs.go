package vec

import "gsql/internal/simd"

// MinRun is the least average number of rows of a vector's runs for which its maker sets
// Vector.Ends: with shorter runs, work a row at a time takes less.
const MinRun = 4

// InRuns reports whether v is known to come in runs; a constant vector is one run.
func (v *Vector) InRuns() bool { return v.Form == Const || v.Form == View && v.Ends != nil }

// CommonRuns appends to dst the ends of the runs that all columns have in common; each column
// has n rows InRuns. It returns nil where these runs are shorter than MinRun on average.
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

// Heads sets out to the first row of each run of v. The runs end at ends and v has one value in
// each. idx is memory for the indexes of out; Heads returns it, grown where needed.
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

// unite appends the numbers of two ascending lists that end alike to dst, each once.
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

// gatherRuns is gather of a view whose runs are known.
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

// composeRuns is compose for a view whose runs are known, together with the runs of the
// result; ok is false unless outer ascends.
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
