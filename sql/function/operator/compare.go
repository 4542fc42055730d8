package operator

import (
	"strings"

	"gsql/internal/dec128"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func registerCompare() {
	for name, rel := range kernel.Relations {
		kernel.Register(kernel.Def{Name: name, Bind: bindComparison(rel), Total: kernel.Always, Narrow: kernel.OfDecimals})
	}
	kernel.Register(kernel.Def{Name: expr.FuncNullSafeEQ, Bind: bindNullSafe, Total: kernel.Always})
}

func bindComparison(rel kernel.Relation) func(*expr.Call) (kernel.Kernel, error) {
	return func(c *expr.Call) (kernel.Kernel, error) { return comparison(c, rel), nil }
}

// comparison returns the kernel that compares the arguments, whose kinds are equal unless both are
// integers.
func comparison(c *expr.Call, rel kernel.Relation) kernel.Kernel {
	switch a, b := kernel.ArgKind(c, 0), kernel.ArgKind(c, 1); {
	case a == types.KindI64 && b == types.KindU64:
		return compareMixed(rel, false)
	case a == types.KindU64 && b == types.KindI64:
		return compareMixed(rel, true)
	}
	switch kernel.ArgKind(c, 0) {
	case types.KindU64:
		return compareOrdered[uint64](rel)
	case types.KindF64:
		return compareOrdered[float64](rel)
	case types.KindStr:
		return compareStr(rel)
	case types.KindDec:
		return compareDec(rel, kernel.ScaleOf(c.Args[0]), kernel.ScaleOf(c.Args[1]))
	}
	return compareOrdered[int64](rel)
}

func compareOrdered[T kernel.Ordered](rel kernel.Relation) kernel.Kernel {
	return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		a, b := kernel.Values[T](args[0]), kernel.Values[T](args[1])
		switch {
		case args[1].Form == vec.Const:
			compareConst(out.I64, a, b[0], rel)
		case args[0].Form == vec.Const:
			compareConst(out.I64, b, a[0], rel.Swap())
		default:
			compareSlices(out.I64, a, b, rel)
		}
		return nil
	}
}

// compareConst and compareSlices need three loops for six relations: <>, >= and <= are negations of
// the others.
func compareConst[T kernel.Ordered](r []int64, a []T, c T, rel kernel.Relation) {
	a = a[:len(r)]
	switch rel {
	case kernel.Equal, kernel.Less | kernel.Greater:
		flip := int64(rel & kernel.Less)
		for i, x := range a {
			r[i] = kernel.Bit(x == c) ^ flip
		}
	case kernel.Less, kernel.Greater | kernel.Equal:
		flip := int64(rel >> 1 & 1)
		for i, x := range a {
			r[i] = kernel.Bit(x < c) ^ flip
		}
	default:
		flip := int64(rel >> 1 & 1)
		for i, x := range a {
			r[i] = kernel.Bit(x > c) ^ flip
		}
	}
}

func compareSlices[T kernel.Ordered](r []int64, a, b []T, rel kernel.Relation) {
	a, b = a[:len(r)], b[:len(r)]
	switch rel {
	case kernel.Equal, kernel.Less | kernel.Greater:
		flip := int64(rel & kernel.Less)
		for i, x := range a {
			r[i] = kernel.Bit(x == b[i]) ^ flip
		}
	case kernel.Less, kernel.Greater | kernel.Equal:
		flip := int64(rel >> 1 & 1)
		for i, x := range a {
			r[i] = kernel.Bit(x < b[i]) ^ flip
		}
	default:
		flip := int64(rel >> 1 & 1)
		for i, x := range a {
			r[i] = kernel.Bit(x > b[i]) ^ flip
		}
	}
}

func compareStr(rel kernel.Relation) kernel.Kernel {
	return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		a, b, r := args[0].Str, args[1].Str, out.I64
		ma, mb := kernel.Mask(args[0]), kernel.Mask(args[1])
		if rel == kernel.Equal || rel == kernel.Less|kernel.Greater {
			flip := int64(rel & kernel.Less)
			for i := range r {
				r[i] = kernel.Bit(a[i&ma] == b[i&mb]) ^ flip
			}
			return nil
		}
		for i := range r {
			r[i] = int64(rel.Holds(strings.Compare(a[i&ma], b[i&mb])))
		}
		return nil
	}
}

func compareDec(rel kernel.Relation, sa, sb int) kernel.Kernel {
	return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		if compareNarrow(rt, args, out.I64, rel, sa, sb) {
			return nil
		}
		a, b, r := rt.Decimals(args, 0), rt.Decimals(args, 1), out.I64
		ma, mb := kernel.Mask(args[0]), kernel.Mask(args[1])
		if sa != sb {
			for i := range r {
				r[i] = int64(rel.Holds(dec128.CmpScaled(a[i&ma], sa, b[i&mb], sb)))
			}
			return nil
		}
		for i := range r {
			r[i] = int64(rel.Holds(dec128.Cmp(a[i&ma], b[i&mb])))
		}
		return nil
	}
}

// bindNullSafe binds <=>, for which NULL equals only NULL.
func bindNullSafe(c *expr.Call) (kernel.Kernel, error) {
	if kernel.ArgKind(c, 0) == types.KindNull { // of both sides, which have no values to compare
		return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
			for i := range out.I64 {
				out.I64[i] = 1
			}
			return nil
		}, nil
	}
	equal := comparison(c, kernel.Equal)
	return func(rt *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		if err := equal(rt, args, out); err != nil {
			return err
		}
		a, b := args[0], args[1]
		if a.Null == nil && b.Null == nil {
			return nil
		}
		ma, mb := kernel.Mask(a), kernel.Mask(b)
		for i := range out.I64 {
			na := a.Null != nil && a.Null[i&ma]
			nb := b.Null != nil && b.Null[i&mb]
			if na || nb {
				out.I64[i] = kernel.Bit(na && nb)
			}
		}
		return nil
	}, nil
}
