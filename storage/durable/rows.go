package durable

import (
	"encoding/binary"
	"math"
	"slices"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// How the values of a column are written. Integers take 0, 1, 2, 4 or 8 bytes each, beside a
// smallest value that is added to them.
const (
	wideDecimals = 16 // bytes of a value, in place of the width of integers
	floats       = 9  // 8 bytes each, the bits of a float64
)

// EncodeRows appends rows to dst: batches of flat vectors that conform to a schema.
func EncodeRows(dst []byte, batches [][]*vec.Vector) []byte {
	e := encoder{dst}
	e.uint(uint64(len(batches)))
	for _, b := range batches {
		e.uint(uint64(b[0].N))
		for _, v := range b {
			e.vector(v)
		}
	}
	return e.buf
}

// rows reads what EncodeRows appended and passes each batch to use, which copies what it keeps: the
// memory is reused, and texts are those of the record.
func (d *decoder) rows(s *catalog.Schema, memory *batch, use func(rows []*vec.Vector) error) error {
	for range d.count(1) {
		n := d.uint()
		if n > math.MaxInt32 {
			d.fail(errUnknown)
		}
		for i := range s.Columns {
			if d.vector(memory.column(i), s.Columns[i].Type, int(n)); d.err != nil {
				return d.err
			}
		}
		if err := use(memory.vectors[:len(s.Columns)]); err != nil {
			return err
		}
	}
	return d.err
}

// batch is memory for decoded rows.
type batch struct {
	columns []*column
	vectors []*vec.Vector // of the columns
}

// column is memory for the values of a column.
type column struct {
	vec.Vector
	nulls  []bool
	ints   []int64 // values, short decimals, or lengths of texts
	floats []float64
	decs   []decimal128.Num
	texts  []string
}

func (b *batch) column(i int) *column {
	for len(b.columns) <= i {
		c := &column{}
		b.columns, b.vectors = append(b.columns, c), append(b.vectors, &c.Vector)
	}
	return b.columns[i]
}

// resized returns memory for n values, if possible that of list.
func resized[T any](list []T, n int) []T { return slices.Grow(list[:0], n)[:n] }

func (e *encoder) vector(v *vec.Vector) {
	e.nulls(v)
	switch v.Type.Kind() {
	case types.KindI64, types.KindU64:
		e.ints(v.I64[:v.N])
	case types.KindF64:
		e.byte(floats)
		for _, x := range v.F64[:v.N] {
			e.word(math.Float64bits(x))
		}
	case types.KindDec:
		e.decimals(v.Dec[:v.N])
	case types.KindStr:
		e.strings(v)
	}
}

// nulls writes a flag and, if there are NULLs, a bit per row.
func (e *encoder) nulls(v *vec.Vector) {
	some := false
	if v.Null != nil {
		for _, x := range v.Null[:v.N] {
			some = some || x
		}
	}
	e.flags(some)
	if !some {
		return
	}
	for at := 0; at < v.N; at += 8 {
		e.byte(packed(v.Null[at:min(at+8, v.N)]))
	}
}

func (e *encoder) ints(xs []int64) {
	if len(xs) == 0 {
		return
	}
	lo, hi := xs[0], xs[0]
	for _, x := range xs {
		lo, hi = min(lo, x), max(hi, x)
	}
	width := widthOf(uint64(hi) - uint64(lo))
	e.byte(byte(width))
	if width == 8 {
		lo = 0
	} else {
		e.int(lo)
	}
	at := len(e.buf)
	e.buf = append(e.buf, make([]byte, width*len(xs))...)
	out := e.buf[at:]
	switch width {
	case 1:
		for i, x := range xs {
			out[i] = byte(x - lo)
		}
	case 2:
		for i, x := range xs {
			binary.LittleEndian.PutUint16(out[2*i:], uint16(x-lo))
		}
	case 4:
		for i, x := range xs {
			binary.LittleEndian.PutUint32(out[4*i:], uint32(x-lo))
		}
	case 8:
		for i, x := range xs {
			binary.LittleEndian.PutUint64(out[8*i:], uint64(x))
		}
	}
}

func widthOf(spread uint64) int {
	switch {
	case spread == 0:
		return 0
	case spread <= math.MaxUint8:
		return 1
	case spread <= math.MaxUint16:
		return 2
	case spread <= math.MaxUint32:
		return 4
	}
	return 8
}

func (e *encoder) decimals(xs []decimal128.Num) {
	short := make([]int64, len(xs))
	for i, x := range xs {
		short[i] = int64(x.LowBits())
		if decimal128.FromI64(short[i]) != x {
			e.byte(wideDecimals)
			for _, x := range xs {
				e.word(x.LowBits())
				e.word(uint64(x.HighBits()))
			}
			return
		}
	}
	e.ints(short)
}

func (e *encoder) strings(v *vec.Vector) {
	lens := make([]int64, v.N)
	for i, s := range v.Str[:v.N] {
		if v.Null == nil || !v.Null[i] {
			lens[i] = int64(len(s))
		}
	}
	e.ints(lens)
	for i, s := range v.Str[:v.N] {
		e.buf = append(e.buf, s[:lens[i]]...)
	}
}

// vector reads the values of a column.
func (d *decoder) vector(c *column, t types.Type, n int) {
	c.Vector = vec.Vector{Type: t, N: n}
	var some bool
	if d.flags(&some); some {
		c.nulls = d.nulls(c.nulls, n)
		c.Null = c.nulls
	}
	switch t.Kind() {
	case types.KindI64, types.KindU64:
		c.ints = d.ints(c.ints, n)
		c.I64 = c.ints
	case types.KindF64:
		c.floats = d.floats(c.floats, n)
		c.F64 = c.floats
	case types.KindDec:
		d.decimals(c, n)
		c.Dec = c.decs
	case types.KindStr:
		d.strings(c, n)
		c.Str = c.texts
	}
}

// nulls reads a bit for each row.
func (d *decoder) nulls(out []bool, n int) []bool {
	bits := d.take(uint64(n+7) / 8)
	if d.err != nil {
		return nil
	}
	out = resized(out, n)
	for i := range out {
		out[i] = bits[i/8]>>(i%8)&1 != 0
	}
	return out
}

// maxConstant limits the rows that a record can claim to have without a byte for each.
const maxConstant = 1 << 20

func (d *decoder) ints(out []int64, n int) []int64 {
	if n == 0 {
		return out[:0]
	}
	return d.intsOf(out, int(d.byte()), n)
}

func (d *decoder) intsOf(out []int64, width, n int) []int64 {
	lo := int64(0)
	if width < 8 {
		lo = d.int()
	}
	if width == 0 && n > maxConstant || width > 8 || width&(width-1) != 0 {
		d.fail(errUnknown)
	}
	in := d.take(uint64(width) * uint64(n))
	if d.err != nil {
		return nil
	}
	out = resized(out, n)
	switch width {
	case 0:
		for i := range out {
			out[i] = lo
		}
	case 1:
		for i := range out {
			out[i] = lo + int64(in[i])
		}
	case 2:
		for i := range out {
			out[i] = lo + int64(binary.LittleEndian.Uint16(in[2*i:]))
		}
	case 4:
		for i := range out {
			out[i] = lo + int64(binary.LittleEndian.Uint32(in[4*i:]))
		}
	case 8:
		for i := range out {
			out[i] = int64(binary.LittleEndian.Uint64(in[8*i:]))
		}
	}
	return out
}

func (d *decoder) floats(out []float64, n int) []float64 {
	if d.byte() != floats {
		d.fail(errUnknown)
	}
	in := d.take(8 * uint64(n))
	if d.err != nil {
		return nil
	}
	out = resized(out, n)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(in[8*i:]))
	}
	return out
}

