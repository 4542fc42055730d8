package arrowvec

import (
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// fromStrings points dst's strings into the array's data buffer.
func fromStrings(arr arrow.Array, t types.Type, from, to int, dst *vec.Vector) error {
	dst.Str = own(dst.Str, to-from)
	if from == to {
		return nil
	}
	data := arr.Data()
	first := data.Offset() + from
	switch arr := arr.(type) {
	case *array.String, *array.Binary:
		offsets := arrow.Int32Traits.CastFromBytes(data.Buffers()[1].Bytes())
		sliceStrings(dst.Str, offsets[first:], dataBytes(data))
	case *array.LargeString, *array.LargeBinary:
		offsets := arrow.Int64Traits.CastFromBytes(data.Buffers()[1].Bytes())
		sliceStrings(dst.Str, offsets[first:], dataBytes(data))
	case *array.FixedSizeBinary:
		width := arr.DataType().(*arrow.FixedSizeBinaryType).ByteWidth
		bytes := data.Buffers()[1].Bytes()
		for i := range dst.Str {
			at := (first + i) * width
			dst.Str[i] = stringOf(bytes[at : at+width])
		}
	case array.ViewLike:
		for i := range dst.Str {
			dst.Str[i] = viewed(arr, data, from+i)
		}
	default:
		return mismatch(arr, t)
	}
	return nil
}

// viewed returns text i of an array of string views; short texts are stored in the view itself.
// Strings may share either memory, because an array's memory is never overwritten.
func viewed(arr array.ViewLike, data arrow.ArrayData, i int) string {
	if arr.IsNull(i) {
		return ""
	}
	h := arr.ValueHeader(i)
	if h.IsInline() {
		return stringOf(h.InlineBytes())
	}
	from := int(h.BufferOffset())
	return stringOf(data.Buffers()[2+h.BufferIndex()].Bytes()[from : from+h.Len()])
}

func dataBytes(data arrow.ArrayData) []byte {
	if b := data.Buffers()[2]; b != nil {
		return b.Bytes()
	}
	return nil
}

func sliceStrings[O int32 | int64](dst []string, offsets []O, bytes []byte) {
	offsets = offsets[:len(dst)+1]
	for i := range dst {
		dst[i] = stringOf(bytes[offsets[i]:offsets[i+1]])
	}
}

// stringOf returns bytes that are never overwritten as a string, without copying.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
