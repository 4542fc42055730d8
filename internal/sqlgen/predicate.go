package sqlgen

import (
	"fmt"
	"slices"
)

// predicate returns a random condition on the columns of sc, with subqueries.
func (g *Gen) predicate(sc *scope, depth int) *Node {
	if depth > 0 && g.oneIn(2) {
		a, b := g.predicate(sc, depth-1), g.predicate(sc, depth-1)
		return one(g, func() *Node { return N(Bool, "($ AND $)", a, b) }, func() *Node { return N(Bool, "($ OR $)", a, b) },
			func() *Node { return N(Bool, "(NOT $)", a) }, func() *Node { return N(Bool, "($ XOR $)", a, b) },
			func() *Node { return N(Bool, "($ IS "+one(g, "", "NOT ")+one(g, "TRUE", "FALSE", "NULL")+")", a) })()
	}
	kind := comparedKind(g)
	e := func(k Kind) *Node { return g.expr(k, sc, min(depth, 1)) }
	not := one(g, "", "", "NOT ")
	switch g.R.IntN(15) {
	case 0:
		return N(Bool, "($ IS "+not+"NULL)", e(kind))
	case 1:
		return N(Bool, "($ "+not+"LIKE $)", e(one(g, Str, Ci)), N(Str, one(g, "'a%'", "'%b_'", "'_'", "'%'", "''", "'a\\_%'", "'%é%'")))
	case 2:
		return N(Bool, "($ "+not+"IN ($))", e(kind), list(", ", 1, e(kind), N(kind, literalOf(g, kind)), e(kind), opt2null(g, kind)))
	case 3:
		return N(Bool, "($ "+not+"BETWEEN $ AND $)", e(kind), e(kind), e(kind))
	case 4, 5:
		if depth > 0 && len(g.Tables) > 0 {
			return subqueryPredicate(g, kind, sc, not)
		}
	case 6:
		a, b := one(g, Int, Dec, Float, Uint), one(g, Int, Dec, Float)
		return N(Bool, "($ "+g.comparison()+" $)", e(a), e(b))
	case 7:
		if g.Dialect.MariaDB {
			break
		}
		return N(Bool, "(($, $) "+one(g, "=", "<>", "<=>", "<", ">=")+" ($, $))", e(kind), e(Int), e(kind), e(Int))
	case 8:
		return N(Bool, "($ "+g.comparison()+" $)", e(Date), e(DateTime))
	case 9, 10:
		return other(g, Bool, sc, min(depth, 1))
	case 11:
		return g.nullTest(sc)
	}
	return N(Bool, "($ "+g.comparison()+" $)", e(kind), e(kind))
}

// nullTest tests, in one of several forms, whether a column is NULL. It is usually one that is
// declared NOT NULL and that outer joins pad.
func (g *Gen) nullTest(sc *scope) *Node {
	var found []*Node
	for _, r := range sc.rels {
		for i := range r.cols {
			if c := &r.cols[i]; c.notNull() {
				found = append(found, N(c.Kind, r.name+"."+c.Name))
			}
		}
	}
	x := g.columnOrLiteral(comparedKind(g), sc)
	if len(found) > 0 && !g.oneIn(4) {
		x = one(g, found...)
	}
	literal := N(x.Kind, literalOf(g, x.Kind))
	switch g.R.IntN(6) {
	case 0:
		return N(Bool, "($ IS "+one(g, "", "NOT ")+"NULL)", x)
	case 1:
		return N(Bool, one(g, "ISNULL($)", "(NOT ISNULL($))"), x)
	case 2:
		return N(Bool, "(NOT $ <=> $)", x, g.columnOrLiteral(x.Kind, sc))
	case 3:
		return N(Bool, "(($ = $) IS "+one(g, "", "NOT ")+one(g, "TRUE", "FALSE", "NULL")+")", x, literal)
	case 4:
		return N(Bool, "(COALESCE($, $) = $)", x, literal, literal.Clone())
	}
	return N(Bool, "($ <=> NULL)", x)
}

// opt2null is a NULL in every second list.
func opt2null(g *Gen, kind Kind) *Node {
	if g.oneIn(2) {
		return N(kind, "NULL")
	}
	return null(g, kind)
}

func (g *Gen) comparison() string { return one(g, "=", "=", "=", "<", "<=", ">", ">=", "<>", "<=>") }

// subqueryPredicate compares with the result of a subquery; not is "" or "NOT ".
func subqueryPredicate(g *Gen, kind Kind, sc *scope, not string) *Node {
	left := g.expr(kind, sc, 0)
	switch g.R.IntN(5) {
	case 0:
		return N(Bool, "("+not+"EXISTS $)", wrapped(g, subquery(g, sc, kind)))
	case 1, 2:
		return N(Bool, "($ "+not+"IN $)", left, wrapped(g, subquery(g, sc, kind)))
	case 3:
		return N(Bool, "($ "+one(g, "=", "<>", "<", ">=")+" "+one(g, "ANY", "ALL")+" $)", left, wrapped(g, subquery(g, sc, kind)))
	}
	return N(Bool, "(($, $) "+not+"IN $)", left, g.expr(Int, sc, 0), wrapped(g, subquery(g, sc, kind, Int)))
}

