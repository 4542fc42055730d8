package window

import (
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/mem"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// result holds a function's values by position: a flat vector, or the rows of a collected column.
// Each goroutine writes to its own positions.
type result struct {
	flat *vec.Vector
	base *vec.Vector // views: the collected column, and idx its row for each position
	idx  []int32
	bufs []freer
}

type freer interface{ Free() }

// newResult allocates the values of f at n positions.
func newResult(f *function, cols []*vec.Vector, account *mem.Account, n int) (*result, error) {
	r := &result{}
	var err error
	if passesValue(f.WindowFunc) {
		r.base = cols[f.arg]
		r.idx, err = alloc[int32](r, account, n)
		return r, err
	}
	v := &vec.Vector{Type: f.T, N: n}
	r.flat = v
	switch f.T.Kind() {
	case types.KindI64, types.KindU64:
		v.I64, err = alloc[int64](r, account, n)
	case types.KindF64:
		v.F64, err = alloc[float64](r, account, n)
	case types.KindDec:
		v.Dec, err = alloc[decimal128.Num](r, account, n)
	}
	if err == nil && !f.NeverNull() {
		v.Null, err = alloc[bool](r, account, n)
	}
	return r, err
}

func alloc[T any](r *result, account *mem.Account, n int) ([]T, error) {
	b, err := mem.Alloc[T](account, n)
	if err != nil {
		return nil, err
	}
	r.bufs = append(r.bufs, b)
	return b.S, nil
}

// passesValue reports whether the function returns its argument's value from some row.
func passesValue(f *expr.WindowFunc) bool {
	switch f.Fn {
	case expr.Lag, expr.Lead, expr.FirstValue, expr.LastValue, expr.NthValue:
		return true
	case expr.WindowAgg:
		return f.Agg == expr.Min || f.Agg == expr.Max
	}
	return false
}

// repeat copies the value at position i-step, which has been computed, to position i.
func (r *result) repeat(i, step int) {
	from := i - step
	if r.base != nil {
		r.idx[i] = r.idx[from]
		return
	}
	if v := r.flat; v.Null != nil {
		v.Null[i] = v.Null[from]
	}
	copyValue(r.flat, i, r.flat, from)
}

// copyValue copies the value in slot j of a flat vector to slot i of one of the same type.
func copyValue(to *vec.Vector, i int, from *vec.Vector, j int) {
	switch to.Type.Kind() {
	case types.KindI64, types.KindU64:
		to.I64[i] = from.I64[j]
	case types.KindF64:
		to.F64[i] = from.F64[j]
	case types.KindDec:
		to.Dec[i] = from.Dec[j]
	case types.KindStr:
		to.Str[i] = from.Str[j]
	}
}

// slice returns the values at positions [lo, hi).
func (r *result) slice(lo, hi int) *vec.Vector {
	if r.base == nil {
		return r.flat.Slice(lo, hi)
	}
	return &vec.Vector{Type: r.base.Type, Form: vec.View, N: hi - lo, Base: r.base, Idx: r.idx[lo:hi]}
}

func (r *result) free() {
	if r == nil {
		return
	}
	for _, b := range r.bufs {
		b.Free()
	}
}
