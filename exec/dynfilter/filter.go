// Package dynfilter carries what the build side of a join knows of its keys to the scans of
// the other side: sets of values without which a row has no partner. Such sets are also
// known as runtime filters or sideways information passing (Beeri and Ramakrishnan, "On the
// Power of Magic", PODS 1987; Ives and Taylor, "Sideways Information Passing for Push-Style
// Query Processing", ICDE 2008).
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

// Filter is where a join leaves its set for the scans that test it. The join fills it
// before these are opened.
type Filter struct {
	set   *Set // nil: nothing is dropped
	keys  *vec.Vector
	bytes *mem.Buffer[uint64]
}

// Fill makes the set of the values of keys, a flat column of the whole build side. NULL is one
// of them where nullSafe is set, else it finds no partner. Where acct has no room for it,
// nothing will be dropped.
func (f *Filter) Fill(ctx *op.Ctx, acct *mem.Account, keys *vec.Vector, nullSafe bool) {
	if !nullSafe || !slices.Contains(keys.Null, true) {
		f.keys = keys
	}
	f.set, f.bytes = newSet(ctx, acct, keys, nullSafe)
}

// Keys returns what the set was made of, by which rows can be looked up, valid until the join is
// closed; nil where it was made of nothing, or where NULL, which no key finds, is one of its
// values.
func (f *Filter) Keys() *vec.Vector { return f.keys }

// Free drops the set, when the scans have ended.
func (f *Filter) Free() {
	f.bytes.Free()
	f.set, f.bytes, f.keys = nil, nil, nil
}

// Empty reports whether no value passes.
func (f *Filter) Empty() bool { return f.set != nil && f.set.empty && !f.set.null }

// Bounds returns the least and the greatest value that passes, for a column of type t; ok is
// false where they are not known or NULL passes too.
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
	dict    *vec.Vector // whose entries' verdicts are in entry
	entry   []bool

	tested, passed int // of the first rows, up to trial
	useless        bool
}

// trial is the number of rows after which a filter that drops few of them is abandoned.
const trial = 1 << 16

// Tester makes a tester that adds the rows it drops to dropped, which may be nil.
func (f *Filter) Tester(dropped *atomic.Int64) *Tester {
	return &Tester{set: f.set, dropped: dropped, useless: f.set == nil}
}

// Test returns the rows of v whose values may pass, ascending and valid until the next call,
// or reports that all may.
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
