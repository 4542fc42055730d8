package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/float16"
	"github.com/apache/arrow/go/v17/parquet"

	"gsql/internal/simd"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/files/format"
	"gsql/storage/files/nested"
)

// valueDecoder decodes the values of a page into the slots of a vector.
type valueDecoder interface {
	// decode writes the next n values to slots [at, at+n) of dst.
	decode(c *column, dst *vec.Vector, at, n int) error
}

// newDecoder returns the decoder of an encoding other than a dictionary.
func newDecoder(c *column, enc parquet.Encoding, data []byte, charge func(bytes int64) error) (valueDecoder, error) {
	switch enc {
	case parquet.Encodings.Plain:
		return &plainDecoder{data: data}, nil
	case parquet.Encodings.DeltaBinaryPacked:
		return newDeltaInts(data, charge)
	case parquet.Encodings.DeltaLengthByteArray, parquet.Encodings.DeltaByteArray:
		return newDeltaStrings(data, enc == parquet.Encodings.DeltaByteArray, charge)
	case parquet.Encodings.RLE:
		if len(data) < 4 || c.physical != parquet.Types.Boolean {
			return nil, errShort
		}
		h, err := newHybrid(data[4:], 1)
		return &rleBools{h: h}, err
	case byteStreamSplit:
		return unsplit(c, data)
	}
	return nil, format.Faultf("encoding %d is unknown", enc)
}

// byteStreamSplit is an encoding for which the library has no name.
const byteStreamSplit = parquet.Encoding(9)

// plainDecoder decodes PLAIN: consecutive values.
type plainDecoder struct {
	data []byte
	bit  int // bits consumed, of booleans
}

func (p *plainDecoder) take(n, size int) ([]byte, error) {
	if n > len(p.data)/max(size, 1) {
		return nil, errShort
	}
	b := p.data[:n*size]
	p.data = p.data[n*size:]
	return b, nil
}

func (p *plainDecoder) decode(c *column, dst *vec.Vector, at, n int) error {
	switch c.physical {
	case parquet.Types.Boolean:
		return p.bools(dst.I64[at : at+n])
	case parquet.Types.ByteArray:
		return p.byteArrays(c, dst, at, n)
	}
	b, err := p.take(n, c.bytesPerValue())
	if err != nil || n == 0 {
		return err
	}
	switch c.physical {
	case parquet.Types.Int32:
		c.int32s(dst, at, n, b)
	case parquet.Types.Int64:
		c.int64s(dst, at, n, b)
	case parquet.Types.Int96:
		int96s(dst.I64[at:at+n], b)
	case parquet.Types.Float:
		for i := range dst.F64[at : at+n] {
			dst.F64[at+i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
		}
	case parquet.Types.Double:
		copy(dst.F64[at:at+n], unsafe.Slice((*float64)(unsafe.Pointer(&b[0])), n))
	default:
		return c.fixed(dst, at, n, b)
	}
	return nil
}

// bytesPerValue returns the size of PLAIN values of a fixed-size type.
func (c *column) bytesPerValue() int {
	switch c.physical {
	case parquet.Types.Int32, parquet.Types.Float:
		return 4
	case parquet.Types.Int64, parquet.Types.Double:
		return 8
	case parquet.Types.Int96:
		return 12
	}
	return c.width
}

func (p *plainDecoder) bools(dst []int64) error {
	if p.bit+len(dst) > len(p.data)*8 {
		return errShort
	}
	for i := range dst {
		dst[i] = int64(p.data[p.bit>>3] >> (p.bit & 7) & 1)
		p.bit++
	}
	return nil
}

func (p *plainDecoder) byteArrays(c *column, dst *vec.Vector, at, n int) error {
	data := p.data
	for i := at; i < at+n; i++ {
		if len(data) < 4 {
			return errShort
		}
		size := int(binary.LittleEndian.Uint32(data))
		if size > len(data)-4 {
			return errShort
		}
		if err := c.bytes(dst, i, data[4:4+size]); err != nil {
			return err
		}
		data = data[4+size:]
	}
	p.data = data
	return nil
}

// bytes stores a value that the file represents as bytes: text, a decimal, or a value of a
// special form.
func (c *column) bytes(dst *vec.Vector, i int, b []byte) (err error) {
	switch {
	case c.Type.Kind() == types.KindDec:
		if dst.Dec[i], err = bigEndian(b); err == nil && c.wide && !dst.Dec[i].FitsInPrecision(types.MaxPrecision) {
			err = errWide
		}
		return err
	case c.form == plainForm:
		dst.Str[i] = unsafe.String(unsafe.SliceData(b), len(b))
	case c.form == halfForm:
		dst.F64[i] = float64(float16.FromLEBytes(b).Float32())
	case c.form == uuidForm:
		dst.Str[i] = fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
	default:
		dst.Str[i] = interval(b)
	}
	return nil
}

// interval writes months, days and milliseconds as a duration of ISO 8601.
func interval(b []byte) string {
	months, days, ms := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:])
	return nested.Interval(int64(months), int64(days), 1e6*int64(ms))
}

