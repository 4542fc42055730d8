//go:build !amd64

package simd

// utf8Blocks returns the length of the blocks at the start of data that are known to be UTF-8.
func utf8Blocks([]byte) int { return 0 }
