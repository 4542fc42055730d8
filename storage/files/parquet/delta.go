package parquet

import (
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/parquet"

	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/files/format"
)

var errDelta = format.Fault("a delta-encoded page is malformed")

// deltaInts decodes DELTA_BINARY_PACKED (Lemire and Boytsov's scheme as the Parquet format
// describes it), one whole page at a time.
type deltaInts struct {
	values []int64
	rest   []byte // after the encoded block
}

// maxDeltas is the largest number of values in a block: damaged headers state more.
const maxDeltas = 1 << 29

// newDeltaInts decodes the block at the start of data. It calls charge with the number of bytes
// of the values.
func newDeltaInts(data []byte, charge func(bytes int64) error) (*deltaInts, error) {
	r := thriftReader{data: data}
	block, minis, total := int(r.uvarint()), int(r.uvarint()), r.uvarint()
	last := r.int()
	if r.bad || minis <= 0 || block <= 0 || block > 1<<20 || block%minis != 0 || block/minis%8 != 0 || total > maxDeltas {
		return nil, errDelta
	}
	if err := charge(8 * int64(total)); err != nil {
		return nil, err
	}
	d := &deltaInts{}
	if total > 0 {
		d.values = append(make([]int64, 0, min(int(total), len(data)*64)), last)
	}
	for len(d.values) < int(total) {
		least := r.int()
		widths := r.pos
		r.advance(uint64(minis))
		if r.bad {
			return nil, errDelta
		}
		for m := 0; m < minis && len(d.values) < int(total); m++ {
			if !d.miniblock(&r, uint(data[widths+m]), least, block/minis, int(total)) {
				return nil, errDelta
			}
		}
	}
	d.rest = data[r.pos:]
	return d, nil
}

func (d *deltaInts) miniblock(r *thriftReader, width uint, least int64, n, total int) bool {
	bytes := n * int(width) / 8
	if width > 64 || bytes > len(r.data)-r.pos {
		return false
	}
	packed, last := r.data[r.pos:r.pos+bytes], d.values[len(d.values)-1]
	r.pos += bytes
	for i := 0; i < n && len(d.values) < total; i++ {
		last += least + int64(bitsAt(packed, uint(i)*width, width))
		d.values = append(d.values, last)
	}
	return true
}

// bitsAt reads width bits from bit position bit, least significant first.
func bitsAt(b []byte, bit, width uint) uint64 {
	var x uint64
	for got := uint(0); got < width; {
		at := bit + got
		x |= uint64(b[at>>3]>>(at&7)) << got
		got += 8 - at&7
	}
	if width < 64 {
		x &= 1<<width - 1
	}
	return x
}

func (d *deltaInts) decode(c *column, dst *vec.Vector, at, n int) error {
	if n > len(d.values) {
		return errShort
	}
	src := d.values[:n]
	d.values = d.values[n:]
	if c.physical == parquet.Types.Int32 {
		for i, x := range src { // deltas wrap around at 32 bits
			src[i] = int64(int32(x))
			if c.unsigned {
				src[i] = int64(uint32(x))
			}
		}
	}
	switch c.Type.Kind() {
	case types.KindDec:
		for i, x := range src {
			dst.Dec[at+i] = decimal128.FromI64(x)
		}
	case types.KindI64, types.KindU64:
		copy(dst.I64[at:at+n], src)
		c.scale(dst.I64[at : at+n])
	default:
		return errDelta
	}
	return nil
}

// deltaStrings decodes DELTA_LENGTH_BYTE_ARRAY and, with prefixes, DELTA_BYTE_ARRAY.
type deltaStrings struct {
	prefixes []int64 // bytes shared with the previous value
	lengths  []int64
	data     []byte
	last     []byte
	charge   func(bytes int64) error // charges values joined from two parts
	made     int64                   // their bytes in the last batch
}

func newDeltaStrings(data []byte, prefixed bool, charge func(bytes int64) error) (*deltaStrings, error) {
	d := &deltaStrings{charge: charge}
	if prefixed {
		p, err := newDeltaInts(data, charge)
		if err != nil {
			return nil, err
		}
		d.prefixes, data = p.values, p.rest
	}
	l, err := newDeltaInts(data, charge)
	if err != nil {
		return nil, err
	}
	d.lengths, d.data = l.values, l.rest
	if prefixed && len(d.prefixes) != len(d.lengths) {
		return nil, errDelta
	}
	return d, nil
}

func (d *deltaStrings) decode(c *column, dst *vec.Vector, at, n int) error {
	if n > len(d.lengths) || c.physical != parquet.Types.ByteArray && c.physical != parquet.Types.FixedLenByteArray {
		return errShort
	}
	if err := d.charge(-d.made); err != nil {
		return err
	}
	d.made = 0
	for i := range n {
		size := d.lengths[i]
		if size < 0 || size > int64(len(d.data)) {
			return errShort
		}
		value := d.data[:size:size]
		d.data = d.data[size:]
		if d.prefixes != nil {
			shared := d.prefixes[i]
			if shared < 0 || shared > int64(len(d.last)) {
				return errDelta
			}
			if err := d.charge(shared + size); err != nil {
				return err
			}
			d.made += shared + size
			value = append(append(make([]byte, 0, shared+size), d.last[:shared]...), value...)
			d.last = value
		}
		if c.physical == parquet.Types.FixedLenByteArray && len(value) != c.width {
			return errDelta
		}
		if err := c.bytes(dst, at+i, value); err != nil {
			return err
		}
	}
	d.lengths = d.lengths[n:]
	if d.prefixes != nil {
		d.prefixes = d.prefixes[n:]
	}
	return nil
}

// unsplit turns BYTE_STREAM_SPLIT (all first bytes, then all second bytes, ...) into
// PLAIN.
func unsplit(c *column, data []byte) (valueDecoder, error) {
	size := map[parquet.Type]int{parquet.Types.Int32: 4, parquet.Types.Float: 4, parquet.Types.Int64: 8,
		parquet.Types.Double: 8, parquet.Types.FixedLenByteArray: c.width}[c.physical]
	if size == 0 || len(data)%size != 0 {
		return nil, errShort
	}
	n := len(data) / size
	out := make([]byte, len(data))
	for s := range size {
		for i, b := range data[s*n : (s+1)*n] {
			out[i*size+s] = b
		}
	}
	return &plainDecoder{data: out}, nil
}
