package kernel

import (
	"encoding/binary"
	"unsafe"
)

// ASCII text is handled eight bytes at a time. EachByte has 1 in each of them.
const (
	EachByte = 0x0101010101010101
	highBits = 0x80 * EachByte
)

// BytesOf returns the bytes of a text, which must not be changed.
func BytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// IsASCII reports whether every byte of the text is an ASCII character.
func IsASCII(s string) bool {
	b, all := BytesOf(s), uint64(0)
	for ; len(b) >= 8; b = b[8:] {
		all |= binary.LittleEndian.Uint64(b)
	}
	for _, c := range b {
		all |= uint64(c)
	}
	return all&highBits == 0
}

// AppendReversed appends the bytes of s to dst, the last one first.
func AppendReversed(dst []byte, s string) []byte {
	b := BytesOf(s)
	for ; len(b) >= 8; b = b[:len(b)-8] {
		dst = binary.BigEndian.AppendUint64(dst, binary.LittleEndian.Uint64(b[len(b)-8:]))
	}
	for i := len(b) - 1; i >= 0; i-- {
		dst = append(dst, b[i])
	}
	return dst
}

// OtherCase writes ASCII text to dst, which has the same length, and swaps the case of the 26 letters
// that begin with from. It reports whether it found any of them, and whether the text is all ASCII;
// otherwise the contents of dst are undefined.
func OtherCase(dst []byte, s string, from byte) (some, ascii bool) {
	b := BytesOf(s)
	n := len(b)
	dst = dst[:n]
	first, last := uint64(0x80-from)*EachByte, uint64(0x80-from-26)*EachByte
	// The high bit of a byte is set in one sum if the byte is at least from, and in the other if it
	// is beyond the letters.
	letters := func(w uint64) uint64 { return (w + first) &^ (w + last) & highBits }
	all, any := uint64(0), uint64(0)
	switch {
	case n >= 8:
	case n >= 4: // the last four overlap the first
		w := uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[n-4:]))<<32
		l := letters(w)
		w ^= l >> 2
		binary.LittleEndian.PutUint32(dst, uint32(w))
		binary.LittleEndian.PutUint32(dst[n-4:], uint32(w>>32))
		return l != 0, w&highBits == 0
	default:
		for i, c := range b {
			all |= uint64(c)
			if c-from < 26 {
				c, any = c^0x20, 1
			}
			dst[i] = c
		}
		return any != 0, all < 0x80
	}
	for i := 0; i < n; i += 8 {
		i = min(i, n-8) // the last word overlaps the previous one
		w := binary.LittleEndian.Uint64(b[i : i+8])
		l := letters(w)
		all, any = all|w, any|l
		binary.LittleEndian.PutUint64(dst[i:i+8], w^l>>2)
	}
	return any != 0, all&highBits == 0
}
