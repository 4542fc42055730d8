package arrowvec

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// FromNarrow is FromArray for an array that holds decimals of type t as scaled integers of 8 to 64
// bits: it sets dst to a Narrow vector, which shares the array's memory if they have 64 bits.
func FromNarrow(arr arrow.Array, t types.Type, from, to int, dst *vec.Vector) {
	dst.Type, dst.Form, dst.N, dst.Base, dst.Idx, dst.Narrow = t, vec.Flat, to-from, nil, nil, true
	dst.Null = nullFlags(arr, from, to, dst.Null)
	switch a := arr.(type) {
	case *array.Int64:
		dst.I64 = shared(a.Int64Values()[from:to])
	case *array.Int32:
		dst.I64 = widen32(dst.I64, a.Int32Values()[from:to])
	case *array.Int16:
		dst.I64 = widen16(dst.I64, a.Int16Values()[from:to])
	case *array.Int8:
		dst.I64 = widen8(dst.I64, a.Int8Values()[from:to])
	}
}

// TakeNarrow is FromNarrow for the given rows, counted from from. Like Take it does nothing if the
// array's memory can be shared.
func TakeNarrow(arr arrow.Array, t types.Type, from int, rows []int32, dst *vec.Vector) bool {
	switch a := arr.(type) {
	case *array.Int32:
		dst.I64 = widenSome(dst.I64, a.Int32Values()[from:], rows)
	case *array.Int16:
		dst.I64 = widenSome(dst.I64, a.Int16Values()[from:], rows)
	case *array.Int8:
		dst.I64 = widenSome(dst.I64, a.Int8Values()[from:], rows)
	default:
		return false
	}
	finish(arr, t, from, rows, dst)
	dst.Narrow = true
	return true
}

// Widen is FromNarrow for a vector that is not Narrow.
func Widen(arr arrow.Array, t types.Type, from, to int, dst *vec.Vector) {
	dst.Type, dst.Form, dst.N, dst.Base, dst.Idx, dst.Narrow = t, vec.Flat, to-from, nil, nil, false
	dst.Null = nullFlags(arr, from, to, dst.Null)
	dst.Dec = own(dst.Dec, to-from)
	switch a := arr.(type) {
	case *array.Int64:
		decimals(dst.Dec, a.Int64Values()[from:to])
	case *array.Int32:
		decimals(dst.Dec, a.Int32Values()[from:to])
	case *array.Int16:
		decimals(dst.Dec, a.Int16Values()[from:to])
	case *array.Int8:
		decimals(dst.Dec, a.Int8Values()[from:to])
	}
}

func decimals[T int8 | int16 | int32 | int64](dst []decimal128.Num, values []T) {
	for i, x := range values {
		dst[i] = decimal128.FromI64(int64(x))
	}
}

// TakeWide is Widen for the given rows, counted from from.
func TakeWide(arr arrow.Array, t types.Type, from int, rows []int32, dst *vec.Vector) {
	finish(arr, t, from, rows, dst)
	dst.Dec = own(dst.Dec, len(rows))
	switch a := arr.(type) {
	case *array.Int64:
		decimalsOf(dst.Dec, a.Int64Values()[from:], rows)
	case *array.Int32:
		decimalsOf(dst.Dec, a.Int32Values()[from:], rows)
	case *array.Int16:
		decimalsOf(dst.Dec, a.Int16Values()[from:], rows)
	case *array.Int8:
		decimalsOf(dst.Dec, a.Int8Values()[from:], rows)
	}
}

func decimalsOf[T int8 | int16 | int32 | int64](dst []decimal128.Num, values []T, rows []int32) {
	for i, r := range rows {
		dst[i] = decimal128.FromI64(int64(values[r]))
	}
}
