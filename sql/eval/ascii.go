package eval

import (
	"encoding/binary"
	"unsafe"
)

// Text of ASCII alone is handled eight bytes at a time.
const (
	eachByte = 0x0101010101010101
	highBits = 0x80 * eachByte
)

func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// isASCII tells whether each of the text's bytes is a character.
func isASCII(s string) bool {
	b, all := bytesOf(s), uint64(0)
	for ; len(b) >= 8; b = b[8:] {
		all |= binary.LittleEndian.Uint64(b)
	}
	for _, c := range b {
		all |= uint64(c)
	}
	return all&highBits == 0
}

// appendReversed appends the bytes of s to dst, the last one first.
func appendReversed(dst []byte, s string) []byte {
	b := bytesOf(s)
	for ; len(b) >= 8; b = b[:len(b)-8] {
		dst = binary.BigEndian.AppendUint64(dst, binary.LittleEndian.Uint64(b[len(b)-8:]))
	}
	for i := len(b) - 1; i >= 0; i-- {
		dst = append(dst, b[i])
	}
	return dst
}

// appendSwapped appends ASCII text to dst, in which the 26 letters that begin with from get
// their other case, and tells whether there was one.
func appendSwapped(dst []byte, s string, from byte) (out []byte, some bool) {
	b, any := bytesOf(s), uint64(0)
	first, last := uint64(0x80-from)*eachByte, uint64(0x80-from-26)*eachByte
	for ; len(b) >= 8; b = b[8:] {
		w := binary.LittleEndian.Uint64(b)
		// The high bit of a byte becomes set in the one sum if it is from or more, and in the other
		// one if it is beyond the letters.
		letters := (w + first) &^ (w + last) & highBits
		any |= letters
		dst = binary.LittleEndian.AppendUint64(dst, w^letters>>2)
	}
	for _, c := range b {
		if c-from < 26 {
			c, any = c^0x20, 1
		}
		dst = append(dst, c)
	}
	return dst, any != 0
}
