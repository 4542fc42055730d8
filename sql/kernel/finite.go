package kernel

import (
	"math"

	"gsql/internal/simd"
	"gsql/sql/vec"
)

// Finite returns an error if a row that is not NULL holds an infinity.
func Finite(rt *Runtime, out *vec.Vector) error {
	if simd.AreFinite(out.F64) {
		return nil
	}
	for i, x := range out.F64 {
		if x-x != 0 && (out.Null == nil || !out.Null[i]) {
			return rt.OutOfRange("DOUBLE")
		}
	}
	return nil
}

// FiniteDouble returns the result of a function if it is a finite DOUBLE, else error 1690.
func FiniteDouble(rt *Runtime, x float64) (float64, bool, error) {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return 0, false, rt.OutOfRange("DOUBLE")
	}
	return x, true, nil
}
