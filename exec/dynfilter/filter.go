// Package dynfilter passes information about the keys of a join's build side to the scans of the
// other side: sets of values, such that rows with other values have no partner. Such sets are
// also known as runtime filters or sideways information passing (Beeri and Ramakrishnan, "On the
// Power of Magic", PODS 1987; Ives and Taylor, "Sideways Information Passing for Push-Style Query
// Processing", ICDE 2008).
package dynfilter

import (
	"slices"
	"sync/atomic"

	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Filter holds the set that a join makes for the scans that test it. The join fills it before it
// opens them.
type Filter struct {
	set   *Set // nil drops nothing
	keys  *vec.Vector
	bytes *mem.Buffer[uint64]
}

// Fill makes the set of the values of keys, a flat column of the whole build side. NULL is in the
// set if nullSafe is set; otherwise it has no partner. If acct refuses the memory, the filter
// drops nothing.
func (f *Filter) Fill(ctx *op.Ctx, acct *mem.Account, keys *vec.Vector, nullSafe bool) {
	if !nullSafe || !slices.Contains(keys.Null, true) {
		f.keys = keys
	}
	f.set, f.bytes = newSet(ctx, acct, keys, nullSafe)
}

// Keys returns the values of which the set was made, by which rows can be looked up. They are
// valid until the join is closed. Keys returns nil if the filter was not filled, or if NULL,
// which cannot be looked up, is in the set.
func (f *Filter) Keys() *vec.Vector { return f.keys }

// Free drops the set. The scans must have ended.
func (f *Filter) Free() {
	f.bytes.Free()
	f.set, f.bytes, f.keys = nil, nil, nil
}

// Empty reports whether no value passes.
func (f *Filter) Empty() bool { return f.set != nil && f.set.empty && !f.set.null }

// Bounds returns the least and the greatest value that passes, for a column of type t; ok is
// false if they are not known or NULL passes too.
func (f *Filter) Bounds(t types.Type) (lo, hi catalog.Datum, ok bool) {
	s := f.set
	if s == nil || s.empty || s.null || !s.integers {
		return lo, hi, false
	}
	lo, hi = catalog.Datum{Type: t, I64: int64(s.lo)}, catalog.Datum{Type: t, I64: int64(s.lo + s.span)}
	return lo, hi, true
}

// Tester tests values in one goroutine.
type Tester struct {
	set     *Set
	dropped *atomic.Int64
	rows    []int32
	hash    []uint64
	flat    vec.Vector
	dict    *vec.Vector // the dictionary whose results are in entry
	entry   []bool

	tested, passed int // counts of the first rows, up to trial
	useless        bool
}

// trial is the number of rows after which a filter that drops few rows is abandoned.
const trial = 1 << 16

// Tester makes a tester that adds the number of rows it drops to dropped, which may be nil.
func (f *Filter) Tester(dropped *atomic.Int64) *Tester {
	return &Tester{set: f.set, dropped: dropped, useless: f.set == nil}
}

// Test returns the rows of v whose values may be in the set, ascending and valid until the next
// call, or reports that all may be.
func (t *Tester) Test(v *vec.Vector) (idx []int32, all bool) {
	if t.useless {
		return nil, true
	}
	if cap(t.rows) < v.N {
		t.rows = make([]int32, v.N)
	}
	idx = t.rows[:t.set.test(t, v, t.rows[:v.N])]
	if t.tested < trial {
		t.tested, t.passed = t.tested+v.N, t.passed+len(idx)
		t.useless = t.tested >= trial && t.passed > t.tested-t.tested/8
	}
	if t.dropped != nil {
		t.dropped.Add(int64(v.N - len(idx)))
	}
	return idx, len(idx) == v.N
}
