package eval

import (
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func init() {
	Register(
		Def{Name: expr.FuncNot, Bind: Fn(Unary(func(a int64) int64 { return b2i(a == 0) })), Total: Always},
		Def{Name: expr.FuncXor, Bind: Fn(Binary(func(a, b int64) int64 { return b2i((a != 0) != (b != 0)) })), Total: Always},
		Def{Name: expr.FuncIsNull, Bind: Fn(isNull), Total: Always},
	)
}

func b2i(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func isNull(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
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
		out.I64[i] = b2i(null)
	}
	return nil
}

// argKind gives the kind that argument i of c is computed in.
func argKind(c *expr.Call, i int) types.Kind { return c.Args[i].Type().Kind() }
