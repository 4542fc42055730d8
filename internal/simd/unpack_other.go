//go:build !amd64

package simd

// Unpack writes the first values packed in src, lowest bits first, to dst, and returns their
// number, a multiple of 32, and the greatest of them. They have width bits, 1 to UnpackWidth.
func Unpack(dst []int32, src []byte, width uint) (done int, most uint32) { return 0, 0 }
