package gsql

import (
	"sync"
	"time"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// cells reads the rows of batches as Go values: nil, int64, uint64, float64, string, []byte or
// time.Time in UTC. It converts a run of rows of one column at a time, whose values share memory:
// allocating each value would take longer than all the rest.
type cells struct {
	batch *vec.Batch
	pos   int // of the row
	run   run // the rows that are converted, with the row
	next  int // the first row of the next run
	err   error

	buffers [stretchRuns][]any
	first   converter // of the first run of a stretch
	ahead   chan run  // the other runs of a stretch, if a goroutine converts them; else nil
	failed  error     // of the goroutine, once it has closed ahead
	busy    sync.WaitGroup
}

// run is the rows of a batch from one on up to end, by column, then by row.
type run struct {
	from, end int
	values    []any
}

const (
	// runRows is the number of rows of a run. A value that the caller keeps holds the memory of its run.
	runRows = 128
	// stretchRuns is the number of runs that a goroutine converts at once.
	stretchRuns = 16
	// aheadRows is the number of rows for which it is worth starting a goroutine.
	aheadRows = 1024
)

// take continues with the rows of a batch. With several workers, another goroutine converts rows
// while the caller reads earlier ones.
func (c *cells) take(b *vec.Batch, workers int) {
	c.batch, c.pos, c.run, c.next, c.ahead = b, -1, run{}, 0, nil
	if workers > 1 && b.N >= aheadRows {
		c.ahead = make(chan run, stretchRuns)
	}
}

// step moves to the next row, or returns false if the batch has no more, or after an error.
func (c *cells) step() bool {
	c.pos++
	return c.pos < c.run.end || c.advance()
}

// value returns the value of column i in the row.
func (c *cells) value(i int) any { return c.run.values[i*(c.run.end-c.run.from)+c.pos-c.run.from] }

// advance gets the next run of rows, if there is one.
func (c *cells) advance() bool {
	if c.batch == nil || c.err != nil || c.next >= c.batch.N {
		return false
	}
	switch part := c.next / runRows % stretchRuns; {
	case c.ahead != nil && part > 0:
		r, ok := <-c.ahead
		if !ok {
			c.err = c.failed
			return false
		}
		c.run = r
	case c.ahead != nil:
		c.start(c.next + runRows)
		fallthrough
	default:
		c.run = c.first.run(c.batch, &c.buffers[0], c.next)
	}
	c.next = c.run.end
	return true
}

// start lets a goroutine convert the rest of a stretch. It never waits for the reader.
func (c *cells) start(from int) {
	b, to := c.batch, c.ahead
	c.busy.Go(func() {
		err := sqlerr.Guard(func() error {
			var others converter
			for part := 1; part < stretchRuns && from < b.N; part++ {
				r := others.run(b, &c.buffers[part], from)
				from = r.end
				to <- r
			}
			return nil
		})
		if err != nil {
			c.failed = err
			close(to)
		}
	})
}

// drop releases the batch once no goroutine reads it.
func (c *cells) drop() {
	c.busy.Wait()
	c.batch, c.run = nil, run{}
}

// converter converts runs of rows, one after the other.
type converter struct{ text int } // bytes of the texts made for the last run

// run converts the run that begins at a row, with values in buffer.
func (c *converter) run(b *vec.Batch, buffer *[]any, from int) run {
	r := run{from: from, end: min(from+runRows, b.N)}
	rows := r.end - r.from
	n := rows * len(b.Cols)
	if cap(*buffer) < n {
		*buffer = make([]any, n)
	}
	r.values = (*buffer)[:n]
	for i, v := range b.Cols {
		c.column(r.values[i*rows:(i+1)*rows], v, from)
	}
	return r
}

// column reads a run of one column.
func (c *converter) column(dst []any, v *vec.Vector, from int) {
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
		box(dst, times(pick(len(dst), v, base.I64, from), dateOf))
	case v.Type.ID == types.Datetime || v.Type.ID == types.Timestamp:
		box(dst, times(pick(len(dst), v, base.I64, from), time.UnixMicro))
	case v.Type.ID == types.Time:
		box(dst, texts(c, pick(len(dst), v, base.I64, from), func(b []byte, x int64) []byte { return types.AppendI64(b, v.Type, x) }))
	case v.Type.ID == types.Bytes:
		box(dst, copies(pick(len(dst), v, base.Str, from)))
	case kind == types.KindDec && base.Narrow:
		scale := int(v.Type.Scale)
		box(dst, texts(c, pick(len(dst), v, base.I64, from), func(b []byte, x int64) []byte { return types.AppendNarrow(b, x, scale) }))
	case kind == types.KindDec:
		scale := int(v.Type.Scale)
		box(dst, texts(c, pick(len(dst), v, base.Dec, from), func(b []byte, x decimal128.Num) []byte { return types.AppendDecimal(b, x, scale) }))
	case kind == types.KindI64:
		box(dst, pick(len(dst), v, base.I64, from))
	case kind == types.KindU64:
		box(dst, unsigned(pick(len(dst), v, base.I64, from)))
	case kind == types.KindF64:
		box(dst, pick(len(dst), v, base.F64, from))
	case kind == types.KindStr:
		box(dst, pick(len(dst), v, base.Str, from))
	}
	nulls(dst, v, base, from)
}

// nulls sets the values of a run that are NULL.
func nulls(dst []any, v, base *vec.Vector, from int) {
	if v.Form != vec.View && base.Null == nil {
		return
	}
	for i := range dst {
		if v.IsNull(from + i) {
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
func texts[T any](c *converter, xs []T, appendTo func([]byte, T) []byte) []string {
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
