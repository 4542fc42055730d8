package arrowvec

import (
	"encoding/binary"
	mathbits "math/bits"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// nullFlags expands the validity bitmap of rows [from, to) to one flag per row, or returns nil if
// no row is NULL.
func nullFlags(arr arrow.Array, from, to int, buf []bool) []bool {
	if arr.NullN() == 0 || arr.DataType().ID() == arrow.NULL {
		return nil
	}
	bits, n := arr.NullBitmapBytes(), to-from
	start := arr.Data().Offset() + from
	if len(bits) == 0 || bitutil.CountSetBits(bits, start, n) == n {
		return nil
	}
	if cap(buf) < n {
		buf = make([]bool, n)
	}
	buf = buf[:n]
	NullFlags(buf, bits, start)
	return buf
}

// NullFlags writes the NULL flags of len(null) rows from their validity bits start, start+1, ...
func NullFlags(null []bool, bits []byte, start int) {
	i := 0
	for ; i < len(null) && (start+i)&7 != 0; i++ {
		null[i] = bits[(start+i)>>3]>>((start+i)&7)&1 == 0
	}
	const ones, each = 0x0101010101010101, 0x8040201008040201
	for ; i+8 <= len(null); i += 8 {
		// Bit k stays in byte k, which becomes 1 if the bit is set.
		x := uint64(^bits[(start+i)>>3]) * ones & each
		binary.LittleEndian.PutUint64(flagBytes(null[i:i+8]), (x+0x7f*ones)>>7&ones)
	}
	for ; i < len(null); i++ {
		null[i] = bits[(start+i)>>3]>>((start+i)&7)&1 == 0
	}
}

// Validity writes the validity bitmap of rows with these NULL flags, one byte per eight rows, and
// returns the number of NULLs.
func Validity(bits []byte, null []bool) (nulls int) {
	i := 0
	for ; i+8 <= len(null); i += 8 {
		// The product moves the lowest bit of byte k, the only one that a bool sets, to bit 56 +
		// k.
		x := byte(binary.LittleEndian.Uint64(flagBytes(null[i:i+8])) * 0x0102040810204080 >> 56)
		bits[i>>3] = ^x
		nulls += mathbits.OnesCount8(x)
	}
	if i < len(null) {
		bits[i>>3] = 0
	}
	for k, isNull := range null[i:] {
		if isNull {
			nulls++
		} else {
			bits[i>>3] |= 1 << k
		}
	}
	return nulls
}

// flagBytes returns flags as bytes that share their memory.
func flagBytes(flags []bool) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(flags))), len(flags))
}

// readBits writes the bits start, start+1, ... of b as 0 and 1.
func readBits(dst []int64, b *memory.Buffer, start int) {
	if len(dst) == 0 {
		return
	}
	bits := b.Bytes()
	for i := range dst {
		dst[i] = int64(bits[(start+i)>>3] >> ((start + i) & 7) & 1)
	}
}
