package arrow

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"gsql/storage/files/format"
)

var errOffsets = format.Fault("the offsets of its strings are out of order")

// checkArray verifies what vectors rely on: dictionary codes and string offsets must be within
// the buffers.
func checkArray(arr arrow.Array) error {
	switch a := arr.(type) {
	case *array.Dictionary:
		n := a.Dictionary().Len()
		for i := range a.Len() {
			if !a.IsNull(i) && (a.GetValueIndex(i) < 0 || a.GetValueIndex(i) >= n) {
				return format.ErrCode
			}
		}
		return checkArray(a.Dictionary())
	case *array.String:
		return checkOffsets(a.Data(), arrow.Int32Traits.CastFromBytes)
	case *array.Binary:
		return checkOffsets(a.Data(), arrow.Int32Traits.CastFromBytes)
	case *array.LargeString:
		return checkOffsets(a.Data(), arrow.Int64Traits.CastFromBytes)
	case *array.LargeBinary:
		return checkOffsets(a.Data(), arrow.Int64Traits.CastFromBytes)
	case array.ViewLike:
		return checkViews(a)
	}
	return nil
}

// checkViews verifies that the strings of views are within the buffers.
func checkViews(a array.ViewLike) error {
	buffers := a.Data().Buffers()[2:]
	for i := range a.Len() {
		h := a.ValueHeader(i)
		if h.Len() < 0 {
			return errOffsets
		}
		if a.IsNull(i) || h.IsInline() {
			continue
		}
		b, from, n := int64(h.BufferIndex()), int64(h.BufferOffset()), int64(h.Len())
		if b < 0 || b >= int64(len(buffers)) || from < 0 || n < 0 || from+n > int64(buffers[b].Len()) {
			return errOffsets
		}
	}
	return nil
}

func checkOffsets[O int32 | int64](data arrow.ArrayData, cast func([]byte) []O) error {
	if data.Len() == 0 {
		return nil
	}
	size := 0
	if b := data.Buffers()[2]; b != nil {
		size = b.Len()
	}
	offsets := cast(data.Buffers()[1].Bytes())[data.Offset() : data.Offset()+data.Len()+1]
	for i, o := range offsets[1:] {
		if o < offsets[i] {
			return errOffsets
		}
	}
	if offsets[0] < 0 || int(offsets[len(offsets)-1]) > size {
		return errOffsets
	}
	return nil
}
