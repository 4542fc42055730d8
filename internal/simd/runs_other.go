//go:build !amd64

package simd

// Repeat writes values[i] to the elements of dst from the end of run i-1 up to ends[i], for the
// first done runs, none of which is empty. What follows in dst may be overwritten, too.
func Repeat(dst, values, ends []int32) (done int) { return 0 }

// RepeatRows is Repeat of the elements of values that rows has in each run: its first element
// counts, which is none negative.
func RepeatRows[T int64 | float64](dst, values []T, rows, ends []int32) (done int) { return 0 }
