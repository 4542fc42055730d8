package arrowvec

import (
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"gsql/internal/simd"
	"gsql/sql/types"
)

// CheckText looks for values of a text array that are not valid UTF-8, which Arrow forbids but
// does not prevent. It returns the first such value and its row, or row -1. The offsets must have
// been checked.
func CheckText(arr arrow.Array) (row int, value string) {
	switch a := arr.(type) {
	case *array.String:
		if data := a.Data(); a.Len() == 0 || textBetween(arrow.Int32Traits.CastFromBytes(data.Buffers()[1].Bytes())[data.Offset():][:a.Len()+1], dataBytes(data)) {
			return -1, ""
		}
		return firstInvalid(a)
	case *array.LargeString:
		if data := a.Data(); a.Len() == 0 || textBetween(arrow.Int64Traits.CastFromBytes(data.Buffers()[1].Bytes())[data.Offset():][:a.Len()+1], dataBytes(data)) {
			return -1, ""
		}
		return firstInvalid(a)
	case *array.StringView:
		return firstInvalid(a)
	case *array.Dictionary:
		if first, _ := CheckText(a.Dictionary()); first < 0 {
			return -1, ""
		}
		values, ok := a.Dictionary().(array.StringLike)
		for i := range a.Len() {
			if code := a.GetValueIndex(i); ok && a.IsValid(i) && values.IsValid(code) && !utf8.ValidString(values.Value(code)) {
				return i, values.Value(code)
			}
		}
	}
	return -1, ""
}

// textBetween reports whether all strings, including those of NULLs, are valid UTF-8: the
// concatenated bytes must be valid and, unless they are ASCII, no string may begin within a
// character.
func textBetween[O int32 | int64](offsets []O, data []byte) bool {
	all := data[offsets[0]:offsets[len(offsets)-1]]
	if types.IsASCII(all) {
		return true
	}
	if !simd.ValidUTF8(all) {
		return false
	}
	for _, o := range offsets[:len(offsets)-1] {
		if int(o) < len(data) && !utf8.RuneStart(data[o]) {
			return false
		}
	}
	return true
}

func firstInvalid(a array.StringLike) (row int, value string) {
	for i := range a.Len() {
		if a.IsValid(i) && !utf8.ValidString(a.Value(i)) {
			return i, a.Value(i)
		}
	}
	return -1, ""
}
