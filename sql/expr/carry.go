package expr

import "gsql/sql/types"

// Quotients carry digits as MySQL's decimals do. A decimal is kept in words of nine digits, and
// a division fills all words that its result begins: 1/3 is 0.333333333, though its type is
// DECIMAL(5,4). What is computed of it carries these digits on. They are dropped, with
// rounding, where the value is stored or shown, becomes text, is compared by =, <>, <, <=, >, >=
// or <=>, is grouped, sorted or made distinct by, or goes through a temporary table of MySQL's:
// the arguments of aggregates in a query with GROUP BY, and those of window functions. Shown
// does that. A comparison in BETWEEN, IN, FIELD and CASE x WHEN takes all digits, as Unrounded does.
//
// Where MySQL has 81 digits, 128 bits have 38. An operation whose operands allow so many digits
// before the point that the carried ones need not fit keeps at least scale surelyCarried, and
// sql/eval computes those rows without carrying whose values are too large for that. Columns
// between operators carry only what fits in any case.

// wordDigits are the digits that MySQL's decimals keep in a word.
const wordDigits = 9

// surelyCarried is the scale that a quotient keeps, if MySQL's has it, however many digits its
// operands allow before the point.
const surelyCarried = 2 * wordDigits

func wholeWords(digits int) int { return (digits + wordDigits - 1) / wordDigits * wordDigits }

// quotientScale is the scale of the words that MySQL computes of x / y, which ends without
// rounding.
func quotientScale(x, y types.Type) int { return QuotientScale(int(x.Scale), int(y.Scale)) }

// QuotientScale is the scale that MySQL computes a quotient of numbers with the given scales to.
func QuotientScale(x, y int) int {
	a, b := wholeWords(x), wholeWords(y)
	return wholeWords(a + b + max(0, divPrecisionIncrement-(a-x)-(b-y)))
}

// maxWords are the words of MySQL's decimals.
const maxWords = 9

// WordsAfterPoint is the number of digits after the point for which MySQL's decimals have words,
// with so many before it. It is negative if those are too many.
func WordsAfterPoint(before int) int { return maxWords*wordDigits - wholeWords(before) }

// CutsOff reports whether a quotient of so many digits after the point ends without rounding,
// as MySQL's do; with fewer digits it is rounded, because it is shown.
func CutsOff(quotient, x, y types.Type) bool {
	return quotient.Carries() || int(quotient.Scale) >= quotientScale(x, y)
}

// MeanCutsOff reports whether an average of values of the given scale ends without rounding.
func MeanCutsOff(mean types.Type, scale int) bool {
	return CutsOff(mean, types.Dec(types.MaxPrecision, scale), types.Dec(1, 0))
}

// within bounds a carried scale to what leaves room for all digits before the point.
func within(scale int, shown types.Type, least int) int {
	return min(scale, max(int(shown.Scale), least, types.MaxPrecision-shown.WholeDigits()), types.MaxScale)
}

func quotientType(x, y types.Type) types.Type {
	a := x.Shown() // y may be as small as its last digit, one that it carries included
	shown := types.Dec(int(a.Prec)+int(y.Scale)+divPrecisionIncrement, int(a.Scale)+divPrecisionIncrement)
	return shown.Carrying(within(quotientScale(x, y), shown, surelyCarried))
}

func productType(x, y types.Type) types.Type {
	a, b := x.Shown(), y.Shown()
	shown := types.Dec(int(a.Prec)+int(b.Prec), int(a.Scale)+int(b.Scale))
	if !x.Carries() && !y.Carries() {
		return shown
	}
	return shown.Carrying(within(int(x.Scale)+int(y.Scale), shown, surelyCarried))
}

// averageType is the type of the AVG of a DECIMAL: of its sum divided by a count.
func averageType(d types.Type) types.Type {
	a := d.Shown()
	shown := types.Dec(int(a.Prec)+divPrecisionIncrement, int(a.Scale)+divPrecisionIncrement)
	return shown.Carrying(within(quotientScale(d, types.Dec(1, 0)), shown, 0))
}

// Shown drops the digits that e carries beyond those that it is stored and shown with.
func Shown(e Expr) Expr { return Cast(e, e.Type().Shown()) }

// Unrounded makes the digits that e carries those of its type.
func Unrounded(e Expr) Expr {
	if t := e.Type(); t.Carries() {
		return Cast(e, t.Unrounded())
	}
	return e
}

// Bounded drops so many of the digits that e carries that all its values have at most the given
// number of digits, if its operands keep to their types.
func Bounded(e Expr, digits int) Expr {
	t := e.Type()
	if !t.Carries() {
		return e
	}
	return Cast(e, t.Shown().Carrying(min(int(t.Scale), digits-t.WholeDigits())))
}

// shownArguments drops the digits that arguments carry.
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

// DirectQuotient divides to the scale of t at once, if e is a division that carries more digits
// and t has room for those before the point: cutting off and then rounding is rounding.
func DirectQuotient(e Expr, t types.Type) Expr {
	c, ok := e.(*Call)
	if !ok || c.Fn != FuncDiv || t.ID != types.Decimal || !c.T.Carries() || t.Scale >= c.T.Scale || t.WholeDigits() < c.T.WholeDigits() {
		return nil
	}
	q := *c
	q.T = t
	return &q
}

// Average divides a sum by a count to the type of their average, and is nil where the quotient
// does not have its digits.
func Average(sum, count Expr, t types.Type) Expr {
	e, err := NewCall(FuncDiv, []Expr{sum, count}, -1)
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
