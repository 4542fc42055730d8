package random_test

import (
	"strings"

	"gsql/internal/sqlgen"
)

// takeApart compares a FULL JOIN with the LEFT JOIN and the RIGHT JOIN that it consists of:
// its rows, those that a predicate keeps, and tests for the NULLs that it fills in of
// derived tables and of groups.
func (m *metamorphic) takeApart(b *sqlgen.Block) {
	padded := b.Padded()
	if padded == nil {
		return
	}
	plain := b.With(append([]*sqlgen.Node{padded}, b.Values...)...)
	m.agree("FULL JOIN taken apart", plain.Node().String(), apart(plain))
	split := plain.And(b.Split)
	m.agree("FULL JOIN taken apart", split.Node().String(), apart(split))
	for _, test := range []string{"c0 IS NULL", "NOT c0 <=> c1", "(c0 = 1) IS NOT TRUE", "ISNULL(c0)"} {
		around := func(query string) string { return "SELECT c0, c1 FROM (" + query + ") AS d WHERE " + test }
		m.agree("FULL JOIN in a derived table", around(plain.Node().String()), around(apart(plain)))
	}
	groups := plain.With(padded, sqlgen.N("", "COUNT(*)"))
	groups.GroupBy, groups.Having = []*sqlgen.Node{padded}, sqlgen.N(sqlgen.Bool, "($ IS NULL)", padded)
	m.agree("groups of a FULL JOIN", groups.Node().String(), "SELECT c0, COUNT(*) FROM ("+apart(plain)+") AS d GROUP BY c0 HAVING c0 IS NULL")
}

// apart is the union of what a FULL JOIN consists of.
func apart(b *sqlgen.Block) string {
	var parts []string
	b.Apart(func(part *sqlgen.Block) { parts = append(parts, part.Node().String()) })
	return strings.Join(parts, " UNION ALL ")
}