func (c *column) fixed(dst *vec.Vector, at, n int, b []byte) error {
	for i := at; i < at+n; i++ {
		if err := c.bytes(dst, i, b[:c.width:c.width]); err != nil {
			return err
		}
		b = b[c.width:]
	}
	return nil
}

var errWide = format.Fault("a decimal has more than 38 digits")

// bigEndian reads a two's complement number of any length whose value fits in 128 bits.
func bigEndian(b []byte) (decimal128.Num, error) {
	var hi, lo uint64
	if len(b) > 0 && b[0] >= 0x80 {
		hi, lo = math.MaxUint64, math.MaxUint64
	}
	sign := hi
	for i, x := range b {
		if i < len(b)-16 && uint64(x) != sign&0xff {
			return decimal128.Num{}, errWide
		}
		hi, lo = hi<<8|lo>>56, lo<<8|uint64(x)
	}
	return decimal128.New(int64(hi), lo), nil
}

func (c *column) int32s(dst *vec.Vector, at, n int, b []byte) {
	src := unsafe.Slice((*int32)(unsafe.Pointer(&b[0])), n)
	if c.Type.Kind() == types.KindDec {
		for i, x := range src {
			dst.Dec[at+i] = decimal128.FromI64(int64(x))
		}
		return
	}
	out := dst.I64[at : at+n]
	if c.unsigned {
		for i, x := range src {
			out[i] = int64(uint32(x))
		}
		return
	}
	for i := simd.Widen(out, src); i < n; i++ {
		out[i] = int64(src[i])
	}
	c.scale(out)
}

func (c *column) int64s(dst *vec.Vector, at, n int, b []byte) {
	src := unsafe.Slice((*int64)(unsafe.Pointer(&b[0])), n)
	if c.Type.Kind() == types.KindDec {
		for i, x := range src {
			dst.Dec[at+i] = decimal128.FromI64(x)
		}
		return
	}
	copy(dst.I64[at:at+n], src)
	c.scale(dst.I64[at : at+n])
}

// scale converts values in the file's time unit to microseconds.
func (c *column) scale(x []int64) {
	switch {
	case c.mul > 0:
		for i := range x {
			x[i] *= c.mul
		}
	case c.div > 0:
		for i, v := range x {
			q := v / c.div
			if v%c.div < 0 {
				q--
			}
			x[i] = q
		}
	}
}

// int96s converts the nanoseconds of the day and the Julian day to microseconds since 1970-01-01.
func int96s(dst []int64, b []byte) {
	const unixEpoch = 2_440_588 // as a Julian day
	for i := range dst {
		nanos := int64(binary.LittleEndian.Uint64(b[12*i:]))
		day := int64(binary.LittleEndian.Uint32(b[12*i+8:])) - unixEpoch
		dst[i] = day*types.Day + nanos/1000
	}
}

// rleBools decodes run-length encoded booleans.
type rleBools struct {
	h   hybrid
	buf []int32
}

func (r *rleBools) decode(_ *column, dst *vec.Vector, at, n int) error {
	r.buf = format.Sized(r.buf, n)
	if _, err := r.h.read(r.buf); err != nil {
		return err
	}
	for i, x := range r.buf {
		dst.I64[at+i] = int64(x)
	}
	return nil
}
