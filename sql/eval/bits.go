package eval

import (
	"unsafe"

	"gsql/sql/expr"
)

// asU64 reads the bits of int64 values as uint64: both have the same layout.
func asU64(x []int64) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

func init() {
	Register(
		Def{Name: expr.FuncBitAnd, Bind: Fn(Binary(func(a, b uint64) uint64 { return a & b })), Total: Always},
		Def{Name: expr.FuncBitOr, Bind: Fn(Binary(func(a, b uint64) uint64 { return a | b })), Total: Always},
		Def{Name: expr.FuncBitXor, Bind: Fn(Binary(func(a, b uint64) uint64 { return a ^ b })), Total: Always},
		Def{Name: expr.FuncShiftLeft, Bind: Fn(Binary(func(a, b uint64) uint64 { return a << b })), Total: Always},
		Def{Name: expr.FuncShiftRight, Bind: Fn(Binary(func(a, b uint64) uint64 { return a >> b })), Total: Always},
		Def{Name: expr.FuncBitNot, Bind: Fn(Unary(func(a uint64) uint64 { return ^a })), Total: Always},
	)
}
