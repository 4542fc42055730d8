package simd

import "unsafe"

// TextBounds widens the bounds lo and hi, byte by byte, by the images of the first done elements of
// xs. If there is a next element, it may have no image.
func TextBounds(xs []string, lo, hi *TextImage) (done int) {
	if level < AVX2 || len(xs) == 0 {
		return 0
	}
	return textBoundsAVX2(&xs[0], len(xs), &lo[0], &hi[0])
}

// TextNumbers writes the numbers of the first done elements of xs to dst, which must be as long;
// NoNumber for those that have none.
func TextNumbers(dst []uint64, xs []string, how *TextRadix) (done int) {
	if level < AVX2 || len(xs) == 0 {
		return 0
	}
	_ = dst[len(xs)-1]
	textNumbersAVX2(&dst[0], &xs[0], len(xs), (*byte)(unsafe.Pointer(how)))
	return len(xs)
}

// TextCandidates writes to dst, for the first done elements of xs, whether they may contain needle:
// 0 for those that do not, 1 for others. dst must be as long as xs.
func TextCandidates(dst []int64, xs []string, needle string) (done int) {
	if level < AVX2 || len(xs) == 0 || needle == "" {
		return 0
	}
	_ = dst[len(xs)-1]
	textCandidatesAVX2(&dst[0], &xs[0], len(xs), unsafe.StringData(needle), len(needle))
	return len(xs)
}
