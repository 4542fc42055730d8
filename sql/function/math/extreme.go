package math

import (
	"cmp"

	"gsql/internal/dec128"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func registerExtreme() {
	kernel.Register(
		kernel.Def{Name: expr.FuncGreatest, Bind: bindExtreme(1), Total: kernel.Always, Narrow: decimalResult},
		kernel.Def{Name: expr.FuncLeast, Bind: bindExtreme(-1), Total: kernel.Always, Narrow: decimalResult},
	)
}

// bindExtreme binds GREATEST (sign 1) and LEAST (sign -1).
func bindExtreme(sign int) func(*expr.Call) (kernel.Kernel, error) {
	return func(c *expr.Call) (kernel.Kernel, error) {
		switch c.T.Kind() {
		case types.KindU64:
			return extremeInt[uint64](sign), nil
		case types.KindF64:
			return extreme(sign, cmp.Compare[float64]), nil
		case types.KindDec:
			return extremeDec(sign), nil
		case types.KindStr:
			if c.Args[0].Type().Coll != types.Bin {
				return extreme(sign, comparePairs), nil
			}
			return extreme(sign, cmp.Compare[string]), nil
		}
		return extremeInt[int64](sign), nil
	}
}

// comparePairs compares texts by the keys that they are paired with. Of texts with equal keys, the
// first is used.
func comparePairs(a, b string) int {
	return cmp.Compare(a[:kernel.PairedKey(a)], b[:kernel.PairedKey(b)])
}

// extreme processes the arguments column by column.
func extreme[T kernel.Value](sign int, compare func(a, b T) int) kernel.Kernel {
	return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		r := kernel.Values[T](out)
		first, m := kernel.Values[T](args[0]), kernel.Mask(args[0])
		for i := range r {
			r[i] = first[i&m]
		}
		for _, arg := range args[1:] {
			a, m := kernel.Values[T](arg), kernel.Mask(arg)
			for i := range r {
				if x := a[i&m]; compare(x, r[i])*sign > 0 {
					r[i] = x
				}
			}
		}
		return nil
	}
}

// decimalResult reports whether a call returns decimals.
func decimalResult(c *expr.Call) bool { return c.T.Kind() == types.KindDec }

// extremeInt is extreme of integers.
func extremeInt[T int64 | uint64](sign int) kernel.Kernel {
	return func(_ *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		lists := make([][]T, len(args))
		for i, a := range args {
			lists[i] = kernel.Values[T](a)
		}
		extremes(sign, kernel.Values[T](out), lists)
		return nil
	}
}

// extremes sets r to the greatest or least values of lists, each of which is as long as r or has
// one value.
func extremes[T int64 | uint64](sign int, r []T, lists [][]T) {
	for i := range r {
		r[i] = lists[0][i&-min(len(lists[0])-1, 1)]
	}
	for _, a := range lists[1:] {
		m := -min(len(a)-1, 1) // 0 for one value, else -1
		if sign > 0 {
			for i, x := range r {
				r[i] = max(x, a[i&m])
			}
		} else {
			for i, x := range r {
				r[i] = min(x, a[i&m])
			}
		}
	}
}

// extremeDec compares in 64 bits if all arguments are Narrow or constants that fit.
func extremeDec(sign int) kernel.Kernel {
	wide := extreme(sign, dec128.Cmp)
	return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		lists := make([][]int64, len(args))
		fits, some := true, false
		for i, a := range args {
			switch {
			case a.Narrow:
				lists[i], some = a.I64[:a.N], true
			case a.Form == vec.Const && dec128.IsInt64(a.Dec[0]):
				lists[i] = []int64{int64(a.Dec[0].LowBits())}
			default:
				fits = false
			}
		}
		if fits && some {
			extremes(sign, kernel.ToNarrow(out), lists)
			return nil
		}
		for i, a := range args {
			if a.Narrow {
				args[i] = a.Flatten(nil)
			}
		}
		return wide(rt, args, out)
	}
}
