package sqlgen

// longDecimals are columns whose quotients have more digits than those of the other columns.
var longDecimals = []Column{{"w", Dec, "DECIMAL(15,2)"}, {"p", Dec, "DECIMAL(14,7)"}, {"v", Dec, "DECIMAL(24,6) NOT NULL DEFAULT 0"}, {"z", Dec, "DECIMAL(9,0)"}}

// AddDecimals adds columns of decimals of various lengths to tables.
func AddDecimals(r Rand, tables []*Table) {
	for _, t := range tables {
		t.Cols = append(t.Cols[:len(t.Cols):len(t.Cols)], longDecimals...)
		for i := range t.Rows {
			for _, c := range longDecimals {
				x := pick(r, "NULL", "0", "1", "3", "-7.5", "1234567.89", "0.0000007", "-99999.99", "1000000", "12.345678", "0.01", "-3.14", "6")
				if x == "NULL" && c.notNull() || c.Name == "z" && len(x) > 2 {
					x = "9"
				}
				if c.Name == "w" && len(x) > 8 && x[0] == '0' {
					x = "0.07"
				}
				t.Rows[i] = append(t.Rows[i], x)
			}
		}
	}
}

// quotient divides by a constant or by a value that may be zero.
func quotient(g *Gen, e func(Kind) *Node) *Node {
	divisor := N(Int, one(g, "3", "7", "-2", "0", "4", "0.3", "1000000.00", "-0.0007"))
	if g.oneIn(2) {
		divisor = e(one(g, Int, Dec, Uint))
	}
	return N(Dec, "($ / $)", e(one(g, Dec, Int, Uint)), divisor)
}

// ofQuotients returns a decimal expression over quotients that shows or uses digits beyond those that
// a quotient alone shows.
func ofQuotients(g *Gen, e func(Kind) *Node) *Node {
	q := func() *Node { return quotient(g, e) }
	factor := N(Dec, one(g, "3", "7", "1000000", "1000000000", "0.3", "-33.3"))
	digits := one(g, "0", "2", "4", "8", "11", "-1")
	switch g.R.IntN(11) {
	case 0, 1:
		return N(Dec, "($ * $)", q(), factor)
	case 2:
		return N(Dec, "($ "+one(g, "+", "-", "*", "/")+" $)", q(), q())
	case 3:
		return N(Dec, "($ / $ * $)", q(), factor, e(one(g, Dec, Int)))
	case 4:
		return N(Dec, one(g, "ROUND", "TRUNCATE")+"($ * 1.00000000000, "+digits+")", q())
	case 5:
		return N(Dec, "CAST($ AS DECIMAL("+one(g, "30,12", "20,9", "12,3", "10,0", "25,15")+"))", q())
	case 6:
		return N(Dec, one(g, "ABS($)", "(-$)", "FLOOR($)", "CEILING($)"), q())
	case 7:
		return N(Dec, "($ * $ - $)", q(), factor, e(one(g, Dec, Int)))
	case 9:
		return asDouble(g, q(), e)
	case 8:
		return N(Dec, "IF($ "+one(g, "BETWEEN $ AND $ * 3", "IN ($, $)")+", 1.5, -2)", q(), e(Dec), e(one(g, Dec, Int)))
	}
	return q()
}

// asDouble compares a quotient with itself, or another value, as doubles.
func asDouble(g *Gen, q *Node, e func(Kind) *Node) *Node {
	other := N(Float, "($ "+one(g, "+ 0e0", "* 1e0", "- 1e-9")+")", q.Clone())
	if g.oneIn(4) {
		other = e(Float)
	}
	return N(Dec, "(0.5 * ($ "+g.comparison()+" $))", q, other)
}

// meanOf returns an aggregate of quotients, or an expression over aggregates that divides them.
func meanOf(g *Gen, e func(Kind) *Node) *Node {
	x := func() *Node { return e(one(g, Int, Dec, Dec, Uint)) }
	q := func() *Node { return quotient(g, e) }
	switch g.R.IntN(10) {
	case 8:
		return N(Dec, "CAST(ROUND(AVG("+one(g, "", "DISTINCT ")+"$) * 1e0, 8) AS DECIMAL(30,8))", x())
	case 9:
		of := x()
		return N(Dec, "(0.5 * (AVG($) "+g.comparison()+" SUM($) / (COUNT($) + 0e0)))", of, of.Clone(), of.Clone())
	case 0:
		return N(Dec, one(g, "SUM", "AVG", "MIN", "MAX")+"($)", q())
	case 1:
		return N(Dec, "($ * $)", N(Dec, one(g, "SUM", "AVG", "MIN", "MAX")+"($)", q()), N(Dec, one(g, "3", "1000000", "0.7")))
	case 2:
		return N(Dec, "(SUM($) / SUM($))", x(), x())
	case 3:
		return N(Dec, "(SUM($) / COUNT($))", x(), x())
	case 4:
		return N(Dec, "(AVG($) * $)", x(), N(Dec, one(g, "3", "1000000", "0.7")))
	case 5:
		return N(Dec, "(AVG($) / AVG($))", x(), x())
	case 6:
		return N(Dec, "(AVG("+one(g, "", "DISTINCT ")+"$) - $)", x(), N(Dec, "AVG($)", x()))
	}
	return N(Dec, one(g, "ROUND", "TRUNCATE")+"(AVG($) * 1.00000000000, "+one(g, "0", "2", "5", "9")+")", x())
}
