package binder

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// bindGroupBy binds the GROUP BY list.
func (b *block) bindGroupBy(n *ast.SelectStmt) error {
	if n.GroupBy == nil {
		return nil
	}
	b.startGrouping()
	b.group.explicit = true
	if n.GroupBy.Rollup {
		b.startRollup()
	}
	defer b.enter(groupBy, false)()
	for _, it := range n.GroupBy.Items {
		if err := b.groupItem(n, it.Expr); err != nil {
			return err
		}
	}
	return nil
}

// groupItem binds one GROUP BY expression: an ordinal, a column, an alias (where no
// column has its name) or any expression.
func (b *block) groupItem(n *ast.SelectStmt, node ast.ExprNode) error {
	field := -1
	switch x := node.(type) {
	case *ast.PositionExpr:
		i, err := b.ordinal(x, n.Fields.Fields)
		if err != nil {
			return err
		}
		field = i
	default:
		if c, ok := plain(node); ok {
			if _, n := b.scope.find(c.Name); n == 0 && c.Name.Table.L == "" {
				field = b.fieldCalled(c.Name.Name.L)
			}
		}
	}
	if field >= 0 {
		f := b.sel.Fields.Fields[field]
		if ast.HasAggFlag(f.Expr) || ast.HasWindowFlag(f.Expr) {
			return sqlerr.New(sqlerr.WrongGroupField, "Can't group on '%s'", fieldName(f)).At(f.Offset)
		}
		node = f.Expr
	}
	e, err := b.expr(node)
	if err != nil {
		return err
	}
	k, err := b.addKey(e)
	if field >= 0 && err == nil {
		b.group.fields[field] = k
	}
	return err
}

// ordinal gives the select item that GROUP BY 2 or ORDER BY 2 names.
func (b *block) ordinal(p *ast.PositionExpr, fields []*ast.SelectField) (int, error) {
	n, err := b.positionValue(p)
	if err != nil {
		return 0, err
	}
	if n < 1 || n > len(fields) {
		return 0, sqlerr.New(sqlerr.BadField, "Unknown column '%d' in '%s'", n, b.at).
			WithHint("The select list has %d column(s).", len(fields))
	}
	for _, f := range fields[:n] {
		if f.WildCard != nil {
			return 0, sqlerr.Unsupported(f.Offset, "ordinals after * in GROUP BY").WithHint("Name the column.")
		}
	}
	return n - 1, nil
}

// fieldCalled finds a select item by its alias, or gives -1.
func (b *block) fieldCalled(key string) int {
	for i, f := range b.sel.Fields.Fields {
		if f.WildCard == nil && f.AsName.L == key {
			return i
		}
	}
	return -1
}

// aliasInGroupBy resolves an alias inside a GROUP BY expression.
func (b *block) aliasInGroupBy(name *ast.ColumnName, _ int) (expr.Expr, error) {
	if name.Table.L != "" {
		return nil, nil
	}
	i := b.fieldCalled(name.Name.L)
	if i < 0 {
		return nil, nil
	}
	f := b.sel.Fields.Fields[i]
	if c, ok := plain(f.Expr); ok && c.Name.Name.L == name.Name.L {
		return nil, nil // the alias is the name itself, which no column has
	}
	if err := b.deeper(); err != nil {
		return nil, err
	}
	defer b.shallower()
	return b.expr(f.Expr)
}

// shownKey is a GROUP BY expression that is grouped by its key in its collation: where the
// query has it, it is the value of some row.
type shownKey struct {
	e     expr.Expr
	key   int // index of the key
	value expr.Expr
}

// addShown adds a GROUP BY expression that compares by a collation.
func (b *block) addShown(e expr.Expr) (int, error) {
	key, err := expr.CollationKey(e)
	if err != nil {
		return 0, err
	}
	a, err := expr.NewAgg(expr.First, []expr.Expr{e}, false)
	if err != nil {
		return 0, err
	}
	k, err := b.addKey(key)
	if err != nil {
		return 0, err
	}
	var value expr.Expr
	if r := b.group.rollup; r != nil {
		value = r.keep(k, b.addAgg(a, false))
	} else {
		value = b.addAgg(a, b.notNull(e))
	}
	b.group.shown = append(b.group.shown, shownKey{e, k, value})
	return k, nil
}

// addKey adds a GROUP BY expression and gives its index.
func (b *block) addKey(e expr.Expr) (int, error) {
	g := b.group
	if expr.HasKey(typeOf(e)) {
		return b.addShown(e)
	}
	if g.rollup != nil {
		return b.addRollupKey(e), nil
	}
	for i, x := range g.exprs {
		if expr.Equal(x, e) && !expr.Volatile(e) {
			return i, nil
		}
	}
	col := logical.Column{}
	if c, ok := e.(*expr.Col); ok && b.scope.byID(c.ID) != nil {
		col = b.scope.byID(c.ID).Column
	} else {
		col = b.fresh(e.String(), e)
		g.needAll = true
	}
	g.exprs = append(g.exprs, e)
	g.keys = append(g.keys, col)
	g.made[col.ID] = true
	return len(g.keys) - 1, nil
}

// groupedField gives the key column of a select item that GROUP BY names, or nil.
func (b *block) groupedField(i int) expr.Expr {
	if b.group == nil {
		return nil
	}
	k, ok := b.group.fields[i]
	if !ok {
		return nil
	}
	for _, s := range b.group.shown {
		if s.key == k {
			return s.value
		}
	}
	return b.group.keys[k].Ref()
}

// groupColumn resolves a name in HAVING to a GROUP BY column, which is preferred to
// an alias of the same name.
func (b *block) groupColumn(name *ast.ColumnName) (expr.Expr, error) {
	if b.group == nil {
		return nil, nil
	}
	col, n := b.scope.find(name)
	if n != 1 {
		return nil, nil
	}
	for _, e := range b.group.exprs {
		if c, ok := e.(*expr.Col); ok && c.ID == col.ID {
			return col.Ref(), nil
		}
	}
	for _, s := range b.group.shown {
		if c, ok := s.e.(*expr.Col); ok && c.ID == col.ID {
			return s.value, nil
		}
	}
	return nil, nil
}
