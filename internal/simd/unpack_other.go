//go:build !amd64

package simd

// Unpack writes the first values packed in src, lowest bits first, to dst, and returns their
// number, a multiple of 32, and the greatest of them. They have width bits, 1 to UnpackWidth.
func Unpack(dst []int32, src []byte, width uint) (done int, most uint32) { return 0, 0 }

// UnpackScaled is like Unpack for values that are multiplied by step and added to base. The results are cut to the
// type of dst.
func UnpackScaled[T int8 | int16 | int32 | int64](dst []T, src []byte, width uint, base, step T) (done int) {
	return 0
}

// Narrow sets the first elements of dst, which must be as long as src, to the low bits of those of src minus bias, and
// returns their number.
func Narrow[T uint8 | uint16 | uint32](dst []T, src []int64, bias int64) (done int) { return 0 }

// Rebase sets the first elements of dst, which must be as long as src, to the low bits of those of src minus bias, and
// returns their number and the bounds of those of src.
func Rebase[D uint8 | uint16 | uint32, S int8 | int16 | int32](dst []D, src []S, bias int64) (lo, hi S, done int) {
	return 0, 0, 0
}
