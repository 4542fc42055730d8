package agg

import (
	"gsql/exec/agg/state"
	"gsql/sql/vec"
)

// runwise is a worker's state for processing rows run by run.
type runwise struct {
	ends    []int32      // of the keys' runs; nil if rows are grouped one by one
	room    []int32      // memory of ends
	keys    vec.Vector   // runs that end there
	heads   []vec.Vector // the keys' values, one per run
	kv      []*vec.Vector
	indexes [][]int32 // memory of heads and of arguments
	rows    []int32   // group of each row, once needed
	known   bool      // rows is the batch's
	cols    []*vec.Vector
	common  []int32 // ends of the runs of keys and arguments together
	times   []int32 // their lengths
	gids    []int32 // their groups
	first   vec.Vector
}

// keysInRuns sets the ends of the runs of the batch's keys, if all keys come in runs, and returns
// the keys with one row per run.
func (l *local) keysInRuns(n int) []*vec.Vector {
	r := &l.runs
	r.ends, r.known = nil, false
	for _, k := range l.kv {
		if !k.InRuns() {
			return l.kv
		}
	}
	if r.ends = vec.CommonRuns(r.room[:0], n, l.kv...); r.ends == nil {
		return l.kv
	}
	r.room, r.keys = r.ends, vec.Vector{Form: vec.View, N: n, Ends: r.ends}
	if r.kv == nil {
		r.heads, r.kv = make([]vec.Vector, len(l.kv)), make([]*vec.Vector, len(l.kv))
	}
	for i, k := range l.kv {
		r.kv[i] = r.head(k, r.ends, &r.heads[i], i)
	}
	return r.kv
}

// head makes out the first rows of the runs of v, with memory number i.
func (r *runwise) head(v *vec.Vector, ends []int32, out *vec.Vector, i int) *vec.Vector {
	for len(r.indexes) <= i {
		r.indexes = append(r.indexes, nil)
	}
	r.indexes[i] = v.Heads(out, ends, r.indexes[i])
	return out
}

// rowGroups returns the group of each of n rows; nil without keys.
func (l *local) rowGroups(n int) []int32 {
	r := &l.runs
	if r.ends == nil {
		return l.gids
	}
	if r.known {
		return r.rows
	}
	r.rows, r.known = resized(r.rows, n), true
	from := int32(0)
	for i, end := range r.ends {
		g := l.gids[i]
		for at := range r.rows[from:end] {
			r.rows[from:end][at] = g
		}
		from = end
	}
	return r.rows
}

func resized(s []int32, n int) []int32 {
	if cap(s) < n {
		return make([]int32, n)
	}
	return s[:n]
}

// updateByRuns adds a batch to aggregate i, once per run of equal keys and arguments. It returns
// false if these do not come in runs or the aggregate needs each row.
func (l *local) updateByRuns(i, n int, args []*vec.Vector) (bool, error) {
	r := &l.runs
	s, ok := l.states[i].(state.TimesState)
	if !ok || l.table != nil && r.ends == nil {
		return false, nil
	}
	r.cols = r.cols[:0]
	if l.table != nil {
		r.cols = append(r.cols, &r.keys)
	}
	for _, v := range args {
		switch {
		case v.InRuns():
			r.cols = append(r.cols, v)
		case !l.counts[i] || v.MayHaveNulls():
			return false, nil
		}
	}
	if len(r.cols) == 0 {
		return false, nil
	}
	common := vec.CommonRuns(r.common[:0], n, r.cols...)
	if common == nil {
		return false, nil
	}
	r.common = common
	gids := l.measure()
	for j, v := range args {
		if v.InRuns() {
			args[j] = l.flatten(i, j, r.head(v, common, &r.first, len(l.kv)))
		}
	}
	return true, l.takeIn(i, func() error { return s.UpdateTimes(gids, len(common), args, r.times) })
}

// measure sets the lengths of the common runs and returns their groups, nil without keys.
func (l *local) measure() (gids []int32) {
	r := &l.runs
	r.times = resized(r.times, len(r.common))
	from := int32(0)
	for i, end := range r.common {
		r.times[i] = end - from
		from = end
	}
	if l.table == nil {
		return nil
	}
	r.gids = resized(r.gids, len(r.common))
	run := 0
	for i, end := range r.common {
		if r.ends[run] < end {
			run++
		}
		r.gids[i] = l.gids[run]
	}
	return r.gids
}
