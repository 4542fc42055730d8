package pack

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"gsql/internal/simd"
)

// widest is the greatest number of bits, apart from 64, of a packed value: with the seven bits
// that may precede it in its first byte it fits in a word.
const widest = 56

// packedBytes returns the size of n packed values of w bits.
func packedBytes(n int, w uint) int { return (n*int(w) + 7) / 8 }

// appendPacked appends the low w bits of each value, lowest bits first. The values must have no
// other bits set.
func appendPacked(dst []byte, values []uint64, w uint) []byte {
	if w == 64 {
		for _, x := range values {
			dst = binary.LittleEndian.AppendUint64(dst, x)
		}
		return dst
	}
	at, size := len(dst), packedBytes(len(values), w)
	dst = slices.Grow(dst, size+8)[:at+size+8]
	word, n := uint64(0), uint(0) // bits that do not fill a byte yet
	for _, x := range values {
		word |= x << n
		n += w
		binary.LittleEndian.PutUint64(dst[at:], word)
		at += int(n / 8)
		word >>= n &^ 7
		n &= 7
	}
	binary.LittleEndian.PutUint64(dst[at:], word)
	return dst[:len(dst)-8]
}

// unpack sets dst to base plus the multiples of step that are given by values of w bits, at least
// 1. src begins with them and may continue with other bytes, which it may read.
func unpack[T Integers](dst []T, src []byte, w uint, base, step T) {
	done := 0
	switch {
	case w <= simd.UnpackWidth:
		done = vectors(dst, src, w, base, step)
	case w == 32:
		done = copied[uint32](dst, src)
		spread(dst[:done], base, step)
	case w == 64:
		done = copied[uint64](dst, src)
		spread(dst[:done], base, step)
	}
	if w <= widest {
		more := shifted(dst[done:], src[uint(done)*w/8:], w) // done is a multiple of 8
		spread(dst[done:done+more], base, step)
		done += more
	}
	mask := uint64(1)<<w - 1
	for i := done; i < len(dst); i++ { // too close to the end to read whole words
		var word [8]byte
		bit := uint(i) * w
		copy(word[:], src[bit/8:])
		dst[i] = base + step*T(binary.LittleEndian.Uint64(word[:])>>(bit%8)&mask)
	}
}

// spread sets values to base plus their multiples of step.
func spread[T Integers](values []T, base, step T) {
	switch {
	case step != 1:
		for i, x := range values {
			values[i] = base + step*x
		}
	case base != 0:
		for i, x := range values {
			values[i] = base + x
		}
	}
}

// vectors unpacks as many values as vector instructions can, and returns their number, a multiple
// of 8.
func vectors[T Integers](dst []T, src []byte, w uint, base, step T) int {
	p := unsafe.Pointer(unsafe.SliceData(dst))
	switch unsafe.Sizeof(base) {
	case 1:
		return simd.UnpackScaled(unsafe.Slice((*int8)(p), len(dst)), src, w, int8(base), int8(step))
	case 2:
		return simd.UnpackScaled(unsafe.Slice((*int16)(p), len(dst)), src, w, int16(base), int16(step))
	case 4:
		return simd.UnpackScaled(unsafe.Slice((*int32)(p), len(dst)), src, w, int32(base), int32(step))
	}
	return simd.UnpackScaled(unsafe.Slice((*int64)(p), len(dst)), src, w, int64(base), int64(step))
}

// copied reads values that fill one, two, four or eight bytes.
func copied[U uint8 | uint16 | uint32 | uint64, T Integers](dst []T, src []byte) int {
	var u U
	size := unsafe.Sizeof(u)
	p := unsafe.Pointer(unsafe.SliceData(src))
	for i := range dst {
		dst[i] = T(*(*U)(unsafe.Add(p, uintptr(i)*size)))
	}
	return len(dst)
}

// shifted reads values of up to 56 bits, eight at a time, as far as whole words can be read. It
// returns their number.
func shifted[T Integers](dst []T, src []byte, w uint) int {
	// Value i lies within the word that begins at byte i*w/8.
	last := uint(len(src)) * 8
	if last < 64 {
		return 0
	}
	n := min(len(dst), int((last-64)/w)+1) &^ 7
	mask := uint64(1)<<w - 1
	p := unsafe.Pointer(unsafe.SliceData(src))
	for i := 0; i+8 <= n; i += 8 {
		d := (*[8]T)(unsafe.Pointer(&dst[i]))
		q := unsafe.Add(p, uintptr(i)/8*uintptr(w))
		d[0] = T(*(*uint64)(q) & mask)
		d[1] = T(word(q, w) >> (w & 7) & mask)
		d[2] = T(word(q, 2*w) >> (2 * w & 7) & mask)
		d[3] = T(word(q, 3*w) >> (3 * w & 7) & mask)
		d[4] = T(word(q, 4*w) >> (4 * w & 7) & mask)
		d[5] = T(word(q, 5*w) >> (5 * w & 7) & mask)
		d[6] = T(word(q, 6*w) >> (6 * w & 7) & mask)
		d[7] = T(word(q, 7*w) >> (7 * w & 7) & mask)
	}
	return n
}

// word reads the word that begins at the byte of a bit.
func word(p unsafe.Pointer, bit uint) uint64 { return *(*uint64)(unsafe.Add(p, bit/8)) }
