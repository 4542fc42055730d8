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
		n := d.batchRows()
		for i := range s.Columns {
			if d.vector(memory.column(i, s.Columns[i].Type, n), 0, n, nil); d.err != nil {
				return d.err
			}
		}
		if err := use(memory.vectors[:len(s.Columns)]); err != nil {
			return err
		}
	}
	return d.err
}

// maxConstant limits the rows that a record can claim to have without a byte for each.
const maxConstant = 1 << 20

// batchRows reads the number of rows of a batch.
func (d *decoder) batchRows() int {
	n := d.uint()
	if n > math.MaxInt32 || n > maxConstant && n > uint64(len(d.buf)) {
		d.fail(errUnknown)
		return 0
	}
	return int(n)
}

// batch is memory for decoded rows.
type batch struct{ vectors []*vec.Vector }

// column returns memory for n values of a column.
func (b *batch) column(i int, t types.Type, n int) *vec.Vector {
	for len(b.vectors) <= i {
		b.vectors = append(b.vectors, &vec.Vector{})
	}
	v := b.vectors[i]
	if v.Type.Kind() != t.Kind() {
		*v = vec.Vector{}
	}
	v.Type = t
	v.Resize(n)
	return v
}

// arena is memory for texts. With a nil arena, texts refer to the record's memory.
type arena struct {
	piece []byte
	used  int   // bytes of the piece
	bytes int64 // of all texts
}

const arenaPiece = 64 << 10

// keep returns a copy of a text.
func (a *arena) keep(text []byte) string {
	if a == nil || len(text) == 0 {
		return unsafe.String(unsafe.SliceData(text), len(text))
	}
	if len(a.piece)-a.used < len(text) {
		a.piece, a.used = make([]byte, max(arenaPiece, len(text))), 0
	}
	kept := a.piece[a.used:][:len(text)]
	copy(kept, text)
	a.used, a.bytes = a.used+len(text), a.bytes+int64(len(text))
	return unsafe.String(unsafe.SliceData(kept), len(text))
}

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

// vector reads n values of a column, from row at of v on, which has memory for them.
func (d *decoder) vector(v *vec.Vector, at, n int, texts *arena) {
	if d.byte()&1 != 0 {
		if v.Null == nil {
			v.Null = make([]bool, v.N)
		}
		d.nulls(v.Null[at : at+n])
	} else if v.Null != nil {
		clear(v.Null[at : at+n])
	}
	switch v.Type.Kind() {
	case types.KindI64, types.KindU64:
		d.ints(v.I64[at : at+n])
	case types.KindF64:
		d.floats(v.F64[at : at+n])
	case types.KindDec:
		d.decimals(v.Dec[at : at+n])
	case types.KindStr:
		d.strings(v.Str[at:at+n], texts)
	}
}

// nulls reads a bit for each row.
func (d *decoder) nulls(out []bool) {
	bits := d.take(uint64(len(out)+7) / 8)
	if d.err != nil {
		return
	}
	for i := range out {
		out[i] = bits[i/8]>>(i%8)&1 != 0
	}
}

func (d *decoder) ints(out []int64) {
	if len(out) > 0 {
		d.intsOf(out, int(d.byte()))
	}
}

func (d *decoder) intsOf(out []int64, width int) {
	lo := int64(0)
	if width < 8 {
		lo = d.int()
	}
	if width == 0 && len(out) > maxConstant || width > 8 || width&(width-1) != 0 {
		d.fail(errUnknown)
	}
	in := d.take(uint64(width) * uint64(len(out)))
	if d.err != nil {
		return
	}
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
}

func (d *decoder) floats(out []float64) {
	if d.byte() != floats {
		d.fail(errUnknown)
	}
	in := d.take(8 * uint64(len(out)))
	if d.err != nil {
		return
	}
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(in[8*i:]))
	}
}

// scratch returns memory for n integers, until it is called again.
func (d *decoder) scratch(n int) []int64 {
	d.memory = slices.Grow(d.memory[:0], n)[:n]
	return d.memory
}

func (d *decoder) decimals(out []decimal128.Num) {
	if len(out) == 0 {
		return
	}
	if width := int(d.byte()); width != wideDecimals {
		short := d.scratch(len(out))
		d.intsOf(short, width)
		for i, x := range short {
			out[i] = decimal128.FromI64(x)
		}
		return
	}
	in := d.take(16 * uint64(len(out)))
	if d.err != nil {
		return
	}
	for i := range out {
		out[i] = decimal128.New(int64(binary.LittleEndian.Uint64(in[16*i+8:])), binary.LittleEndian.Uint64(in[16*i:]))
	}
}

func (d *decoder) strings(out []string, texts *arena) {
	lengths := d.scratch(len(out))
	if d.ints(lengths); d.err != nil {
		return
	}
	total := uint64(0)
	for _, l := range lengths {
		if l < 0 || l > math.MaxInt32 {
			d.fail(errUnknown)
			return
		}
		total += uint64(l)
	}
	all := d.take(total)
	if d.err != nil {
		return
	}
	for i, l := range lengths {
		out[i], all = texts.keep(all[:l]), all[l:]
	}
}
