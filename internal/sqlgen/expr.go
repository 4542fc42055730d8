package sqlgen

import "fmt"

// Dialect specifies the features of a server that runs the statements.
type Dialect struct {
	Full     bool // FULL JOIN
	Lateral  bool // LATERAL derived tables, outer columns in other derived tables
	Rollup   bool // WITH ROLLUP
	Groups   bool // GROUPS frames
	Windows  bool
	Grouping bool // GROUPING()
	MariaDB  bool // avoid what MariaDB answers differently from MySQL, or wrongly

	Quotients  bool // many quotients and averages, nested in each other
	Recursive  bool // WITH RECURSIVE
	JSON       bool // functions of JSON
	Upsert     bool // INSERT ... ON DUPLICATE KEY UPDATE
	MultiTable bool // UPDATE and DELETE of joins
}

// All is a dialect with everything that gsql supports.
var All = Dialect{Full: true, Lateral: true, Rollup: true, Groups: true, Windows: true, Grouping: true, Upsert: true, MultiTable: true, Recursive: true, JSON: true}

// Gen generates statements over Tables. It is not safe for concurrent use.
type Gen struct {
	R       Rand
	Tables  []*Table
	Dialect Dialect

	aliases int
	ctes    []*relation
}

// Rand is the source of a Gen's random numbers: math/rand/v2's *Rand.
type Rand interface {
	IntN(n int) int
}

// relation is something in FROM: a table, a derived table or a common table expression.
type relation struct {
	name string
	cols []Column
	key  []string // columns that identify its rows; nil if there are none

	lateral bool
}

// scope is the FROM clause that an expression sees, and the enclosing ones.
type scope struct {
	rels  []*relation
	outer *scope

	present *relation // one that has values in all rows so far, or nil
	full    *fullJoin // the FULL JOIN in it, or nil where there are none or it cannot be taken apart
}

// fullJoin is a FULL JOIN: the position of its word, and a column of its left side that is NULL in
// rows that come only from the right side.
type fullJoin struct {
	word   *Node
	column string
}

// one draws one of its arguments.
func one[T any](g *Gen, from ...T) T { return from[g.R.IntN(len(from))] }

// oneIn is true with probability 1/n.
func (g *Gen) oneIn(n int) bool { return g.R.IntN(n) == 0 }

func (g *Gen) alias() string {
	g.aliases++
	return fmt.Sprintf("x%d", g.aliases)
}

