package eval

import (
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func init() { Register(Def{Name: expr.FuncIn, Bind: bindIn, Total: Always}) }

// scanLimit is the longest list that is searched in order rather than by hash.
const scanLimit = 8

// bindIn prepares IN over constants. A row without a match is NULL where the list
// holds a NULL.
func bindIn(c *expr.Call) (Kernel, error) {
	null := false
	var list []*expr.Const
	for _, a := range c.Args[1:] {
		if expr.IsNull(a) {
			null = true
			continue
		}
		list = append(list, a.(*expr.Const))
	}
	switch argKind(c, 0) {
	case types.KindU64, types.KindI64, types.KindNull:
		return memberInt(list, null), nil
	case types.KindF64:
		return member(list, null, func(k *expr.Const) float64 { return k.Value.F64 }), nil
	case types.KindDec:
		return member(list, null, func(k *expr.Const) decimal128.Num { return k.Value.Dec }), nil
	}
	return member(list, null, func(k *expr.Const) string { return k.Value.Str }), nil
}

// memberInt is member of integers.
func memberInt(list []*expr.Const, null bool) Kernel {
	values := make([]int64, len(list))
	for i, k := range list {
		values[i] = k.Value.I64
	}
	set := newIntSet(values)
	if set == nil {
		return member(list, null, func(k *expr.Const) int64 { return k.Value.I64 })
	}
	return func(_ *Runtime, args []*vec.Vector, out *vec.Vector) error {
		set.mark(out.I64, args[0].I64)
		if null {
			missToNull(out)
		}
		return nil
	}
}

func member[T interface {
	comparable
	Value
}](list []*expr.Const, null bool, value func(*expr.Const) T) Kernel {
	set := make(map[T]struct{}, len(list))
	var distinct []T
	for _, k := range list {
		x := value(k)
		if _, ok := set[x]; !ok {
			set[x] = struct{}{}
			distinct = append(distinct, x)
		}
	}
	return func(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
		a, r := Values[T](args[0]), out.I64
		m := mask(args[0])
		if len(distinct) <= scanLimit {
			for i := range r {
				r[i] = 0
				for _, x := range distinct {
					r[i] |= b2i(a[i&m] == x)
				}
			}
		} else {
			for i := range r {
				_, ok := set[a[i&m]]
				r[i] = b2i(ok)
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