func (d *decoder) decimals(c *column, n int) {
	c.decs = c.decs[:0]
	if n == 0 {
		return
	}
	if width := int(d.byte()); width != wideDecimals {
		c.ints = d.intsOf(c.ints, width, n)
		c.decs = resized(c.decs, len(c.ints))
		for i, x := range c.ints {
			c.decs[i] = decimal128.FromI64(x)
		}
		return
	}
	in := d.take(16 * uint64(n))
	if d.err != nil {
		return
	}
	c.decs = resized(c.decs, n)
	for i := range c.decs {
		c.decs[i] = decimal128.New(int64(binary.LittleEndian.Uint64(in[16*i+8:])), binary.LittleEndian.Uint64(in[16*i:]))
	}
}

// strings reads texts, which share memory with the record.
func (d *decoder) strings(c *column, n int) {
	c.ints = d.ints(c.ints, n)
	total := uint64(0)
	for _, l := range c.ints {
		if l < 0 || l > math.MaxInt32 {
			d.fail(errUnknown)
			return
		}
		total += uint64(l)
	}
	in := d.take(total)
	if d.err != nil {
		return
	}
	all := unsafe.String(unsafe.SliceData(in), len(in))
	c.texts = resized(c.texts, len(c.ints))
	for i, l := range c.ints {
		c.texts[i], all = all[:l], all[l:]
	}
}
