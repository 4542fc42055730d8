package operator

import (
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// registerBound registers a function f(x, op, c) that solves a comparison of a term of x and y with
// c for y: f returns one end of the range of the y that satisfy it. op is a constant; all values
// have the same type. values returns the payload of a vector.
func registerBound[T any](name expr.FuncID, id types.ID, values func(*vec.Vector) []T, bound func(x T, op expr.FuncID, c T) T) {
	t := types.T(id)
	expr.Register(expr.Sig{Name: name, Min: 3, Max: 3, Resolve: expr.Fixed(t, t, types.T(types.String), t), Internal: true})
	kernel.Register(kernel.Def{Name: name, Total: kernel.Always, Bind: func(call *expr.Call) (kernel.Kernel, error) {
		k, ok := call.Args[1].(*expr.Const)
		if !ok {
			return nil, kernel.NotConstant(call.Args[1])
		}
		op := expr.FuncID(k.Value.Str)
		return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
			xs, cs, r := values(args[0]), values(args[2]), values(out)
			mx, mc := kernel.Mask(args[0]), kernel.Mask(args[2])
			for i := range r {
				r[i] = bound(xs[i&mx], op, cs[i&mc])
			}
			return nil
		}, nil
	}})
}
