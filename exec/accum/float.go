package accum

import (
	"fmt"
	"math"

	"gsql/sql/sqlerr"
)

// Float is a sum of floats with a separate sum of the rounding errors (Knuth's TwoSum, as in
// Ogita, Rump and Oishi, 2005): the result hardly ever depends on the order of the rows, so that
// parallel plans return the same result every time.
type Float struct{ Total, Err float64 }

// Add adds a value.
func (a *Float) Add(x float64) {
	s := a.Total + x
	b := s - a.Total
	a.Err += (a.Total - (s - b)) + (x - b)
	a.Total = s
}

// Merge adds another sum.
func (a *Float) Merge(o Float) {
	a.Add(o.Total)
	a.Err += o.Err
}

// Value returns the sum.
func (a Float) Value() float64 {
	if math.IsInf(a.Total, 0) || math.IsNaN(a.Total) {
		return a.Total
	}
	return a.Total + a.Err
}

// Finite returns error 1690 if a sum exceeds the range of DOUBLE; of names the aggregate.
func Finite(sum float64, of fmt.Stringer) error {
	if math.IsInf(sum, 0) || math.IsNaN(sum) {
		return sqlerr.New(sqlerr.DataOutOfRange, "DOUBLE value is out of range in '%s'", of)
	}
	return nil
}
