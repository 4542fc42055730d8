package operator

import (
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func registerIn() { kernel.Register(kernel.Def{Name: expr.FuncIn, Bind: bindIn, Total: kernel.Always}) }

// bindIn binds IN over constants. If the list contains a NULL, the result for a row without a match
// is NULL.
func bindIn(c *expr.Call) (kernel.Kernel, error) {
	null := false
	var list []*expr.Const
	for _, a := range c.Args[1:] {
		if expr.IsNull(a) {
			null = true
			continue
		}
		list = append(list, a.(*expr.Const))
	}
	switch kernel.ArgKind(c, 0) {
	case types.KindU64, types.KindI64, types.KindNull:
		return memberInt(list, null), nil
	case types.KindF64:
		return member(list, null, func(k *expr.Const) float64 { return k.Value.F64 }), nil
	case types.KindDec:
		return member(list, null, func(k *expr.Const) decimal128.Num { return k.Value.Dec }), nil
	}
	return member(list, null, func(k *expr.Const) string { return k.Value.Str }), nil
}

// memberInt is member for integers.
func memberInt(list []*expr.Const, null bool) kernel.Kernel {
	values := make([]int64, len(list))
	for i, k := range list {
		values[i] = k.Value.I64
	}
	set := kernel.NewIntSet(values)
	if set == nil {
		return member(list, null, func(k *expr.Const) int64 { return k.Value.I64 })
	}
	return func(_ *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		set.Mark(out.I64, args[0].I64)
		if null {
			missToNull(out)
		}
		return nil
	}
}

func member[T interface {
	comparable
	kernel.Value
}](list []*expr.Const, null bool, value func(*expr.Const) T) kernel.Kernel {
	set := make(map[T]struct{}, len(list))
	var distinct []T
	for _, k := range list {
		x := value(k)
		if _, ok := set[x]; !ok {
			set[x] = struct{}{}
			distinct = append(distinct, x)
		}
	}
	return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		a, r := kernel.Values[T](args[0]), out.I64
		m := kernel.Mask(args[0])
		if len(distinct) <= kernel.ScanLimit {
			for i := range r {
				r[i] = 0
				for _, x := range distinct {
					r[i] |= kernel.Bit(a[i&m] == x)
				}
			}
		} else {
			for i := range r {
				_, ok := set[a[i&m]]
				r[i] = kernel.Bit(ok)
			}
		}
		if null {
			missToNull(out)
		}
		return nil
	}
}

func missToNull(out *vec.Vector) {
	for i, hit := range out.I64 {
		if hit == 0 {
			out.SetNull(i)
		}
	}
}
