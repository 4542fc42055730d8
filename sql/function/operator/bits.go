package operator

import (
	"gsql/sql/expr"
	"gsql/sql/kernel"
)

func registerBits() {
	kernel.Register(
		kernel.Def{Name: expr.FuncBitAnd, Bind: kernel.Fn(kernel.Binary(func(a, b uint64) uint64 { return a & b })), Total: kernel.Always},
		kernel.Def{Name: expr.FuncBitOr, Bind: kernel.Fn(kernel.Binary(func(a, b uint64) uint64 { return a | b })), Total: kernel.Always},
		kernel.Def{Name: expr.FuncBitXor, Bind: kernel.Fn(kernel.Binary(func(a, b uint64) uint64 { return a ^ b })), Total: kernel.Always},
		kernel.Def{Name: expr.FuncShiftLeft, Bind: kernel.Fn(kernel.Binary(func(a, b uint64) uint64 { return a << b })), Total: kernel.Always},
		kernel.Def{Name: expr.FuncShiftRight, Bind: kernel.Fn(kernel.Binary(func(a, b uint64) uint64 { return a >> b })), Total: kernel.Always},
		kernel.Def{Name: expr.FuncBitNot, Bind: kernel.Fn(kernel.Unary(func(a uint64) uint64 { return ^a })), Total: kernel.Always},
	)
}
