package eval

import (
	"cmp"

	"gsql/internal/dec128"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func init() {
	Register(
		Def{Name: "greatest", Bind: bindExtreme(1), Total: Always},
		Def{Name: "least", Bind: bindExtreme(-1), Total: Always},
	)
}

// bindExtreme serves GREATEST (sign 1) and LEAST (sign -1).
func bindExtreme(sign int) func(*expr.Call) (Kernel, error) {
	return func(c *expr.Call) (Kernel, error) {
		switch c.T.Kind() {
		case types.KindU64:
			return extreme(sign, cmp.Compare[uint64]), nil
		case types.KindF64:
			return extreme(sign, cmp.Compare[float64]), nil
		case types.KindDec:
			return extreme(sign, dec128.Cmp), nil
		case types.KindStr:
			if c.Args[0].Type().Coll != types.Bin {
				return extreme(sign, comparePairs), nil
			}
			return extreme(sign, cmp.Compare[string]), nil
		}
		return extreme(sign, cmp.Compare[int64]), nil
	}
}

// comparePairs compares texts by the keys that they are paired with: of equal ones the
// first is taken.
func comparePairs(a, b string) int { return cmp.Compare(a[:pairedKey(a)], b[:pairedKey(b)]) }

// extreme takes the arguments column by column.
func extreme[T Value](sign int, compare func(a, b T) int) Kernel {
	return func(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
		r := Values[T](out)
		first, m := Values[T](args[0]), mask(args[0])
		for i := range r {
			r[i] = first[i&m]
		}
		for _, arg := range args[1:] {
			a, m := Values[T](arg), mask(arg)
			for i := range r {
				if x := a[i&m]; compare(x, r[i])*sign > 0 {
					r[i] = x
				}
			}
		}
		return nil
	}
}
