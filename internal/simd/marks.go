package simd

import "encoding/binary"

// Marks record the positions of four bytes among 64 bytes of text: bit i of a word stands for byte
// i.
type Marks [4]uint64

// Mark writes the positions of the given bytes to dst, one element for each 64 bytes of text; the
// last one may stand for fewer.
func Mark(dst []Marks, text []byte, sought [4]byte) {
	whole := len(text) / perIteration
	dst = dst[:(len(text)+perIteration-1)/perIteration]
	done := 0
	if current.mark != nil && whole > 0 {
		current.mark(&dst[0][0], &text[0], whole*perIteration, &sought[0])
		done = whole
	}
	for ; done < whole; done++ {
		dst[done].set((*[perIteration]byte)(text[done*perIteration:]), sought)
	}
	if done < len(dst) {
		var rest [perIteration]byte
		n := copy(rest[:], text[done*perIteration:])
		dst[done].set(&rest, sought)
		for i := range dst[done] {
			dst[done][i] &= 1<<n - 1
		}
	}
}

// set marks eight bytes at a time. Bytes that differ from the one searched for are not zero in the
// exclusive or of both.
func (m *Marks) set(text *[perIteration]byte, sought [4]byte) {
	const low7, ones = 0x7f7f7f7f7f7f7f7f, 0x0101010101010101
	*m = Marks{}
	for at := 0; at < perIteration; at += 8 {
		x := binary.LittleEndian.Uint64(text[at:])
		for i, b := range sought {
			differ := x ^ ones*uint64(b)
			equal := ^((differ&low7 + low7) | differ | low7) // the top bits of equal bytes
			m[i] |= equal >> 7 * 0x0102040810204080 >> 56 << at
		}
	}
}

// InsideQuotes returns a bit for each byte. It is set if an odd number of bits of quotes is set up
// to and including that byte: these are the prefix sums of quotes without carries.
func InsideQuotes(quotes uint64) uint64 {
	for shift := 1; shift < 64; shift *= 2 {
		quotes ^= quotes << shift
	}
	return quotes
}
