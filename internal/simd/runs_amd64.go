package simd

import "unsafe"

// Repeat writes values[i] to the elements of dst from the end of run i-1 up to ends[i], for the
// first done runs, none of which may be empty. Elements of dst beyond that may be overwritten.
func Repeat(dst, values, ends []int32) (done int) {
	if done = within(ends, len(dst)-7); level < AVX2 || done == 0 {
		return 0
	}
	_ = values[done-1]
	repeatAVX2(&dst[0], &values[0], &ends[0], done)
	return done
}

// RepeatRows is Repeat of the elements of values at the positions in rows; the first position of
// each run counts. No position may be negative.
func RepeatRows[T int64 | float64](dst, values []T, rows, ends []int32) (done int) {
	if done = within(ends, len(dst)-3); level < AVX2 || done == 0 {
		return 0
	}
	_ = rows[ends[done-1]-1]
	repeatRowsAVX2((*int64)(unsafe.Pointer(&dst[0])), (*int64)(unsafe.Pointer(&values[0])), &ends[0], done, &rows[0])
	return done
}

// within returns how many of the ascending ends are at most n.
func within(ends []int32, n int) int {
	k := len(ends)
	for k > 0 && int(ends[k-1]) > n {
		k--
	}
	return k
}
