package simd

// TextImage is a text of at most 15 bytes: these, zeros, and in the last byte their number.
type TextImage [16]byte

// TextRadix specifies how texts become numbers of mixed radix, whose digits are the bytes of
// their images, the first one the most significant. Its layout is known to the assembly.
type TextRadix struct {
	Least, Most TextImage // bounds of each digit: the least byte, and how far it goes beyond that
	// What the left one of two neighbours is multiplied by: digits, pairs, fours (every second
	// element counts) and halves. Every left digit's factor is less than 128, a pair's 2^15.
	Pairs  [16]int8
	Fours  [8]int16
	Eights [4]uint32
	Half   uint64
}

// NoNumber stands for texts of which a TextRadix has no number.
const NoNumber = ^uint64(0)
