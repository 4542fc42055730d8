package expr

import (
	"fmt"
	"strings"

	"gsql/sql/sqlerr"
)

// String implements Expr.
func (c *Col) String() string { return c.Name }

// String implements Expr.
func (c *Const) String() string {
	d := c.Value
	d.Str = sqlerr.Cut(d.Str, maxShown)
	return d.SQL()
}

// maxShown is the length in bytes from which the texts of constants are cut: EXPLAIN and messages
// need not show a whole value.
const maxShown = 1 << 10

// String implements Expr.
func (p *Param) String() string { return "$" + p.Name }

// String implements Expr.
func (s *Subquery) String() string {
	name := [...]string{"scalar", "exists", "in", "any", "all"}[s.Kind]
	if s.Neg {
		name = "not " + name
	}
	return name + "(subquery)"
}

// infix lists the functions written between their two arguments.
var infix = map[FuncID]bool{
	FuncAdd: true, FuncSub: true, FuncMul: true, FuncDiv: true, FuncMod: true, FuncIntDiv: true, FuncEQ: true, FuncNE: true, FuncLT: true, FuncLE: true,
	FuncGT: true, FuncGE: true, FuncNullSafeEQ: true, FuncAnd: true, FuncOr: true, FuncXor: true, FuncLike: true, FuncRegexp: true,
	FuncBitAnd: true, FuncBitOr: true, FuncBitXor: true, FuncShiftLeft: true, FuncShiftRight: true,
}

// String implements Expr.
func (c *Call) String() string {
	switch {
	case c.Fn == FuncDiv:
		return operand(c.Args[0]) + " / " + operand(c.Args[1])
	case infix[c.Fn] && len(c.Args) >= 2:
		parts := make([]string, len(c.Args))
		for i, a := range c.Args {
			parts[i] = operand(a)
		}
		return strings.Join(parts, " "+strings.ToUpper(string(c.Fn))+" ")
	case c.Fn == FuncCast || c.Fn == FuncAssign || c.Fn == FuncFit:
		return fmt.Sprintf("CAST(%s AS %s)", c.Args[0], strings.ToUpper(c.T.String()))
	case c.Fn == FuncIsNull:
		return operand(c.Args[0]) + " IS NULL"
	case c.Fn == FuncNot:
		return "NOT " + operand(c.Args[0])
	case c.Fn == FuncNeg:
		return "-" + operand(c.Args[0])
	case c.Fn == FuncIn:
		return fmt.Sprintf("%s IN (%s)", operand(c.Args[0]), list(c.Args[1:]))
	case c.Fn == FuncCase:
		return c.caseString()
	}
	return fmt.Sprintf("%s(%s)", strings.ToUpper(string(c.Fn)), list(c.Args))
}

// caseString writes CASE. The arguments are pairs of a condition and a value, followed by the ELSE
// value if their number is odd.
func (c *Call) caseString() string {
	var b strings.Builder
	b.WriteString("CASE")
	i := 0
	for ; i+1 < len(c.Args); i += 2 {
		fmt.Fprintf(&b, " WHEN %s THEN %s", c.Args[i], c.Args[i+1])
	}
	if i < len(c.Args) {
		fmt.Fprintf(&b, " ELSE %s", c.Args[i])
	}
	b.WriteString(" END")
	return b.String()
}

func operand(e Expr) string {
	if c, ok := e.(*Call); ok && (infix[c.Fn] || c.Fn == FuncNot || c.Fn == FuncIn || c.Fn == FuncIsNull) {
		return "(" + c.String() + ")"
	}
	return e.String()
}

func list(es []Expr) string {
	parts := make([]string, len(es))
	for i, e := range es {
		parts[i] = e.String()
	}
	return strings.Join(parts, ", ")
}

var aggNames = [...]string{
	CountStar: "COUNT", Count: "COUNT", Sum: "SUM", Avg: "AVG", Min: "MIN", Max: "MAX", GroupConcat: "GROUP_CONCAT",
	StddevPop: "STDDEV_POP", StddevSamp: "STDDEV_SAMP", VarPop: "VAR_POP", VarSamp: "VAR_SAMP",
	BitAnd: "BIT_AND", BitOr: "BIT_OR", BitXor: "BIT_XOR", First: "ANY_VALUE",
	JSONArrayAgg: "JSON_ARRAYAGG", JSONObjectAgg: "JSON_OBJECTAGG", Median: "MEDIAN",
}

// String returns the function's SQL name.
func (f AggFn) String() string { return aggNames[f] }

// String writes the aggregate as EXPLAIN shows it.
func (a *Agg) String() string {
	if a.Fn == CountStar {
		return "COUNT(*)"
	}
	distinct := ""
	if a.Distinct {
		distinct = "DISTINCT "
	}
	return fmt.Sprintf("%s(%s%s)", a.Fn, distinct, list(a.Args))
}

// String writes the key as in ORDER BY.
func (k SortKey) String() string {
	if k.Desc {
		return k.Expr.String() + " DESC"
	}
	return k.Expr.String()
}
