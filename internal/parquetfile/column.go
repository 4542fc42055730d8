package parquetfile

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
)

// A columnWriter writes arrays of one column to column chunks, reusing its buffers.
type columnWriter struct {
	nullable bool
	levels   []int16 // definition levels: 1 where a value is, 0 where NULL is
	bools    []bool
	i32      []int32
	i64      []int64
	bytes    []parquet.ByteArray
	fixed    []parquet.FixedLenByteArray
	arena    []byte // what fixed points into
}

// chunk is the common interface of column chunks of all physical types.
type chunk[T any] interface {
	WriteBatch(values []T, def, rep []int16) (int64, error)
	WriteBatchSpaced(values []T, def, rep []int16, valid []byte, offset int64)
}

// put writes values, one a row, with NULLs where arr has some.
func put[T any](c *columnWriter, to chunk[T], arr arrow.Array, values []T) error {
	if !c.nullable {
		_, err := to.WriteBatch(values, nil, nil)
		return err
	}
	c.levels = resize(c.levels, arr.Len())
	for i := range c.levels {
		c.levels[i] = 1
	}
	if arr.NullN() == 0 {
		_, err := to.WriteBatch(values, c.levels, nil)
		return err
	}
	for i := range c.levels {
		if arr.IsNull(i) {
			c.levels[i] = 0
		}
	}
	to.WriteBatchSpaced(values, c.levels, nil, arr.NullBitmapBytes(), int64(arr.Data().Offset()))
	return nil
}

// write appends the values of arr to the column chunk to. Values at NULLs are arbitrary.
func (c *columnWriter) write(to file.ColumnChunkWriter, arr arrow.Array) error {
	if !c.nullable && arr.NullN() > 0 {
		return fmt.Errorf("%d NULLs in a column without NULLs", arr.NullN())
	}
	switch to := to.(type) {
	case *file.BooleanColumnChunkWriter:
		return put(c, to, arr, c.booleans(arr.(*array.Boolean)))
	case *file.Int32ColumnChunkWriter:
		values, err := c.ints32(arr)
		if err != nil {
			return err
		}
		return put(c, to, arr, values)
	case *file.Int64ColumnChunkWriter:
		values, err := c.ints64(arr)
		if err != nil {
			return err
		}
		return put(c, to, arr, values)
	case *file.Float32ColumnChunkWriter:
		return put(c, to, arr, arr.(*array.Float32).Float32Values())
	case *file.Float64ColumnChunkWriter:
		return put(c, to, arr, arr.(*array.Float64).Float64Values())
	case *file.ByteArrayColumnChunkWriter:
		return put(c, to, arr, c.byteArrays(arr.(byteTexts)))
	case *file.FixedLenByteArrayColumnChunkWriter:
		return put(c, to, arr, c.decimals(arr.(*array.Decimal128)))
	}
	return fmt.Errorf("no values of %v are written as %v", arr.DataType(), to.Type())
}

func (c *columnWriter) booleans(arr *array.Boolean) []bool {
	c.bools = resize(c.bools, arr.Len())
	for i := range c.bools {
		c.bools[i] = arr.Value(i)
	}
	return c.bools
}

// ints32 returns the values of a column that is stored as INT32.
func (c *columnWriter) ints32(arr arrow.Array) ([]int32, error) {
	switch arr := arr.(type) {
	case *array.Int32:
		return arr.Int32Values(), nil
	case *array.Uint32:
		return reinterpret[int32](arr.Uint32Values()), nil
	case *array.Date32:
		return reinterpret[int32](arr.Date32Values()), nil
	case *array.Int8:
		return widen(&c.i32, arr.Int8Values()), nil
	case *array.Int16:
		return widen(&c.i32, arr.Int16Values()), nil
	case *array.Uint8:
		return widen(&c.i32, arr.Uint8Values()), nil
	case *array.Uint16:
		return widen(&c.i32, arr.Uint16Values()), nil
	case *array.Decimal128:
		return lowWords(&c.i32, arr.Values()), nil
	}
	return nil, fmt.Errorf("no values of %v are written as INT32", arr.DataType())
}

// ints64 returns the values of a column that is stored as INT64.
func (c *columnWriter) ints64(arr arrow.Array) ([]int64, error) {
	switch arr := arr.(type) {
	case *array.Int64:
		return arr.Int64Values(), nil
	case *array.Uint64:
		return reinterpret[int64](arr.Uint64Values()), nil
	case *array.Timestamp:
		return reinterpret[int64](arr.TimestampValues()), nil
	case *array.Time64:
		return reinterpret[int64](arr.Time64Values()), nil
	case *array.Decimal128:
		return lowWords(&c.i64, arr.Values()), nil
	}
	return nil, fmt.Errorf("no values of %v are written as INT64", arr.DataType())
}

// byteTexts are arrays of strings or bytes.
type byteTexts interface {
	ValueOffsets() []int32 // of its values and of their end, none if it is empty
	ValueBytes() []byte    // from the first value on
}

// byteArrays returns the texts of arr, with which they share their bytes.
func (c *columnWriter) byteArrays(arr byteTexts) []parquet.ByteArray {
	offsets, bytes := arr.ValueOffsets(), arr.ValueBytes()
	c.bytes = resize(c.bytes, max(len(offsets), 1)-1)
	for i := range c.bytes {
		c.bytes[i] = bytes[offsets[i]-offsets[0] : offsets[i+1]-offsets[0]]
	}
	return c.bytes
}

// decimals returns the values of arr as big-endian numbers of as many bytes as its precision needs.
func (c *columnWriter) decimals(arr *array.Decimal128) []parquet.FixedLenByteArray {
	width := decimalBytes(arr.DataType().(*arrow.Decimal128Type).Precision)
	c.fixed, c.arena = resize(c.fixed, arr.Len()), resize(c.arena, arr.Len()*16)
	for i, x := range arr.Values() {
		b := c.arena[i*16 : i*16+16]
		binary.BigEndian.PutUint64(b, uint64(x.HighBits()))
		binary.BigEndian.PutUint64(b[8:], x.LowBits())
		c.fixed[i] = b[16-width:]
	}
	return c.fixed
}

// resize returns a slice of n elements of any value, s if it has room for them.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// reinterpret returns the memory of integers as integers of the same width.
func reinterpret[T, F ~int32 | ~int64 | ~uint32 | ~uint64](from []F) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(from))), len(from))
}

// widen returns narrow integers as 32-bit ones, in buf.
func widen[F int8 | int16 | uint8 | uint16](buf *[]int32, from []F) []int32 {
	*buf = resize(*buf, len(from))
	for i, x := range from {
		(*buf)[i] = int32(x)
	}
	return *buf
}

// lowWords returns decimals whose digits fit into T, in buf.
func lowWords[T int32 | int64](buf *[]T, from []decimal128.Num) []T {
	*buf = resize(*buf, len(from))
	for i, x := range from {
		(*buf)[i] = T(x.LowBits())
	}
	return *buf
}
