package arrowvec

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// Take sets dst to the given rows of arr, counted from from, converted as by FromArray. It does
// so only if reading all rows to keep some of them would cost more: for strings, and for values
// that must be widened. It reports whether it did.
func Take(arr arrow.Array, t types.Type, from int, rows []int32, dst *vec.Vector) (bool, error) {
	if natural, ok := types.FromArrow(arr.DataType()); !ok || natural.Kind() != t.Kind() {
		return false, mismatch(arr, t)
	}
	switch a := arr.(type) {
	case *array.Int8:
		dst.I64 = widenSome(dst.I64, a.Int8Values()[from:], rows)
	case *array.Int16:
		dst.I64 = widenSome(dst.I64, a.Int16Values()[from:], rows)
	case *array.Int32:
		dst.I64 = widenSome(dst.I64, a.Int32Values()[from:], rows)
	case *array.Uint8:
		dst.I64 = widenSome(dst.I64, a.Uint8Values()[from:], rows)
	case *array.Uint16:
		dst.I64 = widenSome(dst.I64, a.Uint16Values()[from:], rows)
	case *array.Uint32:
		dst.I64 = widenSome(dst.I64, a.Uint32Values()[from:], rows)
	case *array.Date32:
		dst.I64 = widenSome(dst.I64, a.Date32Values()[from:], rows)
	case *array.String, *array.Binary:
		dst.Str = own(dst.Str, len(rows))
		data := arr.Data()
		offsets := arrow.Int32Traits.CastFromBytes(data.Buffers()[1].Bytes())
		takeStrings(dst.Str, offsets[data.Offset()+from:], dataBytes(data), rows)
	default:
		return false, nil
	}
	finish(arr, t, from, rows, dst)
	return true, nil
}

// Copy is like Take, but also copies values of fixed width, whose memory FromArray shares.
func Copy(arr arrow.Array, t types.Type, from int, rows []int32, dst *vec.Vector) (bool, error) {
	if taken, err := Take(arr, t, from, rows, dst); taken || err != nil {
		return taken, err
	}
	switch a := arr.(type) {
	case *array.Int64:
		dst.I64 = copySome(dst.I64, a.Int64Values()[from:], rows)
	case *array.Uint64:
		dst.I64 = copySome(dst.I64, bitsOf(a.Uint64Values()[from:]), rows)
	case *array.Float64:
		dst.F64 = copySome(dst.F64, a.Float64Values()[from:], rows)
	case *array.Decimal128:
		if a.DataType().(*arrow.Decimal128Type).Scale != int32(t.Scale) {
			return false, mismatch(arr, t)
		}
		dst.Dec = copySome(dst.Dec, a.Values()[from:], rows)
	case *array.Timestamp:
		if a.DataType().(*arrow.TimestampType).Unit != arrow.Microsecond {
			return false, nil
		}
		dst.I64 = copySome(dst.I64, bitsOf(a.TimestampValues()[from:]), rows)
	default:
		return false, nil
	}
	finish(arr, t, from, rows, dst)
	return true, nil
}

// finish sets the fields that are equal for all vectors of rows taken from an array.
func finish(arr arrow.Array, t types.Type, from int, rows []int32, dst *vec.Vector) {
	dst.Type, dst.Form, dst.N, dst.Base, dst.Idx, dst.Narrow = t, vec.Flat, len(rows), nil, nil, false
	dst.Null = nullFlagsOf(arr, from, rows, dst.Null)
}

func copySome[T any](buf, src []T, rows []int32) []T {
	dst := own(buf, len(rows))
	for i, r := range rows {
		dst[i] = src[r]
	}
	return dst
}

func widenSome[T int8 | int16 | int32 | uint8 | uint16 | uint32 | arrow.Date32](buf []int64, src []T, rows []int32) []int64 {
	dst := own(buf, len(rows))
	for i, r := range rows {
		dst[i] = int64(src[r])
	}
	return dst
}

func takeStrings(dst []string, offsets []int32, bytes []byte, rows []int32) {
	for i, r := range rows {
		dst[i] = stringOf(bytes[offsets[r]:offsets[r+1]])
	}
}

// nullFlagsOf returns the NULL flags of rows, or nil if none of them is NULL.
func nullFlagsOf(arr arrow.Array, from int, rows []int32, buf []bool) []bool {
	if arr.NullN() == 0 {
		return nil
	}
	bits, start := arr.NullBitmapBytes(), arr.Data().Offset()+from
	if len(bits) == 0 { // an array of type NULL has no bitmap
		null := own(buf, len(rows))
		for i := range null {
			null[i] = true
		}
		return null
	}
	for i, r := range rows {
		if at := start + int(r); bits[at>>3]>>(at&7)&1 != 0 {
			continue
		}
		null := own(buf, len(rows))
		clear(null[:i])
		for k, r := range rows[i:] {
			at := start + int(r)
			null[i+k] = bits[at>>3]>>(at&7)&1 == 0
		}
		return null
	}
	return nil
}
