package simd

// SelectBits writes to dst the positions of those of the first done elements of xs whose bit is set
// in bitmap, and returns their number. The bit of x is x - lo, with wrapping arithmetic, or beyond if
// that is larger as an unsigned number; the bitmap must have it. dst must be as long as xs.
func SelectBits(dst []int32, xs []int64, bitmap []uint64, lo int64, beyond uint64) (selected, done int) {
	if done = len(xs) &^ (membersPerIteration - 1); current.selectBits == nil || done == 0 {
		return 0, 0
	}
	_, _ = dst[done-1], bitmap[beyond>>6]
	return current.selectBits(&dst[0], &xs[0], done, &bitmap[0], lo, beyond), done
}
