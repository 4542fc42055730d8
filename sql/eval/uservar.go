package eval

import (
	"strings"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/vec"
)

func init() {
	kernel.Register(
		kernel.Def{Name: expr.FuncGetUserVar, Bind: bindGetUserVar},
		kernel.Def{Name: expr.FuncSetUserVar, Bind: bindSetUserVar},
	)
}

// bindGetUserVar reads @name at the time a row is computed and returns it as a value of the
// call's type.
func bindGetUserVar(c *expr.Call) (kernel.Kernel, error) {
	name := c.Args[0].(*expr.Const).Value.Str
	return func(rt *kernel.Runtime, _ []*vec.Vector, out *vec.Vector) error {
		d, ok := catalog.Datum{Null: true}, false
		if rt.Env != nil {
			d, ok = rt.Env.UserVar(name)
		}
		if ok && !d.Null && d.Type != c.T {
			var err error
			if d, err = Const(expr.Cast(&expr.Const{Value: d}, c.T), rt.Ctx); err != nil {
				return err
			}
		}
		d.Null = d.Null || !ok
		for i := range out.N {
			d.Put(out, i)
		}
		return nil
	}, nil
}

// bindSetUserVar assigns the value of each row to @name, one row after another.
func bindSetUserVar(c *expr.Call) (kernel.Kernel, error) {
	name := c.Args[0].(*expr.Const).Value.Str
	return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		v := *args[1]
		v.N = out.N
		for i := range out.N {
			d := catalog.DatumAt(&v, i)
			d.Type = c.T
			d.Put(out, i)
			if rt.Env != nil {
				d.Str = strings.Clone(d.Str) // it outlives the batch
				if err := rt.Env.SetUserVar(name, d); err != nil {
					return err
				}
			}
		}
		return nil
	}, nil
}
