package segfile

import (
	"encoding/binary"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/segfile/pack"
	"gsql/storage/segment"
)

// How the data of a column are stored.
const (
	allNull    = iota // of type NULL
	integers          // one to eight bytes wide, or the bits of floating-point numbers
	wide              // decimals of 128 bits: low halves and high halves
	bitmap            // BOOL
	texts             // lengths and bytes
	dictionary        // codes, and the texts that they stand for
	runs              // ends of runs, and one value for each
)

// encoder encodes the data of columns. Its buffers are reused.
type encoder struct {
	by    pack.Compression
	dst   []byte
	ints  []int64
	bytes []byte
}

// column appends the data of a column of type t.
func (e *encoder) column(t types.Type, d *segment.Data) {
	switch {
	case d.Runs != nil:
		e.dst = append(e.dst, runs)
		e.runs(t, d.Runs)
	case d.Dict != nil:
		e.dst = append(e.dst, dictionary)
		e.codes(d.Codes)
		e.vectorTexts(d.Dict)
	default:
		e.plain(t, d.Arr)
	}
}

// plain appends an array with one value for each row.
func (e *encoder) plain(t types.Type, a arrow.Array) {
	data := a.Data()
	form := formOf(t)
	e.dst = append(e.dst, form)
	if form == allNull {
		return
	}
	null := e.validity(a)
	buffers := data.Buffers()
	switch form {
	case bitmap:
		e.dst = pack.AppendBytes(e.dst, buffers[1].Bytes()[:bitutil.BytesForBits(int64(a.Len()))], e.by)
	case wide:
		e.decimals(arrow.Decimal128Traits.CastFromBytes(buffers[1].Bytes())[:a.Len()], null)
	case texts:
		e.texts(arrow.Int32Traits.CastFromBytes(buffers[1].Bytes())[:a.Len()+1], buffers[2].Bytes())
	default:
		size := a.DataType().(arrow.FixedWidthDataType).Bytes() // less than widthOf if the values need less
		e.dst = append(e.dst, byte(size))
		e.numbers(buffers[1].Bytes()[:a.Len()*size], size, t.Kind() == types.KindU64, null)
	}
}

// formOf returns how columns of type t without dictionary and runs are stored.
func formOf(t types.Type) byte {
	switch {
	case t.ID == types.Null:
		return allNull
	case t.Kind() == types.KindStr:
		return texts
	case t.ID == types.Bool:
		return bitmap
	case t.Kind() == types.KindDec && !t.FitsInt64():
		return wide
	}
	return integers
}

// widthOf returns the bytes of a number of type t in an array.
func widthOf(t types.Type) int {
	if t.FitsInt64() {
		return 8
	}
	return t.Arrow().(arrow.FixedWidthDataType).Bytes()
}

// validity appends which rows are not NULL, and returns a function that tells which are, or nil.
func (e *encoder) validity(a arrow.Array) (null func(row int) bool) {
	if a.NullN() == 0 {
		e.dst = append(e.dst, 0)
		return nil
	}
	bits := a.Data().Buffers()[0].Bytes()
	e.dst = pack.AppendBytes(append(e.dst, 1), bits[:bitutil.BytesForBits(int64(a.Len()))], e.by)
	return func(row int) bool { return !bitutil.BitIsSet(bits, row) }
}

// flags is validity for the NULL flags of n values.
func (e *encoder) flags(flags []bool, n int) (null func(row int) bool) {
	any := false
	bits := make([]byte, bitutil.BytesForBits(int64(n)))
	for i := range n {
		if flags != nil && flags[i] {
			any = true
		} else {
			bitutil.SetBit(bits, i)
		}
	}
	if !any {
		e.dst = append(e.dst, 0)
		return nil
	}
	e.dst = pack.AppendBytes(append(e.dst, 1), bits, e.by)
	return func(row int) bool { return flags[row] }
}

