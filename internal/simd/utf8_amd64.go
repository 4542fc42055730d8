package simd

// utf8Blocks returns the length of the blocks at the start of data that are UTF-8, whose last
// character may be incomplete, or -1 if they are not.
func utf8Blocks(data []byte) int {
	n := len(data) &^ 31
	switch {
	case level < AVX2 || n == 0:
		return 0
	case !utf8AVX2(&data[0], n):
		return -1
	}
	return n
}
