package jointest

import (
	"fmt"

	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Ints returns a column of n integers.
func Ints(n int, f func(i int) int64) *vec.Vector {
	v := vec.NewFlat(Bigint, n)
	for i := range v.I64 {
		v.I64[i] = f(i)
	}
	return v
}

// Floats returns a column of n floats.
func Floats(n int, f func(i int) float64) *vec.Vector {
	v := vec.NewFlat(Double, n)
	for i := range v.F64 {
		v.F64[i] = f(i)
	}
	return v
}

// BenchCols returns columns for vectors, with ids from base on.
func BenchCols(base int, vs []*vec.Vector) []logical.Column {
	var cols []logical.Column
	for i, v := range vs {
		cols = append(cols, logical.Column{ID: expr.ColID(base + i), Name: fmt.Sprintf("c%d", base+i), T: v.Type})
	}
	return cols
}

// Equality returns a join on the first columns of both sides, which have type t.
func Equality(algo physical.JoinAlgo, t types.Type) *physical.Join {
	return &physical.Join{Algo: algo, Keys: []physical.KeyPair{{
		L: &expr.Col{ID: LeftID, Name: "l.key", T: t}, R: &expr.Col{ID: RightID, Name: "r.key", T: t}}}}
}
