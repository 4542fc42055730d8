package eval

import (
	"cmp"
	"math"

	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

func init() {
	bigint, text := types.T(types.Int64), types.T(types.String)
	for name, bound := range map[string]func(x int64, op string, c int64) int64{"factor_from": factorFrom, "factor_to": factorTo} {
		expr.Register(expr.Sig{Name: name, Min: 3, Max: 3, Resolve: expr.Fixed(bigint, bigint, text, bigint), Internal: true})
		Register(Def{Name: name, Bind: bindFactor(bound), Total: Always})
	}
}

// bindFactor serves the functions that solve "x * y op c" for y, op being a constant: the y
// that pass are those from factor_from to factor_to. The magnitudes of x * y and c are below
// 2^63 for all y that are asked about.
func bindFactor(bound func(x int64, op string, c int64) int64) func(*expr.Call) (Kernel, error) {
	return func(call *expr.Call) (Kernel, error) {
		k, ok := call.Args[1].(*expr.Const)
		if !ok {
			return nil, notConstant(call.Args[1])
		}
		op := k.Value.Str
		return func(rt *Runtime, args []*vec.Vector, out *vec.Vector) error {
			xs, cs, r := args[0].I64, args[2].I64, out.I64
			mx, mc := mask(args[0]), mask(args[2])
			for i := range r {
				r[i] = bound(xs[i&mx], op, cs[i&mc])
			}
			return nil
		}, nil
	}
}

// factorFrom gives the least y for which x * y op c holds, MaxInt64 where there is none.
func factorFrom(x int64, op string, c int64) int64 {
	switch {
	case x == 0 && relations[op].holds(cmp.Compare(0, c)) == 0:
		return math.MaxInt64
	case x == 0, op[0] == '<' && x > 0, op[0] == '>' && x < 0:
		return math.MinInt64
	case op == "<" || op == ">":
		return floorQuotient(c, x) + 1
	}
	return -floorQuotient(-c, x)
}

// factorTo gives the greatest y for which x * y op c holds, MinInt64 where there is none.
func factorTo(x int64, op string, c int64) int64 {
	switch {
	case x == 0 && relations[op].holds(cmp.Compare(0, c)) == 0:
		return math.MinInt64
	case x == 0, op[0] == '>' && x > 0, op[0] == '<' && x < 0:
		return math.MaxInt64
	case op == "<" || op == ">":
		return -floorQuotient(-c, x) - 1
	}
	return floorQuotient(c, x)
}

// floorQuotient divides, rounding down.
func floorQuotient(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}
