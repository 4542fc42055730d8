package arrowvec

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/simd"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// FromArray sets dst to rows [from, to) of arr as type t, whose kind must be that of
// types.FromArrow(arr.DataType()). It reuses dst's own buffers. Memory shared with an array is
// never written to, so one dst may serve many arrays. Dictionary arrays become views; the
// dictionary is converted on every call unless a DictCache is used. Errors: 1264 for a value
// outside the type's range, 1815 for incompatible types.
func FromArray(arr arrow.Array, t types.Type, from, to int, dst *vec.Vector) error {
	return fromArray(arr, t, from, to, dst, nil)
}

func fromArray(arr arrow.Array, t types.Type, from, to int, dst *vec.Vector, dicts *DictCache) error {
	if d, ok := arr.(*array.Dictionary); ok {
		return fromDictionary(d, t, from, to, dst, dicts)
	}
	natural, ok := types.FromArrow(arr.DataType())
	if !ok || natural.Kind() != t.Kind() {
		return mismatch(arr, t)
	}
	n := to - from
	dst.Type, dst.Form, dst.N, dst.Base, dst.Idx, dst.Narrow = t, vec.Flat, n, nil, nil, false
	dst.Null = nullFlags(arr, from, to, dst.Null)
	switch t.Kind() {
	case types.KindI64, types.KindU64:
		return fromIntegers(arr, t, from, to, dst)
	case types.KindF64:
		return fromFloats(arr, t, from, to, dst)
	case types.KindDec:
		return fromDecimals(arr, t, from, to, dst)
	case types.KindStr:
		return fromStrings(arr, t, from, to, dst)
	}
	return nil
}

func mismatch(arr arrow.Array, t types.Type) error {
	return sqlerr.Internal("an Arrow column of type %s cannot be read as %s", arr.DataType(), t)
}

// shared marks a slice as shared with an array: dst's own buffers always have spare capacity,
// shared slices never have any.
func shared[T any](s []T) []T { return s[:len(s):len(s)] }

// own returns a slice of n elements that may be written to: buf's memory if it is owned and large
// enough, else new memory.
func own[T any](buf []T, n int) []T {
	if cap(buf) > len(buf) && cap(buf) > n {
		return buf[:n]
	}
	return make([]T, n, n+n/4+1)
}

func fromIntegers(arr arrow.Array, t types.Type, from, to int, dst *vec.Vector) error {
	switch a := arr.(type) {
	case *array.Int64:
		dst.I64 = shared(a.Int64Values()[from:to])
	case *array.Uint64:
		dst.I64 = shared(bitsOf(a.Uint64Values()[from:to]))
	case *array.Int8:
		dst.I64 = widen8(dst.I64, a.Int8Values()[from:to])
	case *array.Int16:
		dst.I64 = widen16(dst.I64, a.Int16Values()[from:to])
	case *array.Int32:
		dst.I64 = widen32(dst.I64, a.Int32Values()[from:to])
	case *array.Uint8:
		dst.I64 = widen(dst.I64, a.Uint8Values()[from:to])
	case *array.Uint16:
		dst.I64 = widen(dst.I64, a.Uint16Values()[from:to])
	case *array.Uint32:
		dst.I64 = widen(dst.I64, a.Uint32Values()[from:to])
	case *array.Boolean:
		dst.I64 = own(dst.I64, to-from)
		readBits(dst.I64, a.Data().Buffers()[1], a.Data().Offset()+from)
	default:
		return fromTemporal(arr, t, from, to, dst)
	}
	return nil
}

func widen[T uint8 | uint16 | uint32 | arrow.Date32 | arrow.Time32](buf []int64, src []T) []int64 {
	dst := own(buf, len(src))
	for i, x := range src {
		dst[i] = int64(x)
	}
	return dst
}

func widen32(buf []int64, src []int32) []int64 { return widenFast(buf, src, simd.Widen) }

func widen16(buf []int64, src []int16) []int64 { return widenFast(buf, src, simd.Widen16) }

func widen8(buf []int64, src []int8) []int64 { return widenFast(buf, src, simd.Widen8) }

// widenFast widens integers, most of them with vector instructions.
func widenFast[T int8 | int16 | int32](buf []int64, src []T, most func([]int64, []T) int) []int64 {
	dst := own(buf, len(src))
	done := most(dst, src)
	for i, x := range src[done:] {
		dst[done+i] = int64(x)
	}
	return dst
}

func fromFloats(arr arrow.Array, t types.Type, from, to int, dst *vec.Vector) error {
	switch a := arr.(type) {
	case *array.Float64:
		dst.F64 = shared(a.Float64Values()[from:to])
	case *array.Float32:
		dst.F64 = own(dst.F64, to-from)
		for i, x := range a.Float32Values()[from:to] {
			dst.F64[i] = float64(x)
		}
	case *array.Float16:
		dst.F64 = own(dst.F64, to-from)
		for i, x := range a.Values()[from:to] {
			dst.F64[i] = float64(x.Float32())
		}
	default:
		return mismatch(arr, t)
	}
	return nil
}

func fromDecimals(arr arrow.Array, t types.Type, from, to int, dst *vec.Vector) error {
	if dt, ok := arr.DataType().(arrow.DecimalType); !ok || dt.GetScale() != int32(t.Scale) {
		return mismatch(arr, t)
	}
	switch a := arr.(type) {
	case *array.Decimal128:
		dst.Dec = shared(a.Values()[from:to])
	case *array.Decimal256:
		dst.Dec = own(dst.Dec, to-from)
		for i, x := range a.Values()[from:to] {
			limbs := x.Array() // little endian
			sign := uint64(int64(limbs[1]) >> 63)
			if (limbs[2] != sign || limbs[3] != sign) && !(dst.Null != nil && dst.Null[i]) {
				return outOfRange(t, from+i)
			}
			dst.Dec[i] = decimal128.New(int64(limbs[1]), limbs[0])
		}
	default:
		return mismatch(arr, t)
	}
	return nil
}

func outOfRange(t types.Type, row int) error {
	return sqlerr.New(sqlerr.WarnDataOutOfRange, "Out of range value for type %s at row %d", t, row+1)
}
