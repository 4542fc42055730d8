package arrowvec

import (
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// FromNarrow is FromArray for an array that holds decimals of type t as scaled integers: it sets
// dst to a Narrow vector that shares the array's memory.
func FromNarrow(arr *array.Int64, t types.Type, from, to int, dst *vec.Vector) {
	dst.Type, dst.Form, dst.N, dst.Base, dst.Idx, dst.Narrow = t, vec.Flat, to-from, nil, nil, true
	dst.Null = nullFlags(arr, from, to, dst.Null)
	dst.I64 = shared(arr.Int64Values()[from:to])
}

// Widen is FromNarrow for a vector that is not Narrow.
func Widen(arr *array.Int64, t types.Type, from, to int, dst *vec.Vector) {
	dst.Type, dst.Form, dst.N, dst.Base, dst.Idx, dst.Narrow = t, vec.Flat, to-from, nil, nil, false
	dst.Null = nullFlags(arr, from, to, dst.Null)
	dst.Dec = own(dst.Dec, to-from)
	for i, x := range arr.Int64Values()[from:to] {
		dst.Dec[i] = decimal128.FromI64(x)
	}
}

// TakeWide is Widen for the given rows, counted from from.
func TakeWide(arr *array.Int64, t types.Type, from int, rows []int32, dst *vec.Vector) {
	dst.Type, dst.Form, dst.N, dst.Base, dst.Idx, dst.Narrow = t, vec.Flat, len(rows), nil, nil, false
	dst.Null = nullFlagsOf(arr, from, rows, dst.Null)
	dst.Dec = own(dst.Dec, len(rows))
	values := arr.Int64Values()[from:]
	for i, r := range rows {
		dst.Dec[i] = decimal128.FromI64(values[r])
	}
}
