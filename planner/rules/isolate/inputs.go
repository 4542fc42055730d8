// Package isolate rearranges the conditions of joins so that each operand depends on one input:
// rows can then be sorted or hashed by them. It solves sums of integers, decimals and doubles,
// differences of dates and products, where no overflow is possible.
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

// Inputs answers questions about the inputs of a join.
type Inputs interface {
	// Of returns the inputs that e depends on.
	Of(e expr.Expr) Side
	// Magnitude returns a bound of the absolute values of a column, if its table knows one.
	Magnitude(col expr.ColID) (most float64, ok bool)
}

// Join rewrites the conditions of a join of Inputs.
type Join struct{ Inputs Inputs }

func (in *Join) of(e expr.Expr) Side { return in.Inputs.Of(e) }

// bound returns what the magnitude of a column's values does not exceed: by what is known of the
// inputs' tables where that is less than the type allows, else by the type. in may be nil.
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

// typeBound returns what the magnitude of a number does not exceed. Files may hold any FLOAT.
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
