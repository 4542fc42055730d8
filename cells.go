package gsql

import (
	"time"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// cells reads the rows of batches as Go values: nil, int64, uint64, float64, string, []byte or
// time.Time in UTC. It converts a run of rows of one column at a time, whose values share memory:
// allocating each value would take longer than all the rest.
type cells struct {
	batch     *vec.Batch
	pos       int   // of the row
	from, end int   // the rows of the batch that are in values
	values    []any // by column, then by row
	text      int   // bytes of the texts made for the last run
}

// runRows is the number of rows of a run. A value that the caller keeps holds the memory of its run.
const runRows = 128

// take continues with the rows of a batch.
func (c *cells) take(b *vec.Batch) { c.batch, c.pos, c.from, c.end = b, -1, 0, 0 }

// next moves to the next row, or returns false if the batch has no more.
func (c *cells) next() bool {
	c.pos++
	return c.pos < c.end || c.convert()
}

// value returns the value of column i in the row.
func (c *cells) value(i int) any { return c.values[i*(c.end-c.from)+c.pos-c.from] }

// convert reads the next run of rows, if there is one.
func (c *cells) convert() bool {
	if c.batch == nil || c.pos >= c.batch.N {
		return false
	}
	rows := min(runRows, c.batch.N-c.pos)
	c.from, c.end = c.pos, c.pos+rows
	if n := rows * len(c.batch.Cols); n > len(c.values) {
		c.values = make([]any, n)
	}
	for i, v := range c.batch.Cols {
		c.column(c.values[i*rows:(i+1)*rows], v)
	}
	return true
}

// column reads a run of one column.
func (c *cells) column(dst []any, v *vec.Vector) {
	if v.Type.ID == types.Null {
		clear(dst)
		return
	}
	base := v
	if v.Form == vec.View {
		base = v.Base
	}
	switch kind := v.Type.Kind(); {
	case v.Type.ID == types.Date:
		box(dst, times(pick(len(dst), v, base.I64, c.from), dateOf))
	case v.Type.ID == types.Datetime || v.Type.ID == types.Timestamp:
		box(dst, times(pick(len(dst), v, base.I64, c.from), time.UnixMicro))
	case v.Type.ID == types.Time:
		box(dst, texts(c, pick(len(dst), v, base.I64, c.from), func(b []byte, x int64) []byte { return types.AppendI64(b, v.Type, x) }))
	case v.Type.ID == types.Bytes:
		box(dst, copies(pick(len(dst), v, base.Str, c.from)))
	case kind == types.KindDec && base.Narrow:
		scale := int(v.Type.Scale)
		box(dst, texts(c, pick(len(dst), v, base.I64, c.from), func(b []byte, x int64) []byte { return types.AppendNarrow(b, x, scale) }))
	case kind == types.KindDec:
		scale := int(v.Type.Scale)
		box(dst, texts(c, pick(len(dst), v, base.Dec, c.from), func(b []byte, x decimal128.Num) []byte { return types.AppendDecimal(b, x, scale) }))
	case kind == types.KindI64:
		box(dst, pick(len(dst), v, base.I64, c.from))
	case kind == types.KindU64:
		box(dst, unsigned(pick(len(dst), v, base.I64, c.from)))
	case kind == types.KindF64:
		box(dst, pick(len(dst), v, base.F64, c.from))
	case kind == types.KindStr:
		box(dst, pick(len(dst), v, base.Str, c.from))
	}
	c.nulls(dst, v, base)
}

// nulls sets the values of a run that are NULL.
func (c *cells) nulls(dst []any, v, base *vec.Vector) {
	if v.Form != vec.View && base.Null == nil {
		return
	}
	for i := range dst {
		if v.IsNull(c.from + i) {
			dst[i] = nil
		}
	}
}

// pick copies the payloads of n rows of v from one on to new memory. slots is the payload of all slots.
// Rows of a view that are NULL have zero.
func pick[T any](n int, v *vec.Vector, slots []T, from int) []T {
	out := make([]T, n)
	switch v.Form {
	case vec.Flat:
		copy(out, slots[from:])
	case vec.Const:
		for i := range out {
			out[i] = slots[0]
		}
	default:
		for i, slot := range v.Idx[from : from+n] {
			if slot >= 0 {
				out[i] = slots[slot]
			}
		}
	}
	return out
}

// dateOf returns a number of days since 1970 as a time.
func dateOf(days int64) time.Time { return time.Unix(days*86400, 0) }

func times(xs []int64, of func(int64) time.Time) []time.Time {
	out := make([]time.Time, len(xs))
	for i, x := range xs {
		out[i] = of(x).UTC()
	}
	return out
}

func unsigned(xs []int64) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(xs))), len(xs))
}

// copies returns copies of binary values, which the caller may change.
func copies(xs []string) [][]byte {
	size := 0
	for _, x := range xs {
		size += len(x)
	}
	memory, out := make([]byte, 0, size), make([][]byte, len(xs))
	for i, x := range xs {
		start := len(memory)
		memory = append(memory, x...)
		out[i] = memory[start:len(memory):len(memory)]
	}
	return out
}

// texts returns values as texts, all of which are in one piece of memory.
func texts[T any](c *cells, xs []T, appendTo func([]byte, T) []byte) []string {
	var ends [runRows]int
	memory := make([]byte, 0, max(c.text+c.text/8, 8*len(xs)))
	for i, x := range xs {
		memory = appendTo(memory, x)
		ends[i] = len(memory)
	}
	c.text = len(memory)
	all, out, start := unsafe.String(unsafe.SliceData(memory), len(memory)), make([]string, len(xs)), 0
	for i := range out {
		out[i] = all[start:ends[i]]
		start = ends[i]
	}
	return out
}

// box converts values, which must not change afterwards, to interface values, as any(x) does, but
// without allocating memory for each. T must not be a pointer or a type that is represented as one.
func box[T any](dst []any, values []T) {
	var zero T
	sample := any(zero)
	typ := (*boxed)(unsafe.Pointer(&sample)).typ
	for i := range values {
		*(*boxed)(unsafe.Pointer(&dst[i])) = boxed{typ, unsafe.Pointer(&values[i])}
	}
}

// boxed is an interface value as the Go runtime represents it.
type boxed struct{ typ, data unsafe.Pointer }
