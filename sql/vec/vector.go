// Package vec holds the batches that flow through a query: columns of typed
// vectors over plain slices, most of them shared with Arrow buffers underneath.
//
// A vector is flat (one slot a row), constant (one slot for all rows) or a view:
// row-index pairs of a join, the survivors of a filter and the codes of a
// dictionary are all the same thing, an index into another vector. Operators pass
// views along and only what computes on values flattens them, so that columns are
// materialised late and only where they are needed.
package vec

import (
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/types"
)

// BatchSize is the number of rows operators aim for in a batch. Sources may be asked
// to use smaller ones (tests use 1 and 3); no operator may rely on a size.
const BatchSize = 2048

// Form specifies how a vector's rows map to its slots.
type Form uint8

// The forms.
const (
	Flat  Form = iota // row i is slot i
	Const             // every row is slot 0
	View              // row i is row Idx[i] of Base, or NULL where Idx[i] < 0
)

// Vector is one column of a batch. A vector belongs to the operator or evaluator that made it:
// it is valid until the maker's next call unless its documentation states otherwise, and
// consumers never write to it. V1: exactly the payload slice of Type.Kind() is set when Form
// is Flat or Const (KindNull sets none), but for Narrow. V2: a View's Base is Flat (views are
// composed, never nested) and has the same Type.
type Vector struct {
	Type types.Type
	Form Form
	N    int // rows

	Null []bool           // nil when no row is NULL, else one flag a slot (Flat, Const)
	I64  []int64          // KindI64; KindU64 as the bits of a uint64
	F64  []float64        // KindF64
	Dec  []decimal128.Num // KindDec, scaled by 10^Type.Scale
	Str  []string         // KindStr; may share memory with an Arrow buffer

	Base *Vector // View
	Idx  []int32 // View: N indexes into Base, negative for NULL
	// Ends means that the rows of a View come in runs: Idx is the same in rows Ends[i-1] up to
	// Ends[i], and the last end is N. It is nil where no runs are known, or where they are so
	// short that work once per run would not pay: see MinRun.
	Ends []int32

	// Narrow marks a flat vector of KindDec whose values are in I64 instead of Dec. Only
	// consumers that request such vectors meet them: see op.Narrowing and catalog.ScanSpec.
	Narrow bool
	// Dict marks a flat vector that never changes while the query runs and that many
	// batches share as the Base of their views: the dictionary of a segment or a file.
	// Its pointer may then key caches (codes to groups, codes to predicate results).
	// A source that leaves it false loses only speed.
	Dict bool
	// Fixed marks a flat vector that never changes until the operator that made it is closed:
	// the collected rows of a join's build side. Its pointer may key caches as that of a Dict
	// may, but a consumer that keeps rows longer copies its values.
	Fixed bool
	// Stored marks a flat or constant vector whose texts are in the memory of a table: keeping
	// them takes no memory for their bytes. A source that leaves it false has them accounted
	// for where they are kept.
	Stored bool
}

// Batch is a run of rows. Every column has N rows.
type Batch struct {
	Cols []*Vector
	N    int
	// Morsel is the number of the source morsel the rows came from, in source order,
	// or 0 where that has no meaning. Streaming operators pass it on; an ordered
	// gather uses it to restore the source's order.
	Morsel int64
}

// NewFlat makes a flat vector of n rows with its payload allocated on the Go heap
// and no NULLs.
func NewFlat(t types.Type, n int) *Vector {
	v := &Vector{Type: t}
	v.Resize(n)
	return v
}

// NewNull makes a constant vector of n NULLs.
func NewNull(t types.Type, n int) *Vector {
	v := &Vector{Type: t, Form: Const, N: n, Null: []bool{true}}
	v.growPayload(1)
	return v
}

// Resize makes v a flat vector of n rows, keeping its buffers where they are large
// enough. Payload slots hold old values and Null is nil afterwards.
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

// Slot maps row i to the vector that holds its value and the slot there; slot is negative
// where a view marks NULL. It is for code that handles single rows; loops over rows should
// flatten first.
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

// MayHaveNulls is false only when no row can be NULL. It costs O(1) except for
// views without NULL slots in their base, whose indexes it must look at.
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
		out.Cols[i] = c.Slice(from, to)
	}
	return out
}
