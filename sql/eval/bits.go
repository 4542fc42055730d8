package eval

import "unsafe"

// asU64 reads the bits of int64 values as uint64: both have the same layout.
func asU64(x []int64) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

func init() {
	Register(
		Def{Name: "&", Bind: Fn(Binary(func(a, b uint64) uint64 { return a & b })), Total: Always},
		Def{Name: "|", Bind: Fn(Binary(func(a, b uint64) uint64 { return a | b })), Total: Always},
		Def{Name: "^", Bind: Fn(Binary(func(a, b uint64) uint64 { return a ^ b })), Total: Always},
		Def{Name: "<<", Bind: Fn(Binary(func(a, b uint64) uint64 { return a << b })), Total: Always},
		Def{Name: ">>", Bind: Fn(Binary(func(a, b uint64) uint64 { return a >> b })), Total: Always},
		Def{Name: "~", Bind: Fn(Unary(func(a uint64) uint64 { return ^a })), Total: Always},
	)
}
