package simd

// TextImage is a text of at most 15 bytes: its bytes, zeros, and in the last byte their number.
type TextImage [16]byte

// TextRadix specifies how texts become numbers of mixed radix, whose digits are the bytes of their
// images, the first one the most significant. The assembly depends on its layout.
type TextRadix struct {
	Least, Most TextImage // bounds of each digit: the least byte, and the difference of the greatest from it
	// The factors of the left one of two neighbours: of digits, pairs, fours (every second element
	// counts) and halves. Every left digit's factor is less than 128, a pair's less than 2^15.
	Pairs  [16]int8
	Fours  [8]int16
	Eights [4]uint32
	Half   uint64
}

// NoNumber stands for texts that have no number in a TextRadix.
const NoNumber = ^uint64(0)
