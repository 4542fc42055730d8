package operator

import (
	"cmp"
	"math"

	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// The functions that solve "x * y op c" for y: the solutions are the y from factor_from to
// factor_to. The magnitudes of c and of x * y, for every y in question, are below 2^63.
func registerFactor() {
	integers := func(v *vec.Vector) []int64 { return v.I64 }
	registerBound(expr.FuncFactorFrom, types.Int64, integers, factorFrom)
	registerBound(expr.FuncFactorTo, types.Int64, integers, factorTo)
}

// factorFrom returns the smallest y for which x * y op c holds, or MaxInt64 if there is none.
func factorFrom(x int64, op expr.FuncID, c int64) int64 {
	switch {
	case x == 0 && kernel.Relations[op].Holds(cmp.Compare(0, c)) == 0:
		return math.MaxInt64
	case x == 0, op[0] == '<' && x > 0, op[0] == '>' && x < 0:
		return math.MinInt64
	case op == expr.FuncLT || op == expr.FuncGT:
		return floorQuotient(c, x) + 1
	}
	return -floorQuotient(-c, x)
}

// factorTo returns the largest y for which x * y op c holds, or MinInt64 if there is none.
func factorTo(x int64, op expr.FuncID, c int64) int64 {
	switch {
	case x == 0 && kernel.Relations[op].Holds(cmp.Compare(0, c)) == 0:
		return math.MinInt64
	case x == 0, op[0] == '>' && x > 0, op[0] == '<' && x < 0:
		return math.MaxInt64
	case op == expr.FuncLT || op == expr.FuncGT:
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
