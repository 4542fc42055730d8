package sqlgen

import (
	"fmt"
	"strings"
)

// Query is a whole query.
type Query struct {
	*Node
	Ordered bool // the order of rows is total, except for equal rows
}

// Query returns a random query: a block, a set operation or one with common table expressions,
// sometimes with ORDER BY and LIMIT.
func (g *Gen) Query() Query {
	g.aliases, g.ctes = 0, nil
	with := N("", "")
	if g.oneIn(6) {
		with = g.with()
	}
	combined := g.oneIn(7)
	first := g.block(nil, 2, nil)
	body := first.Node()
	var kinds []Kind
	for _, item := range first.Items {
		kinds = append(kinds, item.Kind)
	}
	if combined {
		for range 1 + g.R.IntN(2) {
			op := one(g, " UNION ", " UNION ALL ", " EXCEPT ", " INTERSECT ", " UNION ALL ", " EXCEPT ALL ", " INTERSECT ALL ")
			body = N("", "$$", body, opt(op+"$", g.block(nil, 1, kinds).Node()))
		}
	}
	if g.oneIn(2) || first.Rollup {
		return Query{Node: N("", "$$", with, body)}
	}
	var keys []string
	for i := range kinds {
		keys = append(keys, fmt.Sprintf("%d%s", i+1, one(g, "", " DESC")))
	}
	limit := opt(fmt.Sprintf(" LIMIT %d", g.R.IntN(12)))
	if g.oneIn(3) {
		limit = opt(fmt.Sprintf(" LIMIT %d OFFSET %d", g.R.IntN(12), g.R.IntN(4)))
	}
	if g.oneIn(2) {
		limit.Off = true
	}
	return Query{Node: N("", "$$$$", with, body, N("", " ORDER BY "+strings.Join(keys, ", ")), limit), Ordered: true}
}

// with returns WITH clauses, the second of which may use the first.
func (g *Gen) with() *Node {
	defs := list(", ", 1)
	recursive := ""
	if g.Dialect.Recursive && g.oneIn(2) {
		recursive = "RECURSIVE "
		defs.Kids = append(defs.Kids, g.recursion())
	}
	for range 1 + g.R.IntN(2) {
		rel := &relation{name: fmt.Sprintf("w%d", len(g.ctes))}
		b := g.block(nil, 1, []Kind{Int, Str, anyKind(g)})
		for i, item := range b.Items {
			rel.cols = append(rel.cols, Column{Name: fmt.Sprintf("c%d", i), Kind: item.Kind})
		}
		g.ctes = append(g.ctes, rel)
		defs.Kids = append(defs.Kids, N("", rel.name+" AS ($)", b.Node()))
	}
	return N("", "WITH "+recursive+"$ ", defs)
}

// recursion returns a common table expression that counts up to a small number, over rows that it
// may join with a table at each step.
func (g *Gen) recursion() *Node {
	name := fmt.Sprintf("w%d", len(g.ctes))
	from, rel := g.table()
	start := N("", "SELECT $ AS c0, 1 AS c1 FROM $$", g.expr(Int, &scope{rels: []*relation{rel}}, 0), from, opt(" WHERE $", g.predicate(&scope{rels: []*relation{rel}}, 0)))
	step := N("", "SELECT r.c0 "+one(g, "+", "*", "-")+" 1, r.c1 + 1 FROM "+name+" AS r WHERE r.c1 < "+one(g, "2", "3", "5"))
	if g.oneIn(2) {
		other, second := g.table()
		step = N("", "SELECT "+second.name+"."+second.cols[0].Name+", r.c1 + 1 FROM "+name+" AS r JOIN $ ON r.c0 = $ WHERE r.c1 < 4", other,
			g.key(&scope{rels: []*relation{second}}, Int))
	}
	g.ctes = append(g.ctes, &relation{name: name, cols: []Column{{Name: "c0", Kind: Int}, {Name: "c1", Kind: Int}}})
	return N("", name+" AS ($ UNION"+one(g, "", " ALL")+" $)", start, step)
}
