package pack

import (
	"encoding/binary"
	"unsafe"
)

// widest is the greatest number of bits, apart from 64, of a packed value: with the seven bits
// that may precede it in its first byte it fits in a word.
const widest = 56

// packedBytes returns the size of n packed values of w bits.
func packedBytes(n int, w uint) int { return (n*int(w) + 7) / 8 }

// appendPacked appends the low w bits of each value, lowest bits first.
func appendPacked(dst []byte, values []uint64, w uint) []byte {
	if w == 64 {
		for _, x := range values {
			dst = binary.LittleEndian.AppendUint64(dst, x)
		}
		return dst
	}
	word, n := uint64(0), uint(0)
	for _, x := range values {
		word |= x << n
		if n += w; n >= 64 {
			dst = binary.LittleEndian.AppendUint64(dst, word)
			n -= 64
			word = x >> (w - n) // the bits that did not fit; none if n is 0, since w is less than 64
		}
	}
	for ; n > 0; n -= min(n, 8) {
		dst = append(dst, byte(word))
		word >>= 8
	}
	return dst
}

// unpack sets dst to values of w bits, at least 1, truncated to T. src begins with them and may
// continue with other bytes, which it may read.
func unpack[T Integers](dst []T, src []byte, w uint) {
	done := 0
	switch w {
	case 8:
		done = copied[uint8](dst, src)
	case 16:
		done = copied[uint16](dst, src)
	case 32:
		done = copied[uint32](dst, src)
	case 64:
		done = copied[uint64](dst, src)
	default:
		done = shifted(dst, src, w)
	}
	mask := uint64(1)<<w - 1
	for i := done; i < len(dst); i++ { // too close to the end to read whole words
		var word [8]byte
		bit := uint(i) * w
		copy(word[:], src[bit/8:])
		dst[i] = T(binary.LittleEndian.Uint64(word[:]) >> (bit % 8) & mask)
	}
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
