//go:build !amd64

package simd

// TextBounds widens the bounds lo and hi, byte by byte, by the images of the first done elements of
// xs. If there is a next element, it may have no image.
func TextBounds(xs []string, lo, hi *TextImage) (done int) { return 0 }

// TextNumbers writes the numbers of the first done elements of xs to dst, which must be as long;
// NoNumber for those that have none.
func TextNumbers(dst []uint64, xs []string, how *TextRadix) (done int) { return 0 }

// TextCandidates writes to dst, for the first done elements of xs, whether they may contain needle:
// 0 for those that do not, 1 for others. dst must be as long as xs.
func TextCandidates(dst []int64, xs []string, needle string) (done int) { return 0 }
