package arrowvec

import (
	"math"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// ToArray makes an array of type v.Type.Arrow(). It shares nothing with v: the caller
// owns it and may keep it. Views and constants are written out; ToDictionary keeps a
// view's codes. Errors: 1264 for a value the narrow Arrow type cannot hold, 1406 when
// the strings together pass 2 GB.
func ToArray(v *vec.Vector, alloc memory.Allocator) (arrow.Array, error) {
	v = v.Flatten(nil)
	if v.Type.ID == types.Null {
		return array.NewNull(v.N), nil
	}
	values, err := payload(v, alloc)
	if err != nil {
		return nil, err
	}
	return assemble(v.Type.Arrow(), v.N, v.Null, values, nil, alloc), nil
}

// assemble builds an array of the value buffers (which it takes over) and null flags.
func assemble(dt arrow.DataType, n int, null []bool, values []*memory.Buffer, dict arrow.ArrayData, alloc memory.Allocator) arrow.Array {
	bitmap, nulls := validity(null, alloc)
	buffers := append([]*memory.Buffer{bitmap}, values...)
	var data *array.Data
	if dict == nil {
		data = array.NewData(dt, n, buffers, nil, nulls, 0)
	} else {
		data = array.NewDataWithDictionary(dt, n, buffers, nulls, 0, dict.(*array.Data))
	}
	defer data.Release()
	for _, b := range buffers {
		if b != nil {
			b.Release()
		}
	}
	return array.MakeFromData(data)
}

func payload(v *vec.Vector, alloc memory.Allocator) ([]*memory.Buffer, error) {
	var b *memory.Buffer
	var err error
	switch v.Type.Arrow().ID() {
	case arrow.BOOL:
		b = packBits(v, alloc)
	case arrow.INT8:
		b, err = narrow[int8](v, math.MinInt8, math.MaxInt8, alloc)
	case arrow.INT16:
		b, err = narrow[int16](v, math.MinInt16, math.MaxInt16, alloc)
	case arrow.INT32, arrow.DATE32:
		b, err = narrow[int32](v, math.MinInt32, math.MaxInt32, alloc)
	case arrow.UINT8:
		b, err = narrow[uint8](v, 0, math.MaxUint8, alloc)
	case arrow.UINT16:
		b, err = narrow[uint16](v, 0, math.MaxUint16, alloc)
	case arrow.UINT32:
		b, err = narrow[uint32](v, 0, math.MaxUint32, alloc)
	case arrow.INT64, arrow.UINT64, arrow.TIMESTAMP, arrow.DURATION:
		b = wide(v.I64[:v.N], alloc)
	case arrow.FLOAT32:
		b = toFloat32(v, alloc)
	case arrow.FLOAT64:
		b = wide(v.F64[:v.N], alloc)
	case arrow.DECIMAL128:
		b = wide(v.Dec[:v.N], alloc)
	default:
		return packStrings(v, alloc)
	}
	return []*memory.Buffer{b}, err
}

func elements[T any](b *memory.Buffer, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b.Bytes()))), n)
}

// wide gives the buffer of values that Arrow stores as they are.
func wide[T any](s []T, alloc memory.Allocator) *memory.Buffer {
	var zero T
	b := newBuffer(len(s)*int(unsafe.Sizeof(zero)), alloc)
	copy(elements[T](b, len(s)), s)
	return b
}

func narrow[T int8 | int16 | int32 | uint8 | uint16 | uint32](v *vec.Vector, lo, hi int64, alloc memory.Allocator) (*memory.Buffer, error) {
	var zero T
	b := newBuffer(v.N*int(unsafe.Sizeof(zero)), alloc)
	out := elements[T](b, v.N)
	for i, x := range v.I64[:v.N] {
		if x < lo || x > hi {
			if v.Null == nil || !v.Null[i] {
				b.Release()
				return nil, outOfRange(v.Type, i)
			}
			x = 0
		}
		out[i] = T(x)
	}
	return b, nil
}

func toFloat32(v *vec.Vector, alloc memory.Allocator) *memory.Buffer {
	b := newBuffer(v.N*4, alloc)
	out := elements[float32](b, v.N)
	for i, x := range v.F64[:v.N] {
		out[i] = float32(x)
	}
	return b
}

func packBits(v *vec.Vector, alloc memory.Allocator) *memory.Buffer {
	b := newBuffer(int(bitutil.BytesForBits(int64(v.N))), alloc)
	bits := b.Bytes()
	clear(bits)
	for i, x := range v.I64[:v.N] {
		if x != 0 {
			bits[i>>3] |= 1 << (i & 7)
		}
	}
	return b
}

func packStrings(v *vec.Vector, alloc memory.Allocator) ([]*memory.Buffer, error) {
	total := 0
	for i, s := range v.Str[:v.N] {
		if v.Null == nil || !v.Null[i] {
			total += len(s)
		}
	}
	if total > math.MaxInt32 {
		return nil, sqlerr.New(sqlerr.DataTooLong, "Data too long: the strings of one batch take %d bytes, at most %d are possible", total, math.MaxInt32)
	}
	offsets, data := newBuffer((v.N+1)*4, alloc), newBuffer(total, alloc)
	at, ends, bytes := 0, elements[int32](offsets, v.N+1), data.Bytes()
	ends[0] = 0
	for i, s := range v.Str[:v.N] {
		if v.Null == nil || !v.Null[i] {
			at += copy(bytes[at:], s)
		}
		ends[i+1] = int32(at)
	}
	return []*memory.Buffer{offsets, data}, nil
}