// wrapped puts redundant parentheses around a table subquery.
func wrapped(g *Gen, subquery *Node) *Node {
	if !g.oneIn(6) {
		return subquery
	}
	return N("", one(g, "($)", "(($))"), subquery)
}

// subquery returns a query of columns of the given kinds that may refer to sc.
func subquery(g *Gen, sc *scope, kinds ...Kind) *Node {
	from, inner := fromTable(g, sc)
	items := list(", ", len(kinds))
	for _, k := range kinds {
		items.Kids = append(items.Kids, g.expr(k, inner, 0))
	}
	where := opt(" WHERE $", correlation(g, inner))
	if g.oneIn(5) {
		local := &scope{rels: inner.rels}
		grouped := list(", ", len(kinds))
		for _, k := range kinds {
			grouped.Kids = append(grouped.Kids, N(k, one(g, "MIN", "MAX")+"($)", g.key(local, k)))
		}
		return N("", "(SELECT $ FROM $$ GROUP BY $$)", grouped, from, where, g.key(inner, Int, Str, Date, Dec, Uint),
			opt(" HAVING COUNT(*) "+one(g, ">", "=", "<")+" "+one(g, "1", "2")))
	}
	if g.oneIn(8) {
		other, otherScope := fromTable(g, sc)
		more := list(", ", len(kinds))
		for _, k := range kinds {
			more.Kids = append(more.Kids, g.expr(k, otherScope, 0))
		}
		return N("", "(SELECT $ FROM $$ UNION ALL SELECT $ FROM $)", items, from, where, more, other)
	}
	return N("", "(SELECT $$ FROM $$)", opt(one(g, "DISTINCT ", "")), items, from, where)
}

// fromTable makes a FROM clause of one or two tables.
func fromTable(g *Gen, outer *scope) (*Node, *scope) {
	from, rel := g.table()
	sc := &scope{rels: []*relation{rel}, outer: outer}
	if g.oneIn(5) {
		node, second := g.table()
		sc.rels = append(sc.rels, second)
		on := g.joinCondition(&scope{rels: sc.rels[:1]}, &scope{rels: sc.rels[1:]})
		from = N(relations, "$"+one(g, " JOIN ", " LEFT JOIN ")+"$ ON $", from, node, on)
	}
	return from, sc
}

// correlation is a condition of a subquery, mostly with columns of outer queries.
func correlation(g *Gen, inner *scope) *Node {
	kind := comparedKind(g)
	local := &scope{rels: inner.rels}
	if inner.outer == nil || g.oneIn(4) {
		return g.predicate(local, 1)
	}
	if g.oneIn(6) {
		return g.band(local, inner.outer)
	}
	e := N(Bool, "($ "+one(g, "=", "=", "=", "<", ">=", "<>", "<=>")+" $)", g.expr(kind, local, 0), g.expr(kind, inner.outer, 0))
	if g.oneIn(3) {
		return N(Bool, "($ AND $)", e, g.predicate(inner, 0))
	}
	return e
}

// scalarSubquery returns at most one value.
func scalarSubquery(g *Gen, kind Kind, sc *scope) *Node {
	if len(g.Tables) == 0 {
		return N(kind, literalOf(g, kind))
	}
	from, inner := fromTable(g, sc)
	where := opt(" WHERE $", correlation(g, inner))
	local := &scope{rels: inner.rels}
	switch {
	case kind == Int && g.oneIn(2):
		return N(kind, "(SELECT COUNT($) FROM $$)", one(g, N("", "*"), g.expr(anyKind(g), local, 0), N("", "DISTINCT $", g.expr(anyKind(g), local, 0))), from, where)
	case kind == Dec && g.oneIn(2):
		return N(kind, "(SELECT SUM($) FROM $$)", g.expr(one(g, Int, Dec), local, 0), from, where)
	case g.oneIn(3) && local.keyed():
		return N(kind, fmt.Sprintf("(SELECT $ FROM $$ ORDER BY $ LIMIT %d, 1)", g.R.IntN(3)), g.expr(kind, local, 1), from, where, g.total(local))
	}
	return N(kind, "(SELECT "+one(g, "MIN", "MAX")+"($) FROM $$)", g.expr(kind, local, 0), from, where)
}

// keyed reports whether all relations have keys, and so their rows a total order.
func (sc *scope) keyed() bool {
	return !slices.ContainsFunc(sc.rels, func(r *relation) bool { return r.key == nil })
}

// total is an ORDER BY that leaves no two rows of sc equal, if all its relations have keys.
func (g *Gen) total(sc *scope) *Node {
	keys := list(", ", 1)
	for _, r := range sc.rels {
		for _, k := range r.key {
			keys.Kids = append(keys.Kids, N("", r.name+"."+k+one(g, "", " DESC")))
		}
	}
	keys.Min = len(keys.Kids)
	return keys
}
