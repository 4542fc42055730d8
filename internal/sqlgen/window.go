package sqlgen

import "fmt"

// window makes a window function of a kind. Functions that count rows or pick one stand
// over total orders; where sc has none, only those that treat peers alike are drawn.
func (g *Gen) window(kind Kind, sc *scope) *Node {
	local := &scope{rels: sc.rels}
	total := local.keyed()
	partition := opt("PARTITION BY $ ", g.key(local, Int, Str, Date, Ci))
	if g.oneIn(2) {
		partition.Off = true
	}
	order := N("", "ORDER BY $"+one(g, "", " DESC"), g.key(local, Int, Dec, Str, Date, Ci))
	frame := opt(" RANGE " + one(g, "UNBOUNDED PRECEDING", "BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", "BETWEEN CURRENT ROW AND CURRENT ROW"))
	if total && g.oneIn(2) {
		order = N("", "ORDER BY $, $", g.key(local, Int, Dec, Str, Date), g.total(local))
		frame = opt(" ROWS "+g.frame(), nil...)
		if row := rowFunction(g, kind, local); row != nil && g.oneIn(2) {
			return N(kind, "$ OVER ($$)", row, partition, order)
		}
	} else if g.oneIn(4) {
		order = N("", "ORDER BY $"+one(g, "", " DESC"), g.key(local, Int, Dec))
		frame = opt(fmt.Sprintf(" RANGE BETWEEN %d PRECEDING AND %s", g.R.IntN(3), one(g, "CURRENT ROW", "1 FOLLOWING", "3 FOLLOWING", "UNBOUNDED FOLLOWING")))
	} else if g.Dialect.Groups && g.oneIn(3) {
		frame = opt(" GROUPS " + g.frame())
	}
	e := g.expr(kind, local, 0)
	var fn *Node
	switch {
	case kind == Int && g.oneIn(3):
		return N(Int, one(g, "RANK()", "DENSE_RANK()", "COUNT(*)")+" OVER ($$)", partition, order)
	case kind == Float && g.oneIn(3):
		return N(Float, one(g, "PERCENT_RANK()", "CUME_DIST()")+" OVER ($$)", partition, order)
	case kind == Int:
		fn = N(Int, "COUNT($)", e)
	case kind == Dec || kind == Float:
		fn = N(kind, one(g, "SUM", "AVG", "MIN", "MAX")+"($)", e)
	default:
		fn = N(kind, one(g, "MIN", "MAX")+"($)", e)
	}
	return N(kind, "$ OVER ($$$)", fn, partition, order, frame)
}

// frame returns bounds that count.
func (g *Gen) frame() string {
	return fmt.Sprintf("BETWEEN %d PRECEDING AND %s", g.R.IntN(3), one(g, "CURRENT ROW", "1 FOLLOWING", "2 FOLLOWING", "UNBOUNDED FOLLOWING"))
}

// rowFunction is a function that depends on the order of single rows, or nil.
func rowFunction(g *Gen, kind Kind, sc *scope) *Node {
	e := g.expr(kind, sc, 0)
	switch {
	case kind == Int && g.oneIn(2):
		return N(Int, one(g, "ROW_NUMBER()", "NTILE(3)"))
	case g.oneIn(2):
		return N(kind, one(g, "LAG", "LEAD")+"($, "+one(g, "0", "1", "2")+")", e)
	}
	if g.oneIn(3) {
		return N(kind, "NTH_VALUE($, "+one(g, "1", "2")+")", e)
	}
	return N(kind, one(g, "FIRST_VALUE", "LAST_VALUE")+"($)", e)
}
