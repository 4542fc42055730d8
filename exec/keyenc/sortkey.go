package keyenc

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// SortKeys writes words in the order of the values of v, which is flat: NULL comes first, and desc
// reverses the order. Different values may share a word; see ExactSortKey.
func SortKeys(v *vec.Vector, desc bool, out []uint64) {
	switch v.Type.Kind() {
	case types.KindI64:
		for i, x := range v.I64[:len(out)] {
			out[i] = uint64(x) ^ 1<<63
		}
	case types.KindU64:
		for i, x := range v.I64[:len(out)] {
			out[i] = uint64(x)
		}
	case types.KindF64:
		for i, x := range v.F64[:len(out)] {
			out[i] = FloatKey(x)
		}
	case types.KindDec:
		for i, x := range v.Dec[:len(out)] {
			out[i] = decimalSortKey(x)
		}
	case types.KindStr:
		for i, s := range v.Str[:len(out)] {
			out[i] = stringSortKey(s)
		}
	default:
		clear(out)
	}
	if v.Null != nil {
		for i, null := range v.Null[:len(out)] {
			if null {
				out[i] = 0
			}
		}
	}
	if desc {
		for i, x := range out {
			out[i] = ^x
		}
	}
}

// ExactSortKey reports whether only one value of a kind has this sort key.
func ExactSortKey(k types.Kind, code uint64) bool {
	switch k {
	case types.KindI64, types.KindU64, types.KindF64:
		return code != 0 && code != math.MaxUint64 // these may be NULL's
	}
	return false
}

// decimalSortKey is exact for decimals that fit in 64 bits.
func decimalSortKey(x decimal128.Num) uint64 {
	low := x.LowBits()
	switch high := x.HighBits(); {
	case high == int64(low)>>63:
		return low ^ 1<<63
	case high < 0:
		return 0
	}
	return math.MaxUint64
}

// stringSortKey returns the first eight bytes.
func stringSortKey(s string) uint64 {
	if len(s) >= 8 {
		return binary.BigEndian.Uint64([]byte(s[:8]))
	}
	var x uint64
	for i := range len(s) {
		x |= uint64(s[i]) << (56 - 8*i)
	}
	return x
}
