//go:build !amd64

package simd

// Repeat writes values[i] to the elements of dst from the end of run i-1 up to ends[i], for the
// first done runs, none of which may be empty. Elements of dst beyond that may be overwritten.
func Repeat(dst, values, ends []int32) (done int) { return 0 }

// RepeatRows is Repeat of the elements of values at the positions in rows; the first position of
// each run counts. No position may be negative.
func RepeatRows[T int64 | float64](dst, values []T, rows, ends []int32) (done int) { return 0 }
