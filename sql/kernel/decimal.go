package kernel

import "gsql/sql/expr"

// DecimalName is the name of the type in error 1690.
const DecimalName = "DECIMAL"

// ScaleOf returns the number of digits that the values of an expression have after the point.
func ScaleOf(e expr.Expr) int { return int(e.Type().Scale) }

// ManyDigits exceeds the number of digits that any value has on either side of its point. Larger
// numbers of digits have the same effect.
const ManyDigits = 400
