package operator

import (
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func registerLogic() {
	kernel.Register(
		kernel.Def{Name: expr.FuncNot, Bind: kernel.Fn(kernel.Unary(func(a int64) int64 { return kernel.Bit(a == 0) })), Total: kernel.Always},
		kernel.Def{Name: expr.FuncXor, Bind: kernel.Fn(kernel.Binary(func(a, b int64) int64 { return kernel.Bit((a != 0) != (b != 0)) })), Total: kernel.Always},
		kernel.Def{Name: expr.FuncIsNull, Bind: kernel.Fn(isNull), Total: kernel.Always},
	)
}

func isNull(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
	a := args[0]
	if a.Null == nil {
		clear(out.I64)
		if a.Type.ID == types.Null {
			for i := range out.I64 {
				out.I64[i] = 1
			}
		}
		return nil
	}
	for i, null := range a.Null[:len(out.I64)] {
		out.I64[i] = kernel.Bit(null)
	}
	return nil
}
