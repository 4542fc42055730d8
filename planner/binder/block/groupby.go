package block

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/scalar"
	"gsql/planner/binder/scope"
	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// bind binds the GROUP BY list, if there is one.
func (g *grouping) bind(n *ast.SelectStmt) error {
	if n.GroupBy == nil {
		return nil
	}
	g.explicit = true
	if n.GroupBy.Rollup {
		g.startRollup()
	}
	defer g.b.Enter(scope.GroupBy, false)()
	for _, it := range n.GroupBy.Items {
		if err := g.item(n, it.Expr); err != nil {
			return err
		}
	}
	return nil
}

// item binds one GROUP BY expression: an ordinal, a column, an alias (if no column has its name) or any other
// expression.
func (g *grouping) item(n *ast.SelectStmt, node ast.ExprNode) error {
	field, err := -1, error(nil)
	node = unwrapped(node)
	switch x := node.(type) {
	case *ast.PositionExpr:
		field, err = g.ordinal(x, n.Fields.Fields)
	case *ast.ColumnNameExpr:
		if _, n := g.b.Scope.Find(x.Name); n == 0 && x.Name.Table.L == "" {
			field, err = g.fieldCalled(x.Name, x.OriginTextPosition())
		}
	}
	if err != nil {
		return err
	}
	if field >= 0 {
		f := g.b.sel.Fields.Fields[field]
		if ast.HasAggFlag(f.Expr) || ast.HasWindowFlag(f.Expr) {
			return sqlerr.New(sqlerr.WrongGroupField, "Can't group on '%s'", fieldName(f)).At(f.Offset)
		}
		node = f.Expr
	}
	e, err := g.b.Expr(node)
	if err != nil {
		return err
	}
	k, err := g.addKey(e)
	if field >= 0 && err == nil {
		g.fields[field] = k
	}
	return err
}

// shownKey is a GROUP BY expression that is grouped by its collation key. Elsewhere in the query
// it has the value of an arbitrary row.
type shownKey struct {
	e     expr.Expr
	key   int // index of the key
	value expr.Expr
}

// addShown adds a GROUP BY expression that is compared by a collation.
func (g *grouping) addShown(e expr.Expr) (int, error) {
	key, err := expr.CollationKey(e)
	if err != nil {
		return 0, err
	}
	a, err := expr.NewAgg(expr.First, []expr.Expr{e}, false)
	if err != nil {
		return 0, err
	}
	k, err := g.addKey(key)
	if err != nil {
		return 0, err
	}
	var value expr.Expr
	if r := g.rollup; r != nil {
		value = r.keep(k, g.addAgg(a, false))
	} else {
		value = g.addAgg(a, g.b.NotNull(e))
	}
	g.shown = append(g.shown, shownKey{e, k, value})
	return k, nil
}

// addKey adds a GROUP BY expression and returns its index.
func (g *grouping) addKey(e expr.Expr) (int, error) {
	e = expr.Shown(e)
	if expr.HasKey(scalar.TypeOf(e)) {
		return g.addShown(e)
	}
	if g.rollup != nil {
		return g.rollup.addKey(e), nil
	}
	for i, x := range g.exprs {
		if expr.Equal(x, e) && !expr.Volatile(e) {
			return i, nil
		}
	}
	col := logical.Column{}
	if c, ok := e.(*expr.Col); ok && g.b.Scope.ByID(c.ID) != nil {
		col = g.b.Scope.ByID(c.ID).Column
	} else {
		col = g.b.Fresh(e.String(), e)
		g.needAll = true
	}
	g.exprs = append(g.exprs, e)
	g.keys = append(g.keys, col)
	g.made[col.ID] = true
	return len(g.keys) - 1, nil
}

// field returns the key column of a select item that GROUP BY names, or nil.
func (g *grouping) field(i int) expr.Expr {
	if g == nil {
		return nil
	}
	k, ok := g.fields[i]
	if !ok {
		return nil
	}
	for _, s := range g.shown {
		if s.key == k {
			return s.value
		}
	}
	return g.keys[k].Ref()
}

// column resolves a name in HAVING to a GROUP BY column, which takes precedence over an alias of
// the same name.
func (g *grouping) column(name *ast.ColumnName) (expr.Expr, error) {
	if g == nil {
		return nil, nil
	}
	col, n := g.b.Scope.Find(name)
	if n != 1 {
		return nil, nil
	}
	for _, e := range g.exprs {
		if c, ok := e.(*expr.Col); ok && c.ID == col.ID {
			return col.Ref(), nil
		}
	}
	for _, s := range g.shown {
		if c, ok := s.e.(*expr.Col); ok && c.ID == col.ID {
			return s.value, nil
		}
	}
	return nil, nil
}
