package sqlgen

// hexNumber returns an integer made of hexadecimal and bit literals: in places where they are numbers, and behind
// columns of derived tables that are merged, which are numbers, or are not, which are texts.
func hexNumber(g *Gen, e func(Kind) *Node) *Node {
	x, y := one(g, "0x41", "0x0102", "b'1000001'", "0x00"), one(g, "0x41", "0x7A", "b'11'")
	switch g.R.IntN(8) {
	case 0:
		return N(Int, "((SELECT "+x+") + $)", e(Int))
	case 1:
		return N(Int, "(IF($, "+x+", "+y+") + 0)", e(Bool))
	case 2:
		return N(Int, "(COALESCE(CASE WHEN $ THEN "+x+" END, "+y+") + 0)", e(Bool))
	case 3:
		return N(Int, "("+one(g, "65", "0", "258")+" IN (SELECT "+x+"))")
	case 4:
		return N(Int, "(SELECT h.x + 0 FROM (SELECT "+x+" AS x) h)")
	case 5:
		return N(Int, "(SELECT SUM(h.x + $) FROM (SELECT "+x+" AS x FROM (SELECT 1 AS n) o) h)", e(Int))
	case 6:
		return N(Int, "(SELECT h.x + 0 FROM (SELECT "+one(g, "DISTINCT ", "")+"IF(o.n, "+x+", "+y+") AS x FROM (SELECT 1 AS n) o) h)")
	}
	return N(Int, "($ + "+x+")", e(Int))
}

// ofOuter returns an aggregate over the rows of a subquery of aggregates of the query around it.
func ofOuter(g *Gen, sc *scope) *Node {
	c := g.column(Int, &scope{rels: sc.rels})
	if c == nil {
		return N(Int, "COUNT(*)")
	}
	of := N(Int, one(g, "MAX", "MIN", "COUNT", "MAX")+"($)", c)
	if g.oneIn(3) {
		of = N(Int, "($ + $)", of, one(g, N(Int, "1"), N(Int, "w.n"), N(Int, "MIN($)", c.Clone())))
	}
	return N(Int, "(SELECT "+one(g, "SUM", "MAX", "COUNT")+"($) FROM (SELECT 1 AS n UNION ALL SELECT 2) w)", of)
}
