package sqlgen

import "fmt"

// table draws a table or a common table expression, with an alias.
func (g *Gen) table() (*Node, *relation) {
	alias := g.alias()
	if len(g.ctes) > 0 && g.oneIn(3) {
		cte := one(g, g.ctes...)
		return N(relations, cte.name+" AS "+alias), &relation{name: alias, cols: cte.cols, key: cte.key}
	}
	t := one(g, g.Tables...)
	return N(relations, t.Name+" AS "+alias), &relation{name: alias, cols: t.Cols, key: []string{"id"}}
}

// from returns a FROM clause of up to four relations. Derived tables are depth deep.
func (g *Gen) from(outer *scope, depth int) (*Node, *scope) {
	node, rel := g.relation(depth, nil)
	sc := &scope{rels: []*relation{rel}, outer: outer, present: rel}
	for range one(g, 0, 0, 1, 1, 1, 2, 3) {
		node = g.join(node, sc, depth)
	}
	return node, sc
}

// relation returns a table or a derived table; left is what a LATERAL one may refer to.
func (g *Gen) relation(depth int, left *scope) (*Node, *relation) {
	if depth < 2 || !g.oneIn(5) {
		return g.table()
	}
	rel := &relation{name: g.alias()}
	lateral := ""
	if left != nil && g.Dialect.Lateral && g.oneIn(2) {
		lateral, rel.lateral = "LATERAL ", true
	} else {
		left = nil
	}
	b := g.block(left, depth-1, nil)
	for i, item := range b.Items {
		rel.cols = append(rel.cols, Column{Name: fmt.Sprintf("c%d", i), Kind: item.Kind})
	}
	return N(relations, lateral+"($) AS "+rel.name, b.Node()), rel
}

// join adds a relation to node and sc.
func (g *Gen) join(node *Node, sc *scope, depth int) *Node {
	left := &scope{rels: sc.rels}
	right, rel := g.relation(depth, left)
	old := sc.rels
	sc.rels = append(append([]*relation{}, old...), rel)
	kind := one(g, " JOIN ", " JOIN ", " LEFT JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " CROSS JOIN ", " STRAIGHT_JOIN ")
	if g.Dialect.Full && g.oneIn(5) {
		kind = " FULL JOIN "
	}
	if rel.lateral && (kind == " RIGHT JOIN " || kind == " FULL JOIN ") {
		kind = " LEFT JOIN "
	}
	if kind == " CROSS JOIN " {
		return N(relations, "$"+kind+"$", node, right)
	}
	word := N("", kind)
	sc.joined(kind, word, rel)
	on := g.joinCondition(&scope{rels: old}, &scope{rels: sc.rels[len(old):]})
	if g.oneIn(4) {
		on = N(Bool, "($ AND $)", on, g.predicate(&scope{rels: sc.rels}, 1))
	}
	return N(relations, "$$$ ON $", node, word, right, on)
}

// joined records what a join means for the rows of the relations before it.
func (sc *scope) joined(kind string, word *Node, right *relation) {
	switch kind {
	case " RIGHT JOIN ":
		sc.present, sc.full = right, nil
	case " FULL JOIN ":
		first := sc.full == nil
		if sc.full = nil; first && sc.present != nil && sc.present.key != nil {
			sc.full = &fullJoin{word, sc.present.name + "." + sc.present.key[0]}
		}
		sc.present = nil
	}
}

// joinCondition compares columns of both sides.
func (g *Gen) joinCondition(left, right *scope) *Node {
	e := g.columnOrLiteral
	kind := one(g, Int, Int, Str, Ci, Dec, Float, Date, DateTime, Uint)
	op := one(g, "=", "=", "=", "=", "<=>", "<", ">=", "<>")
	switch g.R.IntN(8) {
	case 0:
		return N(Bool, "($ BETWEEN $ - 2 AND $ + 2)", e(Int, right), e(Int, left), e(Int, left))
	case 7:
		return g.band(left, right)
	case 1:
		return N(Bool, "($ "+op+" $)", e(one(g, Int, Dec, Float, Uint), left), e(one(g, Int, Dec, Float), right))
	case 2:
		return N(Bool, "($ = $ AND $ = $)", e(kind, left), e(kind, right), e(Int, left), e(Int, right))
	case 3:
		return g.predicate(&scope{rels: append(append([]*relation{}, left.rels...), right.rels...)}, 1)
	}
	return N(Bool, "($ "+op+" $)", e(kind, left), e(kind, right))
}

func (g *Gen) columnOrLiteral(k Kind, sc *scope) *Node {
	if c := g.column(k, sc); c != nil {
		return c
	}
	return N(k, literalOf(g, k))
}

// band bounds a difference or a sum of columns of both sides.
func (g *Gen) band(left, right *scope) *Node {
	kinds := []Kind{Int, Int, Dec, Dec, Float}
	a, b := g.columnOrLiteral(one(g, kinds...), left), g.columnOrLiteral(one(g, kinds...), right)
	bound := func() *Node { return N("", one(g, "0", "1", "2", "3.5", "-1", "0.25", "1e0")) }
	op := one(g, "<", "<=", ">", ">=", "=", "<>")
	if g.oneIn(3) {
		times := []Kind{Date, DateTime, DateTime}
		unit := one(g, "SECOND", "MINUTE", "HOUR", "DAY", "DAY", "WEEK", "MONTH")
		a, b = N(Int, "TIMESTAMPDIFF("+unit+", $, $)", g.columnOrLiteral(one(g, times...), left), g.columnOrLiteral(one(g, times...), right)), g.columnOrLiteral(Int, one(g, left, right))
		if g.oneIn(2) {
			b = N(Int, one(g, "0", "1", "-2"))
		}
		return N(Bool, one(g, "($ "+op+" $)", "(ABS($) <= $)"), a, b)
	}
	switch g.R.IntN(5) {
	case 0:
		return N(Bool, "(ABS($ - $) "+one(g, "<", "<=")+" $)", a, b, bound())
	case 1:
		return N(Bool, "($ - $ BETWEEN $ AND $)", a, b, bound(), bound())
	case 2:
		return N(Bool, "(2 * $ - 1.5 * $ "+op+" $)", a, b, bound())
	case 3:
		return N(Bool, "($ + $ "+op+" $)", a, b, g.columnOrLiteral(one(g, kinds...), one(g, left, right)))
	}
	return N(Bool, "($ - $ "+op+" $)", a, b, bound())
}

// key returns an expression to group, partition or order by: a column, or an expression that is not
// a constant, since an integer would be the number of a column.
func (g *Gen) key(sc *scope, kinds ...Kind) *Node {
	kind := one(g, kinds...)
	if c := g.column(kind, &scope{rels: sc.rels}); c != nil {
		return c
	}
	return N(kind, "COALESCE($, $)", N(kind, literalOf(g, kind)), N(kind, literalOf(g, kind)))
}
