package block

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/scope"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// alias resolves a name through the select list. HAVING may use aliases; GROUP BY and ORDER BY use them if no
// column has the name. It returns nil if no item has the name.
func (b *Block) alias(name *ast.ColumnName, pos int) (expr.Expr, error) {
	if b.At == scope.GroupBy {
		return b.group.aliasInGroupBy(name, pos)
	}
	found, err := b.list.itemCalled(name, len(b.list.items), pos)
	if err != nil {
		return nil, err
	}
	if found < 0 {
		return nil, nil
	}
	if b.At == scope.Having && b.windows.usedBy(b.list.items[found].e) {
		return nil, sqlerr.New(sqlerr.WindowFuncAliasUse, "You cannot use the alias '%s' of an expression containing a window function in this context.", scope.DisplayName(name)).At(pos).
			WithHint("HAVING filters before window functions are computed: compute them in a derived table and filter outside it.")
	}
	return b.list.items[found].use(), nil
}

// fieldCalled returns the index of the select item with an alias, or -1. It follows the same rule
// as itemCalled.
func (g *grouping) fieldCalled(name *ast.ColumnName, pos int) (int, error) {
	found, clash := -1, false
	for i, f := range g.b.sel.Fields.Fields {
		if f.WildCard != nil || f.AsName.L != name.Name.L {
			continue
		}
		c, isColumn := plain(f.Expr)
		switch {
		case !isColumn:
			return i, nil
		case found < 0:
			found = i
		default:
			first, _ := plain(g.b.sel.Fields.Fields[found].Expr)
			clash = clash || !g.sameColumn(first.Name, c.Name)
		}
	}
	if clash {
		return -1, scope.Ambiguous(scope.DisplayName(name), g.b.At, pos)
	}
	return found, nil
}

// hasAlias reports whether a select item has the alias.
func hasAlias(n *ast.SelectStmt, key string) bool {
	return slices.ContainsFunc(n.Fields.Fields, func(f *ast.SelectField) bool { return f.WildCard == nil && f.AsName.L == key })
}

// sameColumn reports whether two names refer to the same column.
func (g *grouping) sameColumn(x, y *ast.ColumnName) bool {
	c, n := g.b.Scope.Find(x)
	d, m := g.b.Scope.Find(y)
	return n == 1 && m == 1 && c.ID == d.ID || n == 0 && m == 0 && x.Table.L == y.Table.L && x.Name.L == y.Name.L
}

// aliasInGroupBy resolves an alias inside a GROUP BY expression.
func (g *grouping) aliasInGroupBy(name *ast.ColumnName, pos int) (expr.Expr, error) {
	if name.Table.L != "" {
		return nil, nil
	}
	i, err := g.fieldCalled(name, pos)
	if i < 0 || err != nil {
		return nil, err
	}
	f := g.b.sel.Fields.Fields[i]
	if c, ok := plain(f.Expr); ok && c.Name.Name.L == name.Name.L {
		return nil, nil // the alias is the name itself, which no column has
	}
	if err := g.b.Deeper(); err != nil {
		return nil, err
	}
	defer g.b.Shallower()
	return g.b.Expr(f.Expr)
}

// ordinal returns the index of the select item that an ordinal, as in GROUP BY 2, refers to.
func (g *grouping) ordinal(p *ast.PositionExpr, fields []*ast.SelectField) (int, error) {
	n, err := g.b.PositionValue(p)
	if err != nil {
		return 0, err
	}
	if n < 1 || n > len(fields) {
		return 0, sqlerr.New(sqlerr.BadField, "Unknown column '%d' in '%s'", n, g.b.At).
			WithHint("The select list has %d column(s).", len(fields))
	}
	for _, f := range fields[:n] {
		if f.WildCard != nil {
			return 0, sqlerr.Unsupported(f.Offset, "ordinals after * in GROUP BY").WithHint("Name the column.")
		}
	}
	return n - 1, nil
}
