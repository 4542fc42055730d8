package expr

import "gsql/sql/types"

// FallsShort reports whether a part of e has more digits in MySQL than the scale of its type, and
// these digits may change those that e has. sql/eval computes such expressions with numbers of any size.
func FallsShort(e Expr) bool { return IsShort(e) && !isQuotient(e) }

// IsShort reports whether e falls short or has more digits itself in MySQL than its type.
func IsShort(e Expr) bool {
	_, short := mysqlScale(e)
	return short
}

// mysqlScale returns the number of digits after the point that MySQL computes for a number, and
// whether e falls short. It ignores that MySQL's decimals have at most maxWords words.
func mysqlScale(e Expr) (scale int, short bool) {
	c, ok := e.(*Call)
	if !ok {
		return int(e.Type().Scale), false
	}
	scales := make([]int, len(c.Args))
	for i, a := range c.Args {
		var within bool
		scales[i], within = mysqlScale(a)
		short = short || within && !roundsQuotient(c, a)
	}
	if c.T.ID != types.Decimal {
		return 0, short
	}
	scale = scaleOfCall(c, scales)
	if !c.T.Carries() && c.Fn != FuncCast {
		scale = min(scale, int(c.T.Scale))
	}
	return scale, short || c.T.Carries() && scale > int(c.T.Scale)
}

// scaleOfCall returns the digits that MySQL computes for a call whose arguments have the given scales.
func scaleOfCall(c *Call, scales []int) int {
	widest := 0
	for _, s := range scales {
		widest = max(widest, s)
	}
	switch c.Fn {
	case FuncDiv:
		return QuotientScale(scales[0], scales[1], Increment(c))
	case FuncMul:
		return scales[0] + scales[1]
	case FuncAdd, FuncSub, FuncMod, FuncNeg, FuncAbs, FuncGreatest, FuncLeast, FuncCase, FuncCoalesce:
		return widest
	case FuncCast:
		if c.T.Scale >= c.Args[0].Type().Scale {
			return max(scales[0], int(c.T.Scale))
		}
	}
	return int(c.T.Scale)
}

// roundsQuotient reports whether c rounds its argument a, which is a quotient: rounding looks at the
// first digit that it drops.
func roundsQuotient(c *Call, a Expr) bool {
	rounds := c.Fn == FuncCast || c.Fn == FuncRound || c.Fn == FuncTruncate
	return rounds && c.T.ID == types.Decimal && c.T.Scale < a.Type().Scale && isQuotient(a)
}

// isQuotient reports whether e divides numbers that have all their digits. The digits of such a
// quotient are correct, however few there are, because it is truncated.
func isQuotient(e Expr) bool {
	q, ok := e.(*Call)
	return ok && q.Fn == FuncDiv && !IsShort(q.Args[0]) && !IsShort(q.Args[1])
}
