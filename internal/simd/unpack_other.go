//go:build !amd64

package simd

// Unpack writes the first values that lie in src one behind the other, lowest bits first, to dst
// and gives their number, a multiple of 32, and the greatest of them. They are of width bits, 1
// to UnpackWidth.
func Unpack(dst []int32, src []byte, width uint) (done int, most uint32) { return 0, 0 }