// numbers appends numbers of the given size.
func (e *encoder) numbers(data []byte, size int, unsigned bool, null func(int) bool) {
	switch {
	case size == 1 && unsigned:
		widen[uint8](e, data)
	case size == 1:
		widen[int8](e, data)
	case size == 2 && unsigned:
		widen[uint16](e, data)
	case size == 2:
		widen[int16](e, data)
	case size == 4 && unsigned:
		widen[uint32](e, data)
	case size == 4:
		widen[int32](e, data)
	default:
		e.integers(elements[int64](data), null)
		return
	}
	e.integers(e.ints, null)
}

func elements[T any](data []byte) []T {
	var x T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/int(unsafe.Sizeof(x)))
}

// room returns the buffer for n integers.
func (e *encoder) room(n int) []int64 {
	if cap(e.ints) < n {
		e.ints = make([]int64, n)
	}
	e.ints = e.ints[:n]
	return e.ints
}

func widen[T int8 | int16 | int32 | uint8 | uint16 | uint32](e *encoder, data []byte) {
	src := elements[T](data)
	for i, dst := 0, e.room(len(src)); i < len(src); i++ {
		dst[i] = int64(src[i])
	}
}

// integers appends values. Those of NULLs may be anything; they become those of the row before, so
// that they take no bits.
func (e *encoder) integers(values []int64, null func(int) bool) {
	if null != nil {
		own, last, first := e.room(len(values)), int64(0), 0
		for i, x := range values {
			if null(i) {
				x = last
			} else if first == i {
				first = -1
				for j := range i {
					own[j] = x
				}
			}
			if first == i {
				first++
			}
			own[i], last = x, x
		}
		values = own
	}
	e.dst = pack.AppendIntegers(e.dst, values)
}

// decimals appends the low and the high halves of values.
func (e *encoder) decimals(values []decimal128.Num, null func(int) bool) {
	half := make([]int64, len(values))
	for i, x := range values {
		half[i] = int64(x.LowBits())
	}
	e.integers(half, null)
	for i, x := range values {
		half[i] = x.HighBits()
	}
	e.integers(half, null)
}

// texts appends strings by their offsets.
func (e *encoder) texts(offsets []int32, data []byte) {
	lengths := e.room(len(offsets) - 1)
	for i := range lengths {
		lengths[i] = int64(offsets[i+1] - offsets[i])
	}
	e.dst = pack.AppendIntegers(e.dst, lengths)
	e.dst = pack.AppendBytes(e.dst, data[offsets[0]:offsets[len(offsets)-1]], e.by)
}

// vectorTexts appends the number of strings of a flat vector, and the strings.
func (e *encoder) vectorTexts(v *vec.Vector) {
	e.dst = binary.AppendUvarint(e.dst, uint64(v.N))
	lengths, data := e.room(v.N), e.bytes[:0]
	for i, s := range v.Str[:v.N] {
		if v.Null != nil && v.Null[i] {
			s = ""
		}
		lengths[i], data = int64(len(s)), append(data, s...)
	}
	e.bytes = data
	e.dst = pack.AppendIntegers(e.dst, lengths)
	e.dst = pack.AppendBytes(e.dst, data, e.by)
}

// codes appends the codes of a dictionary.
func (e *encoder) codes(codes []int32) {
	for i, dst := 0, e.room(len(codes)); i < len(codes); i++ {
		dst[i] = int64(codes[i])
	}
	e.dst = pack.AppendIntegers(e.dst, e.ints)
}

// runs appends the ends of runs and their values.
func (e *encoder) runs(t types.Type, r *segment.Runs) {
	e.dst = binary.AppendUvarint(e.dst, uint64(len(r.Ends)))
	e.codes(r.Ends)
	v := r.Values()
	if v.Form == vec.View {
		e.dst = append(e.dst, dictionary)
		e.codes(v.Idx[:v.N])
		e.vectorTexts(v.Base)
		return
	}
	form := formOf(t)
	e.dst = append(e.dst, form)
	null := e.flags(v.Null, v.N)
	switch {
	case form == texts:
		e.vectorTexts(v)
	case form == wide:
		e.decimals(v.Dec[:v.N], null)
	case t.Kind() == types.KindF64:
		e.integers(unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(v.F64))), v.N), null)
	default:
		e.integers(v.I64[:v.N], null)
	}
}