// column returns a column of the kind in sc, or nil; sometimes one of an outer scope.
func (g *Gen) column(kind Kind, sc *scope) *Node {
	if sc.outer != nil && (len(sc.rels) == 0 || g.oneIn(4)) {
		return g.column(kind, sc.outer)
	}
	var found []string
	for _, r := range sc.rels {
		for _, c := range r.cols {
			if c.Kind == kind {
				found = append(found, r.name+"."+c.Name)
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	return N(kind, one(g, found...))
}

var quotientKinds = []Kind{Int, Dec, Dec, Dec, Dec, Dec, Float, Str}

var valueKinds = []Kind{Int, Int, Int, Uint, Dec, Float, Str, Str, Date, DateTime, Time}

// anyKind draws a kind of values.
func anyKind(g *Gen) Kind {
	if g.Dialect.Quotients {
		return one(g, quotientKinds...)
	}
	return one(g, valueKinds...)
}

// comparedKind draws a kind of compared values.
func comparedKind(g *Gen) Kind {
	if g.oneIn(8) {
		return Ci
	}
	return anyKind(g)
}

// expr returns a random expression of a kind, at most depth operators deep.
func (g *Gen) expr(kind Kind, sc *scope, depth int) *Node {
	if kind == Bool {
		return g.predicate(sc, depth)
	}
	if depth <= 0 || g.oneIn(4) {
		if c := g.column(kind, sc); c != nil && !g.oneIn(6) {
			return c
		}
		if g.oneIn(12) {
			return null(g, kind)
		}
		return N(kind, literalOf(g, kind))
	}
	if g.oneIn(4) && !(kind == Dec && g.Dialect.Quotients) { // MariaDB's conditionals have fewer digits
		return general(g, kind, sc, depth-1)
	}
	if kind != Ci && g.oneIn(4) {
		return other(g, kind, sc, depth-1)
	}
	e := func(k Kind) *Node { return g.expr(k, sc, depth-1) }
	switch kind {
	case Int:
		return intExpr(g, e)
	case Uint:
		return one(g, func() *Node { return N(Uint, "($ + $)", e(Uint), e(Uint)) }, func() *Node { return N(Uint, "($ & $)", e(Int), N(Int, "255")) },
			func() *Node { return N(Uint, "CAST(ABS($) AS UNSIGNED)", e(Int)) }, func() *Node { return N(Uint, "($ | $)", e(Uint), N(Int, "4")) })()
	case Dec:
		return decExpr(g, e)
	case Float:
		return floatExpr(g, e)
	case Str:
		return stringExpr(g, e)
	case Ci:
		if g.oneIn(2) {
			return N(Ci, one(g, "CONCAT($, $)", "COALESCE($, $)", "REPLACE($, 'a', $)"), e(Ci), e(Ci))
		}
		return N(Ci, one(g, "LEFT($, 1)", "REVERSE($)", "UPPER($)", "LOWER($)"), e(Ci))
	}
	return timeExpr(g, kind, e)
}

func literalOf(g *Gen, kind Kind) string { return literal(g.R, kind) }

// null is NULL with a type.
func null(g *Gen, kind Kind) *Node {
	if kind == Ci { // without the collation of CAST
		return N(kind, "NULLIF('a', 'a')")
	}
	types := map[Kind]string{Int: "SIGNED", Uint: "UNSIGNED", Dec: "DECIMAL(8,2)", Float: "DOUBLE", Str: "CHAR", Date: "DATE", DateTime: "DATETIME", Time: "TIME"}
	return N(kind, "CAST(NULL AS "+types[kind]+")")
}

// general returns an expression of a form that any kind can have.
func general(g *Gen, kind Kind, sc *scope, depth int) *Node {
	e := func() *Node { return g.expr(kind, sc, depth) }
	switch g.R.IntN(7) {
	case 0:
		return N(kind, "COALESCE($, $)", e(), e())
	case 1:
		return N(kind, "IF($, $, $)", g.predicate(sc, depth), e(), e())
	case 2:
		return N(kind, "CASE WHEN $ THEN $$ END", g.predicate(sc, depth), e(), opt(" ELSE $", e()))
	case 3:
		when := one(g, Int, Str)
		return N(kind, "CASE $ WHEN $ THEN $ WHEN $ THEN $ ELSE $ END", g.expr(when, sc, depth), N(when, literalOf(g, when)), e(),
			g.expr(when, sc, 0), e(), e())
	case 4:
		return N(kind, "NULLIF($, $)", e(), e())
	case 5:
		return N(kind, one(g, "GREATEST", "LEAST")+"($, $)", e(), e())
	}
	return scalarSubquery(g, kind, sc)
}

func intExpr(g *Gen, e func(Kind) *Node) *Node {
	switch g.R.IntN(16) {
	case 0, 1, 2:
		return N(Int, "($ "+one(g, "+", "-", "*")+" $)", e(Int), e(Int))
	case 3:
		return N(Int, "($ "+one(g, "DIV", "%")+" $)", e(Int), e(Int))
	case 4:
		return N(Int, one(g, "ABS($)", "SIGN($)", "(-$)", "(0 + $)"), e(Int))
	case 5:
		return N(Int, one(g, "CHAR_LENGTH($)", "LENGTH($)", "ASCII($)", "CAST($ AS SIGNED)"), e(Str))
	case 6:
		return N(Int, one(g, "YEAR($)", "MONTH($)", "DAYOFMONTH($)", "DAYOFWEEK($)", "QUARTER($)", "DAYOFYEAR($)", "TO_DAYS($)", "WEEKDAY($)", "WEEK($, 3)", "EXTRACT(YEAR_MONTH FROM $)"), e(Date))
	case 7:
		return N(Int, "DATEDIFF($, $)", e(Date), e(Date))
	case 8:
		return N(Int, one(g, "(0 + HOUR($))", "MINUTE($)", "SECOND($)"), e(one(g, DateTime, Time)))
	case 9:
		return N(Int, "TIMESTAMPDIFF("+one(g, "DAY", "MONTH", "HOUR", "YEAR", "SECOND", "WEEK")+", $, $)", e(one(g, Date, DateTime)), e(one(g, Date, DateTime)))
	case 10:
		return N(Int, one(g, "INSTR", "LOCATE", "STRCMP", "FIND_IN_SET")+"($, $)", e(Str), e(Str))
	case 11:
		return N(Int, one(g, "FLOOR($)", "CEILING($)", "CAST($ AS SIGNED)", "SIGN($)"), e(Dec))
	case 12:
		return N(Int, "($)", e(Bool))
	case 13:
		return N(Int, "TIME_TO_SEC($)", e(Time))
	case 14:
		return hexNumber(g, e)
	}
	if g.Dialect.MariaDB { // regards functions that are not NULL for a NULL argument as such that are
		return N(Int, "($ & 7)", e(Int))
	}
	return one(g, N(Int, "INTERVAL($, -1, 2, 5)", e(Int)), N(Int, "FIELD($, $, $)", e(Int), e(Int), e(Int)))
}

func decExpr(g *Gen, e func(Kind) *Node) *Node {
	if g.Dialect.Quotients && !g.oneIn(3) {
		return ofQuotients(g, e)
	}
	switch g.R.IntN(12) {
	case 9, 10, 11:
		return quotient(g, e)
	case 0, 1:
		return N(Dec, "($ "+one(g, "+", "-")+" $)", e(Dec), e(one(g, Dec, Int, Uint)))
	case 2:
		return N(Dec, "($ * $)", e(one(g, Dec, Int)), N(Dec, literalOf(g, Dec)))
	case 3, 4:
		return N(Dec, one(g, "ROUND", "TRUNCATE")+"(CAST($ AS DECIMAL(16,2)), "+one(g, "0", "1", "2", "-1")+")", e(Dec))
	case 5:
		return N(Dec, "CAST($ AS DECIMAL("+one(g, "12,3", "10,1", "14,0")+"))", e(one(g, Dec, Int, Str)))
	case 6:
		return N(Dec, one(g, "ABS($)", "(-$)"), e(Dec))
	case 7:
		if !g.Dialect.MariaDB { // has a negative zero
			return N(Dec, "($ % $)", e(Dec), e(one(g, Dec, Int)))
		}
	}
	return N(Dec, "IFNULL($, $)", e(Dec), e(Int))
}

func floatExpr(g *Gen, e func(Kind) *Node) *Node {
	switch g.R.IntN(6) {
	case 0, 1:
		return N(Float, "($ "+one(g, "+", "-", "*")+" $)", e(Float), e(one(g, Float, Int, Dec)))
	case 2:
		return N(Float, "($ / $)", e(Float), N(Int, one(g, "2", "4", "-8", "0")))
	case 3:
		return N(Float, one(g, "ABS($)", "(-$)"), e(Float))
	case 4:
		return N(Float, "CAST($ AS DOUBLE)", e(one(g, Int, Dec)))
	}
	return N(Float, "SQRT($)", e(one(g, Int, Float)))
}

func stringExpr(g *Gen, e func(Kind) *Node) *Node {
	switch g.R.IntN(13) {
	case 12:
		return upper(e(Ci))
	case 0, 1:
		return N(Str, "CONCAT($, $)", e(Str), e(one(g, Str, Int, Dec, Date)))
	case 2:
		return N(Str, one(g, "UPPER($)", "LOWER($)", "REVERSE($)", "TRIM($)", "LTRIM($)", "HEX($)", "QUOTE($)", "RTRIM($)", "TRIM(LEADING 'a' FROM $)"), e(Str))
	case 3:
		return N(Str, "SUBSTRING($, $$)", e(Str), N(Int, one(g, "1", "2", "0", "-2", "-1")), opt(", $", N(Int, one(g, "1", "2", "0", "-1"))))
	case 4:
		return N(Str, one(g, "LEFT", "RIGHT", "REPEAT")+"($, "+one(g, "0", "1", "2", "3")+")", e(Str))
	case 5:
		return N(Str, "REPLACE($, $, $)", e(Str), e(Str), N(Str, literalOf(g, Str)))
	case 6:
		return N(Str, one(g, "LPAD", "RPAD")+"($, "+one(g, "0", "3", "5")+", "+one(g, "'x'", "'ab'", "'é'")+")", e(Str))
	case 7:
		return N(Str, "CAST($ AS CHAR)", e(one(g, Int, Dec, Date, DateTime, Time, Uint)))
	case 8:
		return N(Str, "DATE_FORMAT($, "+one(g, "'%Y-%m-%d'", "'%W %M %e %Y'", "'%H:%i:%s'", "'%j %U %a'", "'%x-%v'")+")", e(one(g, Date, DateTime)))
	case 9:
		return N(Str, "CONCAT_WS($, $, $)", e(Str), e(Str), e(one(g, Str, Int)))
	case 10:
		return N(Str, "SUBSTRING_INDEX($, $, "+one(g, "1", "-1", "2")+")", e(Str), e(Str))
	}
	return N(Str, one(g, "DAYNAME($)", "MONTHNAME($)"), e(Date))
}

// upper shows a text that compares without case.
func upper(e *Node) *Node { return N(Str, "(UPPER($) COLLATE utf8mb4_bin)", e) }

func timeExpr(g *Gen, kind Kind, e func(Kind) *Node) *Node {
	sign := one(g, "+", "-")
	switch kind {
	case Date:
		switch g.R.IntN(4) {
		case 0:
			return N(Date, "LAST_DAY($)", e(one(g, Date, DateTime)))
		case 1:
			return N(Date, one(g, "DATE($)", "CAST($ AS DATE)"), e(DateTime))
		}
		return N(Date, "($ "+sign+" INTERVAL $ "+one(g, "DAY", "MONTH", "YEAR", "WEEK", "QUARTER")+")", e(Date), e(Int))
	case DateTime:
		switch g.R.IntN(4) {
		case 0:
			return N(DateTime, one(g, "TIMESTAMP($)", "CAST($ AS DATETIME)"), e(Date))
		case 1:
			return N(DateTime, "TIMESTAMP($, $)", e(Date), e(Time))
		}
		if g.oneIn(3) {
			return N(DateTime, "($ "+sign+" INTERVAL $ "+one(g, "HOUR", "MINUTE", "SECOND")+")", e(Date), e(Int))
		}
		return N(DateTime, "($ "+sign+" INTERVAL $ "+one(g, "DAY", "MONTH", "HOUR", "MINUTE", "SECOND")+")", e(DateTime), e(Int))
	}
	switch g.R.IntN(4) {
	case 0:
		return N(Time, one(g, "TIME($)", "CAST($ AS TIME)"), e(DateTime))
	case 1:
		return N(Time, one(g, "ADDTIME($, $)", "SUBTIME($, $)", "TIMEDIFF($, $)"), e(Time), e(Time))
	case 2:
		return N(Time, "TIMEDIFF($, $)", e(DateTime), e(DateTime))
	}
	return N(Time, "SEC_TO_TIME($)", e(Int))
}
