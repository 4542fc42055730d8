package exec

import (
	"gsql/sql/types"
	"gsql/sql/vec"
)

// clone copies the rows of v so that they outlive the operator that made them. It reuses dst, or
// makes a new vector if dst is nil. Views over dictionaries stay views.
func clone(dst, v *vec.Vector) *vec.Vector {
	if dst == nil {
		dst = &vec.Vector{}
	}
	switch {
	case v.Form == vec.View && v.Base.Dict:
		idx := append(dst.Idx[:0], v.Idx...)
		*dst = vec.Vector{Type: v.Type, Form: vec.View, N: v.N, Base: v.Base, Idx: idx}
		return dst
	case v.Form == vec.View:
		return v.Flatten(dst)
	}
	n, null := v.Slots(), dst.Null
	dst.Type = v.Type
	dst.Resize(n)
	dst.Form, dst.N = v.Form, v.N
	if v.Null != nil {
		dst.Null = append(null[:0], v.Null[:n]...)
	}
	switch v.Type.Kind() {
	case types.KindI64, types.KindU64:
		copy(dst.I64, v.I64)
	case types.KindF64:
		copy(dst.F64, v.F64)
	case types.KindDec:
		copy(dst.Dec, v.Dec)
	case types.KindStr:
		copy(dst.Str, v.Str)
	}
	return dst
}

// cloneBatch copies b into dst, or into a new batch if dst is nil.
func cloneBatch(dst, b *vec.Batch) *vec.Batch {
	if dst == nil {
		dst = &vec.Batch{}
	}
	if len(dst.Cols) != len(b.Cols) {
		dst.Cols = make([]*vec.Vector, len(b.Cols))
	}
	for i, c := range b.Cols {
		dst.Cols[i] = clone(dst.Cols[i], c)
	}
	dst.N, dst.Morsel = b.N, b.Morsel
	return dst
}
