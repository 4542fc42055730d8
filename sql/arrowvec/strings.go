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
	switch arr.(type) {
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
	default:
		return mismatch(arr, t)
	}
	return nil
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

// stringOf views bytes that are never written again as a string.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
