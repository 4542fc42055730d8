// Package isolate rearranges join conditions so that each operand depends on one input: rows can
// then be sorted or hashed by it. It solves sums of integers, decimals and doubles, differences of
// dates, and products, where overflow is impossible.
package isolate

import (
	"math"

	"gsql/sql/expr"
	"gsql/sql/types"
)

// Side is the set of a join's inputs that an expression depends on.
type Side uint8

// The inputs of a join.
const (
	Left  Side = 1
	Right Side = 2
	Both       = Left | Right
)

// Inputs describes the inputs of a join.
type Inputs interface {
	// Of returns the inputs that e depends on.
	Of(e expr.Expr) Side
	// Magnitude returns a bound of the absolute values of a column, if its table has one.
	Magnitude(col expr.ColID) (most float64, ok bool)
}

// Join rewrites the conditions of a join of Inputs.
type Join struct{ Inputs Inputs }

func (in *Join) of(e expr.Expr) Side { return in.Inputs.Of(e) }

// bound returns a bound of the magnitudes of a column's values: from the statistics of the
// inputs' tables if they are tighter than the type, else from the type. in may be nil.
func (in *Join) bound(col *expr.Col) float64 {
	most := typeBound(col.T)
	if in == nil {
		return most
	}
	if known, ok := in.Inputs.Magnitude(col.ID); ok {
		return min(most, known)
	}
	return most
}

// typeBound returns a bound of the magnitudes of a number type. Files may hold any FLOAT.
func typeBound(t types.Type) float64 {
	switch {
	case t.IsFloat():
		return math.Inf(1)
	case t.ID == types.Decimal:
		return math.Pow10(wholeDigits(t))
	case t.IsUnsigned():
		return math.Ldexp(1, t.Bits())
	}
	return math.Ldexp(1, t.Bits()-1)
}
