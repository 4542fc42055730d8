//go:build !amd64

package simd

// TextBounds widens the bounds lo and hi, byte by byte, by the images of the first done elements
// of xs; the next one, where there is any, may have no image.
func TextBounds(xs []string, lo, hi *TextImage) (done int) { return 0 }

// TextNumbers writes the numbers of the first done elements of xs to dst, which is as long;
// NoNumber for those that have none.
func TextNumbers(dst []uint64, xs []string, how *TextRadix) (done int) { return 0 }
