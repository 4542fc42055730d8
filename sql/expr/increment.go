package expr

import (
	"gsql/sql/catalog"
	"gsql/sql/types"
)

// DefaultIncrement is MySQL's default for div_precision_increment, the number of digits after the
// point that the results of / and AVG have in addition to those of their first operand.
const DefaultIncrement = 4

// countType is the type of the divisor of an average.
var countType = types.Dec(1, 0)

// NewQuotient returns the quotient of two operands under a div_precision_increment. The call has it
// as a third argument, unless it is the default or the quotient is a DOUBLE, so that whatever
// rewrites the call keeps it. It may change operands.
//
// Errors: those of NewCall.
func NewQuotient(operands []Expr, increment, pos int) (Expr, error) {
	a, b := numbers(operands)
	if increment != DefaultIncrement && !a.IsFloat() && !b.IsFloat() {
		operands = append(operands, &Const{Value: catalog.Int(int64(increment))})
	}
	return NewCall(FuncDiv, operands, pos)
}

// Increment returns the div_precision_increment of a call of FuncDiv.
func Increment(quotient *Call) int { return incrementOf(quotient.Args) }

func incrementOf(args []Expr) int {
	if len(args) > 2 {
		return int(args[2].(*Const).Value.I64)
	}
	return DefaultIncrement
}

// meanIncrement returns the increment with which the average of values of type of has the type mean.
// If MaxScale limits the digits of the average, it is the smallest increment with as many digits.
func meanIncrement(mean, of types.Type) int {
	return max(0, int(mean.Shown().Scale)-int(of.Shown().Scale))
}
