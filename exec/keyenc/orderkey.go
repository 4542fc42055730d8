package keyenc

import (
	"math"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/op"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// HasOrderKeys reports whether every value of the type has an order key.
func HasOrderKeys(t types.Type) bool {
	switch t.Kind() {
	case types.KindI64, types.KindU64, types.KindF64:
		return true
	case types.KindDec:
		return t.Prec <= 18
	}
	return false
}

// OrderKeys writes the order keys of v, which is flat: words whose unsigned order is the order of
// the values. It marks in skip the values that equal nothing (NaN) and returns false if a decimal
// does not fit. Slots of NULLs get arbitrary words.
func OrderKeys(dst []uint64, v *vec.Vector, skip []bool) (ok bool) {
	switch v.Type.Kind() {
	case types.KindI64:
		for i, x := range v.I64[:len(dst)] {
			dst[i] = uint64(x) ^ signBit
		}
	case types.KindU64:
		for i, x := range v.I64[:len(dst)] {
			dst[i] = uint64(x)
		}
	case types.KindF64:
		for i, x := range v.F64[:len(dst)] {
			dst[i] = FloatKey(x)
			if x != x && (v.Null == nil || !v.Null[i]) {
				skip[i] = true
			}
		}
	case types.KindDec:
		ok = true
		for i, x := range v.Dec[:len(dst)] {
			lo := x.LowBits()
			dst[i] = lo ^ signBit
			if x.HighBits() != int64(lo)>>63 && (v.Null == nil || !v.Null[i]) {
				ok, skip[i] = false, true
			}
		}
		return ok
	default:
		clear(dst)
	}
	return true
}

// DecodeOrderKey writes the value with the order key w to slot k of dst.
func DecodeOrderKey(dst *vec.Vector, k int, w uint64) {
	switch dst.Type.Kind() {
	case types.KindI64:
		dst.I64[k] = int64(w ^ signBit)
	case types.KindU64:
		dst.I64[k] = int64(w)
	case types.KindF64:
		if w&signBit != 0 {
			w ^= signBit
		} else {
			w = ^w
		}
		dst.F64[k] = math.Float64frombits(w)
	case types.KindDec:
		dst.Dec[k] = decimal128.FromI64(int64(w ^ signBit))
	}
}

// FloatKey returns the order key of a float; -0.0 and 0.0 have the same key.
func FloatKey(x float64) uint64 {
	w := math.Float64bits(x + 0)
	if w>>63 != 0 {
		return ^w
	}
	return w | 1<<63
}

// SideOrderKeys writes the order keys of an operand of a whole side, which is flat, in parallel.
// It marks in skip the rows that equal nothing.
func SideOrderKeys(ctx *op.Ctx, words []uint64, v *vec.Vector, skip []bool) error {
	return op.EachShare(ctx, len(words), func(from, to int) {
		part := v.Slice(from, to)
		OrderKeys(words[from:to], part, skip[from:to])
		SkipNulls(part, skip[from:to])
	})
}

// SkipNulls marks in skip the rows of v, which is flat, that are NULL.
func SkipNulls(v *vec.Vector, skip []bool) {
	if v.Type.ID == types.Null {
		for i := range skip {
			skip[i] = true
		}
	} else if v.Null != nil {
		orInto(skip, v.Null)
	}
}

// Bits returns the memory of integers as words.
func Bits(xs []int64) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(xs))), len(xs))
}

// signed returns the memory of words as integers.
func signed(xs []uint64) []int64 {
	return unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(xs))), len(xs))
}
