package sqlgen

import (
	"fmt"
	"slices"
)

// Change returns a random statement that changes the rows of a table. Values mostly fit, and the
// effect of a statement never depends on the order of rows.
func (g *Gen) Change() *Node {
	g.aliases, g.ctes = 0, nil
	t := one(g, g.Tables...)
	self := &scope{rels: []*relation{{name: t.Name, cols: t.Cols, key: []string{"id"}}}}
	where := opt(" WHERE $", g.predicateBut(t, self))
	switch g.R.IntN(10) {
	case 0, 1:
		return N("", "$ INTO "+t.Name+"$ VALUES $$", N("", one(g, "INSERT", "INSERT", "INSERT IGNORE", "REPLACE")), N("", ""), g.rows(t), N("", ""))
	case 2:
		if g.Dialect.Upsert {
			return N("", "INSERT INTO "+t.Name+" VALUES $ ON DUPLICATE KEY UPDATE $", g.rows(t), upserts(g, t))
		}
	case 3, 4:
		return g.insertSelect(t)
	case 5:
		if g.Dialect.MultiTable {
			return multiTable(g, t)
		}
	case 6, 7:
		if g.oneIn(5) {
			return N("", fmt.Sprintf("DELETE FROM %s$ ORDER BY id LIMIT %d", t.Name, g.R.IntN(4)), where)
		}
		return N("", "DELETE FROM "+t.Name+"$", where)
	}
	update := N("", "UPDATE "+t.Name+" SET $$", assignments(g, t, self), where)
	if g.oneIn(4) {
		return N("", fmt.Sprintf("$ ORDER BY id DESC LIMIT %d", g.R.IntN(5)), update)
	}
	return update
}

// predicateBut returns a condition on t whose subqueries do not read t, as MySQL requires if t is
// changed.
func (g *Gen) predicateBut(t *Table, sc *scope) *Node {
	defer g.without(t)()
	return g.predicate(sc, 2)
}

// without excludes a table until the returned function is called.
func (g *Gen) without(t *Table) (restore func()) {
	tables := g.Tables
	g.Tables = slices.DeleteFunc(slices.Clone(tables), func(o *Table) bool { return o == t })
	return func() { g.Tables = tables }
}

// rows returns rows for VALUES; a few of their ids exist already.
func (g *Gen) rows(t *Table) *Node {
	rows := list(", ", 1)
	for range 1 + g.R.IntN(4) {
		values := list(", ", len(t.Cols), N(Int, fmt.Sprint(g.R.IntN(60))))
		for _, c := range t.Cols[1:] {
			switch {
			case g.oneIn(6):
				values.Kids = append(values.Kids, N("", one(g, "NULL", "DEFAULT")))
			case g.oneIn(30):
				values.Kids = append(values.Kids, N("", one(g, "'x'", "-1", "''", "'2024-02-30'", "999999999999", "12.345", "'12'", "'2024-3-1'", "20240115")))
			default:
				values.Kids = append(values.Kids, N(c.Kind, literalOf(g, c.Kind)))
			}
		}
		rows.Kids = append(rows.Kids, N("", "($)", values))
	}
	return rows
}

// insertSelect inserts the rows of a query over the other tables, with new ids.
func (g *Gen) insertSelect(t *Table) *Node {
	source := one(g, g.Tables...)
	sc := &scope{rels: []*relation{{name: "x1", cols: source.Cols, key: []string{"id"}}}}
	items := list(", ", 3, N(Int, fmt.Sprintf("x1.id + %d", 20*g.R.IntN(5))))
	names := "id"
	for _, c := range t.Cols[1:] {
		if g.oneIn(3) {
			names += ", " + c.Name
			items.Kids = append(items.Kids, g.expr(c.Kind, sc, 1))
		}
	}
	items.Min = len(items.Kids)
	if g.Dialect.Upsert && names != "id" && g.oneIn(3) {
		c := t.Cols[1+g.R.IntN(len(t.Cols)-1)].Name
		return N("", "INSERT INTO "+t.Name+" ("+names+") SELECT $ FROM "+source.Name+" AS x1$ ON DUPLICATE KEY UPDATE "+t.Name+"."+c+" = VALUES("+c+")", items,
			opt(" WHERE $", g.predicate(sc, 1)))
	}
	return N("", "$ INTO "+t.Name+" ("+names+") SELECT $ FROM "+source.Name+" AS x1$", N("", one(g, "INSERT", "INSERT IGNORE", "REPLACE")), items,
		opt(" WHERE $", g.predicate(sc, 1)))
}

// assignments sets columns other than the key, each once.
func assignments(g *Gen, t *Table, sc *scope) *Node {
	sets := list(", ", 1)
	first := 1 + g.R.IntN(len(t.Cols)-1)
	for k := range 1 + g.R.IntN(2) {
		c := t.Cols[1+(first+k)%(len(t.Cols)-1)]
		value := g.expr(c.Kind, &scope{rels: sc.rels}, g.R.IntN(2))
		if g.oneIn(20) {
			value = N(c.Kind, "DEFAULT")
		}
		sets.Kids = append(sets.Kids, N("", sc.rels[0].name+"."+c.Name+" = $", value))
	}
	return sets
}

// upserts are the assignments of ON DUPLICATE KEY UPDATE.
func upserts(g *Gen, t *Table) *Node {
	sets := list(", ", 1)
	first := 1 + g.R.IntN(len(t.Cols)-1)
	for k := range 1 + g.R.IntN(2) {
		c := t.Cols[1+(first+k)%(len(t.Cols)-1)]
		sets.Kids = append(sets.Kids, N("", one(g, c.Name+" = VALUES("+c.Name+")", c.Name+" = COALESCE("+c.Name+", VALUES("+c.Name+"))", c.Name+" = IF(VALUES(i) > i, VALUES("+c.Name+"), "+c.Name+")", c.Name+" = "+literalOf(g, c.Kind))))
	}
	return sets
}

// multiTable changes t by the values that another table has under the same id, so that no row of t
// is changed twice.
func multiTable(g *Gen, t *Table) *Node {
	defer g.without(t)()
	other := one(g, g.Tables...)
	sc := &scope{rels: []*relation{{name: "x1", cols: t.Cols, key: []string{"id"}}, {name: "x2", cols: other.Cols, key: []string{"id"}}}}
	from := N("", t.Name+" AS x1"+one(g, " JOIN ", " LEFT JOIN ")+other.Name+" AS x2 ON x1.id = x2.id$", opt(" AND $", g.predicate(sc, 0)))
	where := opt(" WHERE $", g.predicate(&scope{rels: sc.rels}, 1))
	if g.oneIn(2) {
		return N("", "DELETE x1 FROM $$", from, where)
	}
	sets := assignments(g, t, sc)
	if g.Dialect.MariaDB { // which uses old values in other assignments
		sets.Kids = sets.Kids[:1]
	}
	return N("", "UPDATE $ SET $$", from, sets, where)
}
