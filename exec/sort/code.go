package sort

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// Codes gives numbers in the order of v's values, of which NULL is the first, or in the
// opposite order where desc says so. v is flat. Different values may have the same number;
// Exact tells which never do.
func Codes(v *vec.Vector, desc bool, out []uint64) {
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
			out[i] = floatCode(x)
		}
	case types.KindDec:
		for i, x := range v.Dec[:len(out)] {
			out[i] = decimalCode(x)
		}
	case types.KindStr:
		for i, s := range v.Str[:len(out)] {
			out[i] = stringCode(s)
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

// Exact tells whether no other value of a kind has this code.
func Exact(k types.Kind, code uint64) bool {
	switch k {
	case types.KindI64, types.KindU64, types.KindF64:
		return code != 0 && code != math.MaxUint64 // which may be NULL's
	}
	return false
}

// decimalCode is exact for what fits into 64 bits.
func decimalCode(x decimal128.Num) uint64 {
	low := x.LowBits()
	switch high := x.HighBits(); {
	case high == int64(low)>>63:
		return low ^ 1<<63
	case high < 0:
		return 0
	}
	return math.MaxUint64
}

// stringCode has the first eight bytes.
func stringCode(s string) uint64 {
	if len(s) >= 8 {
		return binary.BigEndian.Uint64([]byte(s[:8]))
	}
	var x uint64
	for i := range len(s) {
		x |= uint64(s[i]) << (56 - 8*i)
	}
	return x
}
