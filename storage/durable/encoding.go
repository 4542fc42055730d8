package durable

import (
	"encoding/binary"
	"errors"
	"math"
)

// errShort is the reason why a record cannot be decoded. Its checksum was right, so a newer
// program wrote it, or there is a bug.
var errShort = errors.New("the record ends early")

// errUnknown is the reason if a value has no meaning.
var errUnknown = errors.New("the record has a value that this version of gsql does not know")

// encoder appends values to a record.
type encoder struct{ buf []byte }

func (e *encoder) byte(x byte)     { e.buf = append(e.buf, x) }
func (e *encoder) uint(x uint64)   { e.buf = binary.AppendUvarint(e.buf, x) }
func (e *encoder) int(x int64)     { e.buf = binary.AppendVarint(e.buf, x) }
func (e *encoder) word(x uint64)   { e.buf = binary.LittleEndian.AppendUint64(e.buf, x) }
func (e *encoder) bytes(x []byte)  { e.uint(uint64(len(x))); e.buf = append(e.buf, x...) }
func (e *encoder) text(x string)   { e.uint(uint64(len(x))); e.buf = append(e.buf, x...) }
func (e *encoder) flags(x ...bool) { e.byte(packed(x)) }

func packed(flags []bool) (b byte) {
	for i, f := range flags {
		if f {
			b |= 1 << i
		}
	}
	return b
}

func (e *encoder) texts(xs []string) {
	e.uint(uint64(len(xs)))
	for _, x := range xs {
		e.text(x)
	}
}

// decoder reads what an encoder appended. After an error it returns zero values.
type decoder struct {
	buf    []byte
	err    error
	memory []int64 // for integers that are decoded to something else
}

func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
	d.buf = nil
}

func (d *decoder) take(n uint64) []byte {
	if n > uint64(len(d.buf)) {
		d.fail(errShort)
		return nil
	}
	out := d.buf[:n:n]
	d.buf = d.buf[n:]
	return out
}

func (d *decoder) byte() byte {
	if len(d.buf) == 0 {
		d.fail(errShort)
		return 0
	}
	x := d.buf[0]
	d.buf = d.buf[1:]
	return x
}

func (d *decoder) uint() uint64 {
	if len(d.buf) > 0 && d.buf[0] < 0x80 {
		x := d.buf[0]
		d.buf = d.buf[1:]
		return uint64(x)
	}
	x, n := binary.Uvarint(d.buf)
	if n <= 0 {
		d.fail(errShort)
		return 0
	}
	d.buf = d.buf[n:]
	return x
}

func (d *decoder) int() int64 {
	x := d.uint() // as binary.AppendVarint maps it
	return int64(x>>1) ^ -int64(x&1)
}

func (d *decoder) word() uint64 {
	if b := d.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (d *decoder) bytes() []byte { return d.take(d.uint()) }
func (d *decoder) text() string  { return string(d.bytes()) }

// flags reads the byte that encoder.flags wrote into the flags.
func (d *decoder) flags(to ...*bool) {
	b := d.byte()
	for i, f := range to {
		*f = b>>i&1 != 0
	}
}

// count reads the length of a list whose elements take at least size bytes each.
func (d *decoder) count(size int) int {
	n := d.uint()
	if n > uint64(len(d.buf)/size) || n > math.MaxInt32 {
		d.fail(errShort)
		return 0
	}
	return int(n)
}

func (d *decoder) texts() []string {
	n := d.count(1)
	if n == 0 {
		return nil
	}
	out := make([]string, n)
	for i := range out {
		out[i] = d.text()
	}
	return out
}
