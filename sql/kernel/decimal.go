package kernel

import "gsql/sql/expr"

// DecimalName is the type in error 1690.
const DecimalName = "DECIMAL"

// ScaleOf returns the digits that the values of an expression have after the point.
func ScaleOf(e expr.Expr) int { return int(e.Type().Scale) }

// ManyDigits is a number of digits that no value has on either side of its point. Beyond
// it, numbers of digits are as good as it.
const ManyDigits = 400
