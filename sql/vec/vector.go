// Package vec implements the batches that flow through a query: columns of typed vectors over
// plain slices, most of which share memory with Arrow buffers.
//
// A vector is flat (one slot per row), constant (one slot for all rows) or a view. Row-index
// pairs of a join, the survivors of a filter and the codes of a dictionary are all views: indexes
// into another vector. Operators pass views along, and only computations on values flatten them,
// so that columns are materialised late and only where necessary.
package vec

import (
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/types"
)

// BatchSize is the number of rows that operators aim for in a batch. Sources may be configured to
// use smaller batches (tests use 1 and 3); no operator may rely on a particular size.
const BatchSize = 2048

// Form specifies how a vector's rows map to its slots.
type Form uint8

// The forms.
const (
	Flat  Form = iota // row i is slot i
	Const             // every row is slot 0
	View              // row i is row Idx[i] of Base, or NULL if Idx[i] < 0
)

// Vector is one column of a batch. A vector belongs to the operator or evaluator that made it: it
// is valid until its owner's next call unless documented otherwise, and consumers never write to
// it. V1: if Form is Flat or Const, exactly the payload slice of Type.Kind() is set (KindNull
// sets none), except in Narrow vectors. V2: a View's Base is Flat (views are composed, never
// nested) and has the same Type.
type Vector struct {
	Type types.Type
	Form Form
	N    int // rows

	Null []bool           // nil if no row is NULL, else one flag per slot (Flat, Const)
	I64  []int64          // KindI64; KindU64 as the bits of a uint64
	F64  []float64        // KindF64
	Dec  []decimal128.Num // KindDec, scaled by 10^Type.Scale
	Str  []string         // KindStr; may share memory with an Arrow buffer

	Base *Vector // View
	Idx  []int32 // View: N indexes into Base, negative for NULL
	// Ends lists the ends of runs of equal rows in a View: Idx is constant in rows Ends[i-1] up
	// to Ends[i], and the last end is N. It is nil if no runs are known, or if they are too short
	// for work per run to pay off (see MinRun).
	Ends []int32

	// Narrow marks a flat vector of KindDec whose values are in I64 instead of Dec. Only
	// consumers that request such vectors receive them: see op.Narrowing and catalog.ScanSpec.
	Narrow bool
	// Dict marks a flat vector that never changes while the query runs and that many batches
	// share as the Base of their views: the dictionary of a segment or a file. Its pointer may be
	// used as a cache key (codes to groups, codes to predicate results). Leaving it unset only
	// costs speed.
	Dict bool
	// Fixed marks a flat vector that does not change until the operator that made it is closed:
	// the collected rows of a join's build side. Its pointer may be used as a cache key like that
	// of a Dict, but a consumer that keeps rows longer must copy the values.
	Fixed bool
	// Stored marks a flat or constant vector whose texts are in the memory of a table, so that
	// keeping them takes no extra memory for their bytes. If a source leaves it unset, consumers
	// that keep the texts account for them.
	Stored bool
}

// Batch is a sequence of rows. Every column has N rows.
type Batch struct {
	Cols []*Vector
	N    int
	// Morsel is the number of the source morsel that the rows came from, in source order, or 0 if
	// it has no meaning. Streaming operators pass it on; an ordered gather uses it to restore the
	// source's order.
	Morsel int64
}

// NewFlat returns a flat vector of n rows without NULLs. Its payload is on the Go heap.
func NewFlat(t types.Type, n int) *Vector {
	v := &Vector{Type: t}
	v.Resize(n)
	return v
}

// NewNull returns a constant vector of n NULLs.
func NewNull(t types.Type, n int) *Vector {
	v := &Vector{Type: t, Form: Const, N: n, Null: []bool{true}}
	v.growPayload(1)
	return v
}

// Resize makes v a flat vector of n rows and reuses its buffers if they are large enough.
// Afterwards, payload slots hold old values and Null is nil.
func (v *Vector) Resize(n int) {
	v.Form, v.N, v.Null, v.Base, v.Idx, v.Ends = Flat, n, nil, nil, nil, nil
	v.Narrow, v.Dict, v.Fixed, v.Stored = false, false, false, false
	v.growPayload(n)
}

func (v *Vector) growPayload(n int) {
	switch v.Type.Kind() {
	case types.KindI64, types.KindU64:
		v.I64 = grow(v.I64, n)
	case types.KindF64:
		v.F64 = grow(v.F64, n)
	case types.KindDec:
		v.Dec = grow(v.Dec, n)
	case types.KindStr:
		v.Str = grow(v.Str, n)
	}
}

func grow[T any](s []T, n int) []T {
	switch {
	case cap(s) >= n:
		return s[:n]
	case s == nil:
		return make([]T, n)
	}
	return make([]T, n, n+n/4)
}

// Slots returns the number of payload slots of a flat or constant vector.
func (v *Vector) Slots() int {
	if v.Form == Const {
		return 1
	}
	return v.N
}

// Slot returns the vector that holds the value of row i, and the value's slot there; slot is
// negative for a NULL row of a view. It is meant for code that handles single rows; loops over
// rows should flatten first.
func (v *Vector) Slot(i int) (base *Vector, slot int) {
	switch v.Form {
	case Const:
		return v, 0
	case View:
		return v.Base, int(v.Idx[i])
	}
	return v, i
}

// IsNull reports whether row i is NULL.
func (v *Vector) IsNull(i int) bool {
	b, s := v.Slot(i)
	return s < 0 || b.Type.ID == types.Null || b.Null != nil && b.Null[s]
}

// MayHaveNulls returns false only if no row can be NULL. It takes O(1) time, except for views
// whose base has no NULLs: it must then examine their indexes.
func (v *Vector) MayHaveNulls() bool {
	if v.Type.ID == types.Null {
		return true
	}
	if v.Form != View {
		return v.Null != nil
	}
	if v.Base.Null != nil {
		return true
	}
	for _, end := range v.Ends {
		if v.Idx[end-1] < 0 {
			return true
		}
	}
	if v.Ends != nil {
		return false
	}
	return anyNegative(v.Idx)
}

// SetNull marks row i of a flat vector as NULL.
func (v *Vector) SetNull(i int) {
	if v.Null == nil {
		v.Null = make([]bool, v.Slots())
	}
	v.Null[i] = true
}

// Slice returns rows [from, to) of v without copying values.
func (v *Vector) Slice(from, to int) *Vector {
	w := *v
	w.N, w.Dict, w.Fixed = to-from, false, false
	switch v.Form {
	case Const:
		return &w
	case View:
		w.Idx, w.Ends = v.Idx[from:to], nil
		return &w
	}
	if v.Null != nil {
		w.Null = v.Null[from:to]
	}
	switch kind := v.Type.Kind(); {
	case kind == types.KindI64, kind == types.KindU64, v.Narrow:
		w.I64 = v.I64[from:to]
	case kind == types.KindF64:
		w.F64 = v.F64[from:to]
	case kind == types.KindDec:
		w.Dec = v.Dec[from:to]
	case kind == types.KindStr:
		w.Str = v.Str[from:to]
	}
	return &w
}

// Slice returns rows [from, to) of b without copying values.
func (b *Batch) Slice(from, to int) *Batch {
	out := &Batch{Cols: make([]*Vector, len(b.Cols)), N: to - from, Morsel: b.Morsel}
	for i, c := range b.Cols {
		if c != nil {
			out.Cols[i] = c.Slice(from, to)
		}
	}
	return out
}
