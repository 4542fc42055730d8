//go:build !amd64

package simd

// Widen copies the first elements of src to dst, which is as long, and gives their number.
func Widen([]int64, []int32) (done int) { return 0 }

// Select writes the positions of those of the first done elements of xs that compare with c as
// p says to dst, which has room for xs, and gives their number.
func Select([]int32, []int64, int64, Predicate) (selected, done int) { return 0, 0 }
