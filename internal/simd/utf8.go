package simd

import "unicode/utf8"

// ValidUTF8 reports whether data is UTF-8, as utf8.Valid does.
func ValidUTF8(data []byte) bool {
	n := utf8Blocks(data)
	if n < 0 {
		return false
	}
	// If the last character of the blocks is not ASCII, it is validated again together with what
	// follows.
	for back := 1; back < utf8.UTFMax && back <= n; back++ {
		if utf8.RuneStart(data[n-back]) {
			if data[n-back] >= utf8.RuneSelf {
				n -= back
			}
			break
		}
	}
	return utf8.Valid(data[n:])
}
