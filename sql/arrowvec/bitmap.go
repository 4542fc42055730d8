package arrowvec

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// nullFlags expands the validity bitmap of rows [from, to) to one flag a row, or
// gives nil when none is NULL.
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
	for i := range buf {
		buf[i] = bits[(start+i)>>3]>>((start+i)&7)&1 == 0
	}
	return buf
}

// readBits writes bits start, start+1, ... of b as 0 and 1.
func readBits(dst []int64, b *memory.Buffer, start int) {
	if len(dst) == 0 {
		return
	}
	bits := b.Bytes()
	for i := range dst {
		dst[i] = int64(bits[(start+i)>>3] >> ((start + i) & 7) & 1)
	}
}
