package eval

import (
	"strings"

	"gsql/internal/dec128"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// ordered are the payloads that Go compares directly.
type ordered interface{ int64 | uint64 | float64 }

func init() {
	for name, rel := range relations {
		Register(Def{Name: name, Bind: bindComparison(rel), Total: Always, Narrow: ofDecimals})
	}
	Register(Def{Name: expr.FuncNullSafeEQ, Bind: bindNullSafe, Total: Always})
}

func bindComparison(rel relation) func(*expr.Call) (Kernel, error) {
	return func(c *expr.Call) (Kernel, error) { return comparison(c, rel), nil }
}

// comparison gives the kernel that compares the arguments, whose kinds are equal but for
// those of integers.
func comparison(c *expr.Call, rel relation) Kernel {
	switch a, b := argKind(c, 0), argKind(c, 1); {
	case a == types.KindI64 && b == types.KindU64:
		return compareMixed(rel, false)
	case a == types.KindU64 && b == types.KindI64:
		return compareMixed(rel, true)
	}
	switch argKind(c, 0) {
	case types.KindU64:
		return compareOrdered[uint64](rel)
	case types.KindF64:
		return compareOrdered[float64](rel)
	case types.KindStr:
		return compareStr(rel)
	case types.KindDec:
		return compareDec(rel, scaleOf(c.Args[0]), scaleOf(c.Args[1]))
	}
	return compareOrdered[int64](rel)
}

func compareOrdered[T ordered](rel relation) Kernel {
	return func(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
		a, b := Values[T](args[0]), Values[T](args[1])
		switch {
		case args[1].Form == vec.Const:
			compareConst(out.I64, a, b[0], rel)
		case args[0].Form == vec.Const:
			compareConst(out.I64, b, a[0], rel.swap())
		default:
			compareSlices(out.I64, a, b, rel)
		}
		return nil
	}
}

// compareConst and compareSlices need three loops for six relations: <>, >= and <= are
// the others negated.
func compareConst[T ordered](r []int64, a []T, c T, rel relation) {
	a = a[:len(r)]
	switch rel {
	case eq, lt | gt:
		flip := int64(rel & lt)
		for i, x := range a {
			r[i] = b2i(x == c) ^ flip
		}
	case lt, gt | eq:
		flip := int64(rel >> 1 & 1)
		for i, x := range a {
			r[i] = b2i(x < c) ^ flip
		}
	default:
		flip := int64(rel >> 1 & 1)
		for i, x := range a {
			r[i] = b2i(x > c) ^ flip
		}
	}
}

func compareSlices[T ordered](r []int64, a, b []T, rel relation) {
	a, b = a[:len(r)], b[:len(r)]
	switch rel {
	case eq, lt | gt:
		flip := int64(rel & lt)
		for i, x := range a {
			r[i] = b2i(x == b[i]) ^ flip
		}
	case lt, gt | eq:
		flip := int64(rel >> 1 & 1)
		for i, x := range a {
			r[i] = b2i(x < b[i]) ^ flip
		}
	default:
		flip := int64(rel >> 1 & 1)
		for i, x := range a {
			r[i] = b2i(x > b[i]) ^ flip
		}
	}
}

func compareStr(rel relation) Kernel {
	return func(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
		a, b, r := args[0].Str, args[1].Str, out.I64
		ma, mb := mask(args[0]), mask(args[1])
		if rel == eq || rel == lt|gt {
			flip := int64(rel & lt)
			for i := range r {
				r[i] = b2i(a[i&ma] == b[i&mb]) ^ flip
			}
			return nil
		}
		for i := range r {
			r[i] = int64(rel.holds(strings.Compare(a[i&ma], b[i&mb])))
		}
		return nil
	}
}

func compareDec(rel relation, sa, sb int) Kernel {
	return func(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
		if compareNarrow(rt, args, out.I64, rel, sa, sb) {
			return nil
		}
		a, b, r := rt.decimals(args, 0), rt.decimals(args, 1), out.I64
		ma, mb := mask(args[0]), mask(args[1])
		if sa != sb {
			for i := range r {
				r[i] = int64(rel.holds(dec128.CmpScaled(a[i&ma], sa, b[i&mb], sb)))
			}
			return nil
		}
		for i := range r {
			r[i] = int64(rel.holds(dec128.Cmp(a[i&ma], b[i&mb])))
		}
		return nil
	}
}

// bindNullSafe is <=>: NULL equals NULL and nothing else.
func bindNullSafe(c *expr.Call) (Kernel, error) {
	if argKind(c, 0) == types.KindNull { // both sides, which have no values to compare
		return func(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
			for i := range out.I64 {
				out.I64[i] = 1
			}
			return nil
		}, nil
	}
	equal := comparison(c, eq)
	return func(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
		if err := equal(rt, args, out); err != nil {
			return err
		}
		a, b := args[0], args[1]
		if a.Null == nil && b.Null == nil {
			return nil
		}
		ma, mb := mask(a), mask(b)
		for i := range out.I64 {
			na := a.Null != nil && a.Null[i&ma]
			nb := b.Null != nil && b.Null[i&mb]
			if na || nb {
				out.I64[i] = b2i(na && nb)
			}
		}
		return nil
	}, nil
}
