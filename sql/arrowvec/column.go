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

// column builds an Arrow array from the rows of vectors.
type column struct {
	t      types.Type
	dt     arrow.DataType
	width  int // bytes per value; strings: per offset; 0 for bits
	alloc  memory.Allocator
	n      int
	values *memory.Buffer // strings: the offsets, one more than there are rows
	bytes  *memory.Buffer // bytes of strings
	text   int            // number of bytes of strings
	valid  *memory.Buffer // nil while no row is NULL
	nulls  int
	flat   vec.Vector // scratch
}

// newColumn allocates memory for room rows; more may be appended.
func newColumn(t types.Type, room int, alloc memory.Allocator) *column {
	c := &column{t: t, dt: t.Arrow(), alloc: alloc, values: memory.NewResizableBuffer(alloc)}
	switch {
	case t.ID == types.Null:
	case t.Kind() == types.KindStr:
		c.width, c.bytes = 4, memory.NewResizableBuffer(alloc)
		c.values.Reserve(4 * (room + 1))
	case c.dt.ID() != arrow.BOOL:
		c.width = c.dt.(arrow.FixedWidthDataType).Bytes()
		c.values.Reserve(c.width * room)
	}
	return c
}

// release frees the column's memory, but not that of arrays made from it.
func (c *column) release() {
	for _, b := range []*memory.Buffer{c.values, c.bytes, c.valid} {
		if b != nil {
			b.Release()
		}
	}
}

// array returns an array of the rows so far.
func (c *column) array() arrow.Array {
	if c.t.ID == types.Null {
		return array.NewNull(c.n)
	}
	if c.nulls == 0 && c.valid != nil {
		c.valid.Release()
		c.valid = nil
	}
	buffers := []*memory.Buffer{c.valid, c.values}
	if c.bytes != nil {
		buffers = append(buffers, c.bytes)
	}
	data := array.NewData(c.dt, c.n, buffers, nil, c.nulls, 0)
	defer data.Release()
	return array.MakeFromData(data)
}

// grow resizes b to a total of bytes, reserving more for later growth.
func grow(b *memory.Buffer, bytes int) []byte {
	if bytes > b.Cap() {
		b.Reserve(max(bytes, 2*b.Cap()))
	}
	b.ResizeNoShrink(bytes)
	return b.Bytes()
}

// append appends a copy of the rows of v.
func (c *column) append(v *vec.Vector) error {
	if c.t.ID == types.Null {
		c.n += v.N
		return nil
	}
	if v.IsNarrow() {
		v = v.Flatten(&c.flat)
	}
	c.markNulls(v)
	if err := c.appendValues(v); err != nil {
		return err
	}
	c.n += v.N
	return nil
}

func (c *column) appendValues(v *vec.Vector) error {
	switch c.dt.ID() {
	case arrow.BOOL:
		c.appendBits(v.Flatten(&c.flat))
	case arrow.INT8:
		return appendIntegers[int8](c, v)
	case arrow.INT16:
		return appendIntegers[int16](c, v)
	case arrow.INT32, arrow.DATE32:
		return appendIntegers[int32](c, v)
	case arrow.UINT8:
		return appendIntegers[uint8](c, v)
	case arrow.UINT16:
		return appendIntegers[uint16](c, v)
	case arrow.UINT32:
		return appendIntegers[uint32](c, v)
	case arrow.INT64, arrow.UINT64, arrow.TIMESTAMP, arrow.DURATION:
		return appendIntegers[int64](c, v)
	case arrow.FLOAT32:
		place(room[float32](c, v.N), v, slots(v).F64)
	case arrow.FLOAT64:
		place(room[float64](c, v.N), v, slots(v).F64)
	case arrow.DECIMAL128:
		v = v.Flatten(&c.flat)
		copy(room[[2]uint64](c, v.N), unsafe.Slice((*[2]uint64)(unsafe.Pointer(unsafe.SliceData(v.Dec))), v.N))
	default:
		return c.appendStrings(v.Flatten(&c.flat))
	}
	return nil
}

// room extends the column by n values and returns them.
func room[T any](c *column, n int) []T {
	b := grow(c.values, (c.n+n)*c.width)
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), c.n+n)[c.n:]
}

// appendIntegers appends integers and values of types stored like them.
func appendIntegers[T number](c *column, v *vec.Vector) error {
	dst := room[T](c, v.N)
	if !place(dst, v, slots(v).I64) {
		return nil
	}
	for i := range dst { // the value may be in the slot of a NULL
		b, s := v.Slot(i)
		if s >= 0 && int64(T(b.I64[s])) != b.I64[s] && !v.IsNull(i) {
			return outOfRange(c.t, i)
		}
	}
	return nil
}

// slots returns the vector that contains the values of v.
func slots(v *vec.Vector) *vec.Vector {
	if v.Form == vec.View {
		return v.Base
	}
	return v
}

func (c *column) appendBits(v *vec.Vector) {
	bits := zeroed(c.values, c.n, v.N)
	for i, x := range v.I64[:v.N] {
		if x != 0 {
			bits[(c.n+i)>>3] |= 1 << ((c.n + i) & 7)
		}
	}
}

// zeroed extends b by n bits after the first ones, and clears them.
func zeroed(b *memory.Buffer, first, n int) []byte {
	old := b.Len()
	bits := grow(b, int(bitutil.BytesForBits(int64(first+n))))
	clear(bits[old:])
	return bits
}

func (c *column) appendStrings(v *vec.Vector) error {
	total := c.text
	for i, s := range v.Str[:v.N] {
		if v.Null == nil || !v.Null[i] {
			total += len(s)
		}
	}
	if total > math.MaxInt32 {
		return sqlerr.New(sqlerr.DataTooLong, "Data too long: the strings of one batch take %d bytes, at most %d are possible", total, math.MaxInt32)
	}
	ends := grow(c.values, 4*(c.n+v.N+1))
	offsets := unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(ends))), c.n+v.N+1)[c.n:]
	data := grow(c.bytes, total)
	at := c.text
	offsets[0] = int32(at)
	for i, s := range v.Str[:v.N] {
		if v.Null == nil || !v.Null[i] {
			at += copy(data[at:], s)
		}
		offsets[i+1] = int32(at)
	}
	c.text = total
	return nil
}

// markNulls appends the validity bits of v.
func (c *column) markNulls(v *vec.Vector) {
	some := v.MayHaveNulls()
	if !some && c.valid == nil {
		return
	}
	if c.valid == nil {
		c.valid = memory.NewResizableBuffer(c.alloc)
		bitutil.SetBitsTo(zeroed(c.valid, 0, c.n), 0, int64(c.n), true)
	}
	bits := zeroed(c.valid, c.n, v.N)
	if !some {
		bitutil.SetBitsTo(bits, int64(c.n), int64(v.N), true)
		return
	}
	for i := range v.N {
		if v.IsNull(i) {
			c.nulls++
		} else {
			bits[(c.n+i)>>3] |= 1 << ((c.n + i) & 7)
		}
	}
}
