package durable

import (
	"encoding/binary"
	"math"

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

// rows reads what EncodeRows appended.
func (d *decoder) rows(s *catalog.Schema) [][]*vec.Vector {
	var out [][]*vec.Vector
	for range d.count(1) {
		n := d.uint()
		if n > math.MaxInt32 {
			d.fail(errUnknown)
		}
		b := make([]*vec.Vector, len(s.Columns))
		for i := range b {
			b[i] = d.vector(s.Columns[i].Type, int(n))
			if d.err != nil {
				return nil
			}
		}
		out = append(out, b)
	}
	return out
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

func (d *decoder) vector(t types.Type, n int) *vec.Vector {
	nulls := d.nulls(n)
	if d.err != nil {
		return nil
	}
	v := &vec.Vector{Type: t, N: n, Null: nulls}
	switch t.Kind() {
	case types.KindI64, types.KindU64:
		v.I64 = d.ints(n)
	case types.KindF64:
		v.F64 = d.floats(n)
	case types.KindDec:
		v.Dec = d.decimals(n)
	case types.KindStr:
		v.Str = d.strings(n)
	}
	return v
}

func (d *decoder) nulls(n int) []bool {
	var some bool
	if d.flags(&some); !some {
		return nil
	}
	bits := d.take(uint64(n+7) / 8)
	if bits == nil {
		return nil
	}
	out := make([]bool, n)
	for i := range out {
		out[i] = bits[i/8]>>(i%8)&1 != 0
	}
	return out
}

// maxConstant limits the rows that a record can claim to have without a byte for each.
const maxConstant = 1 << 20

func (d *decoder) ints(n int) []int64 {
	if n == 0 {
		return nil
	}
	return d.intsOf(int(d.byte()), n)
}

func (d *decoder) intsOf(width, n int) []int64 {
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
	out := make([]int64, n)
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

func (d *decoder) floats(n int) []float64 {
	if d.byte() != floats {
		d.fail(errUnknown)
	}
	in := d.take(8 * uint64(n))
	if d.err != nil {
		return nil
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(in[8*i:]))
	}
	return out
}

func (d *decoder) decimals(n int) []decimal128.Num {
	if n == 0 {
		return nil
	}
	width := int(d.byte())
	if width != wideDecimals {
		short := d.intsOf(width, n)
		out := make([]decimal128.Num, len(short))
		for i, x := range short {
			out[i] = decimal128.FromI64(x)
		}
		return out
	}
	in := d.take(16 * uint64(n))
	if d.err != nil {
		return nil
	}
	out := make([]decimal128.Num, n)
	for i := range out {
		out[i] = decimal128.New(int64(binary.LittleEndian.Uint64(in[16*i+8:])), binary.LittleEndian.Uint64(in[16*i:]))
	}
	return out
}

func (d *decoder) strings(n int) []string {
	lens := d.ints(n)
	total := uint64(0)
	for _, l := range lens {
		if l < 0 || l > math.MaxInt32 {
			d.fail(errUnknown)
			return nil
		}
		total += uint64(l)
	}
	all := string(d.take(total))
	if d.err != nil {
		return nil
	}
	out := make([]string, len(lens))
	for i, l := range lens {
		out[i], all = all[:l], all[l:]
	}
	return out
}
