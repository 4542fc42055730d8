package expr

import "gsql/sql/types"

// Quotients carry extra digits as MySQL's decimals do. MySQL stores a decimal in words of nine
// digits, and a division fills the last word of its result: 1/3 is 0.333333333, though its type is
// DECIMAL(5,4). Values computed from the quotient carry these digits too. They are rounded away
// when the value is stored or shown, becomes text, is compared by =, <>, <, <=, >, >= or <=>, is a
// key of GROUP BY, ORDER BY or DISTINCT, or passes through one of MySQL's temporary tables: as an
// argument of an aggregate in a query with GROUP BY, or of a window function. Shown drops them.
// Comparisons in BETWEEN, IN, FIELD and CASE x WHEN use all digits; Unrounded keeps them.
//
// MySQL computes with 81 digits; 128 bits hold 38. The type of a result has all digits that MySQL
// carries if they are at most mostlyCarried, even if the operands allow more digits before the
// point than then fit: sql/eval computes rows with larger values with numbers of any size. If the
// type has fewer digits than MySQL carries and that matters (FallsShort), it computes all rows in
// this way. Columns between operators carry digits that always fit, and up to columnDigits in any case.

// wordDigits are the digits that MySQL's decimals keep in a word.
const wordDigits = 9

// mostlyCarried is the scale up to which results keep all digits, no matter how many digits their
// operands allow before the point. Eight digits before the point then fit in 128 bits.
const mostlyCarried = 30

// columnDigits is the scale up to which columns keep all digits. Values of 20 digits before the point
// then fit in 128 bits; larger ones are error 1690.
const columnDigits = 2 * wordDigits

func wholeWords(digits int) int { return (digits + wordDigits - 1) / wordDigits * wordDigits }

// quotientScale returns the scale of the words that MySQL computes for x / y. It cuts off the rest
// without rounding.
func quotientScale(x, y types.Type, increment int) int {
	return QuotientScale(int(x.Scale), int(y.Scale), increment)
}

// QuotientScale returns the scale to which MySQL computes the quotient of numbers of scales x and y
// under a div_precision_increment.
func QuotientScale(x, y, increment int) int {
	a, b := wholeWords(x), wholeWords(y)
	return wholeWords(a + b + max(0, increment-(a-x)-(b-y)))
}

// maxWords is the number of words in one of MySQL's decimals.
const maxWords = 9

// WordsAfterPoint returns the number of digits after the point that fit in the words of one of
// MySQL's decimals if it has the given number of digits before the point. It is negative if those
// are too many.
func WordsAfterPoint(before int) int { return maxWords*wordDigits - wholeWords(before) }

// CutsOff reports whether a quotient with the scale of its type is truncated without rounding, as
// in MySQL. A quotient with fewer digits is rounded, because it is shown.
func CutsOff(quotient *Call) bool {
	a := quotient.Args
	return quotient.T.Carries() || int(quotient.T.Scale) >= quotientScale(a[0].Type(), a[1].Type(), incrementOf(a))
}

// MeanCutsOff reports whether the average of values of type of, which has the type mean, is truncated
// without rounding.
func MeanCutsOff(mean, of types.Type) bool {
	return mean.Carries() || int(mean.Scale) >= quotientScale(of, countType, meanIncrement(mean, of))
}

// carrying returns the type of a result for which MySQL computes scale digits after the point.
func carrying(shown types.Type, scale int) types.Type {
	return shown.Carrying(min(scale, max(mostlyCarried, int(shown.Scale)+1, types.MaxPrecision-shown.WholeDigits())))
}

func quotientType(x, y types.Type, increment int) types.Type {
	a := x.Shown() // y may be as small as its last digit, one that it carries included
	shown := types.Dec(int(a.Prec)+int(y.Scale)+increment, int(a.Scale)+increment)
	return carrying(shown, quotientScale(x, y, increment))
}

func productType(x, y types.Type) types.Type {
	a, b := x.Shown(), y.Shown()
	shown := types.Dec(int(a.Prec)+int(b.Prec), int(a.Scale)+int(b.Scale))
	if !x.Carries() && !y.Carries() {
		return shown
	}
	return carrying(shown, int(x.Scale)+int(y.Scale))
}

// averageType returns the type of the AVG of a DECIMAL, which is a sum divided by a count. It is the
// type of a column, so all digits before the point fit.
func averageType(d types.Type, increment int) types.Type {
	a := d.Shown()
	shown := types.Dec(int(a.Prec)+increment, int(a.Scale)+increment)
	return shown.Carrying(min(quotientScale(d, countType, increment), types.MaxPrecision-shown.WholeDigits(), types.MaxScale))
}

// Shown drops the extra digits that e carries.
func Shown(e Expr) Expr {
	if t := e.Type(); t.Carries() {
		return Cast(e, t.Shown())
	}
	return e
}

// Unrounded makes the extra digits that e carries part of its type.
func Unrounded(e Expr) Expr {
	if t := e.Type(); t.Carries() {
		return Cast(e, t.Unrounded())
	}
	return e
}

// AllDigits undoes Unrounded.
func AllDigits(e Expr) Expr {
	if c, ok := e.(*Call); ok && c.Fn == FuncCast && c.Args[0].Type().Carries() && c.T == c.Args[0].Type().Unrounded() {
		return c.Args[0]
	}
	return e
}

// Bounded drops the extra digits of e that a column does not keep.
func Bounded(e Expr) Expr {
	t := e.Type()
	if !t.Carries() {
		return e
	}
	return Cast(e, t.Shown().Carrying(min(int(t.Scale), max(types.MaxPrecision-t.WholeDigits(), columnDigits))))
}

// shownArguments drops the extra digits of arguments.
func shownArguments(args []Expr) {
	for i, a := range args {
		args[i] = Shown(a)
	}
}

func anyCarries(args []Expr) bool {
	for _, a := range args {
		if a.Type().Carries() {
			return true
		}
	}
	return false
}

// DirectQuotient divides to the scale of t directly if e is a division that carries more digits and
// t holds the digits before the point: truncating and then rounding has the same result as
// rounding.
func DirectQuotient(e Expr, t types.Type) Expr {
	c, ok := e.(*Call)
	if !ok || c.Fn != FuncDiv || t.ID != types.Decimal || !c.T.Carries() || t.Scale >= c.T.Scale || t.WholeDigits() < c.T.WholeDigits() {
		return nil
	}
	q := *c
	q.T = t
	return &q
}

// Mean divides a sum that is not a column, and may carry more digits than columns do, by a count. The
// quotient is shown as their average, which has type t as a column.
func Mean(sum, count Expr, t types.Type) Expr {
	e, err := NewQuotient([]Expr{sum, count}, meanIncrement(t, sum.Type()), -1)
	if err != nil {
		return nil
	}
	q := *e.(*Call)
	q.T = t.Shown().Carrying(int(q.T.Scale))
	return &q
}

// Average divides a sum by a count and returns the quotient as the type t of their average, or nil if
// the quotient has too few digits.
func Average(sum, count Expr, t types.Type) Expr {
	e, err := NewQuotient([]Expr{sum, count}, meanIncrement(t, sum.Type()), -1)
	if err != nil {
		return nil
	}
	c, ok := e.(*Call)
	if !ok || c.T.Kind() != t.Kind() || c.T.Scale < t.Scale || t.Carries() && t.Scale != c.T.Scale {
		return nil
	}
	q := *c
	q.T = t
	return &q
}
