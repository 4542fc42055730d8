package column

import "github.com/apache/arrow/go/v17/arrow/decimal128"

// decimals stores the rows of src as 64-bit integers, NULLs as 0. idx may be nil; then they are the first
// ones. It reports whether all values fit.
func decimals(dst []int64, src []decimal128.Num, null []bool, idx []int32) bool {
	var lost int64
	for i := range dst {
		row := i
		if idx != nil {
			row = int(idx[i])
		}
		if row < 0 || null != nil && null[row] {
			dst[i] = 0
			continue
		}
		low := int64(src[row].LowBits())
		dst[i] = low
		lost |= src[row].HighBits() ^ low>>63
	}
	return lost == 0
}
