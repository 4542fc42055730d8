package block

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/scalar"
	"gsql/planner/binder/scope"
	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

// sortKeys binds ORDER BY over the select list. Expressions that are not in the list become hidden items.
func (l *selectList) sortKeys(n *ast.OrderByClause) ([]expr.SortKey, error) {
	if n == nil {
		return nil, nil
	}
	defer l.b.Enter(scope.OrderBy, true)()
	visible := len(l.items)
	var keys []expr.SortKey
	for _, it := range n.Items {
		e, err := l.sortKey(it.Expr, visible)
		if err != nil {
			return nil, err
		}
		if e != nil {
			keys = append(keys, expr.SortKey{Expr: expr.Sortable(e), Desc: it.Desc})
		}
	}
	return keys, nil
}

// sortKey returns an expression over the items for one ORDER BY expression, or nil for a constant, which does
// not sort.
func (l *selectList) sortKey(node ast.ExprNode, visible int) (expr.Expr, error) {
	node = unwrapped(node)
	switch x := node.(type) {
	case *ast.PositionExpr:
		n, err := l.b.PositionValue(x)
		if err != nil {
			return nil, err
		}
		if n < 1 || n > visible {
			return nil, sqlerr.New(sqlerr.BadField, "Unknown column '%d' in 'order clause'", n).
				WithHint("The select list has %d column(s).", visible)
		}
		return l.items[n-1].col.Ref(), nil
	case *ast.ColumnNameExpr:
		if i, err := l.itemCalled(x.Name, visible, x.OriginTextPosition()); err != nil || i >= 0 {
			if err != nil {
				return nil, err
			}
			return l.items[i].col.Ref(), nil
		}
	}
	e, err := l.b.Expr(node)
	if err != nil {
		return nil, err
	}
	if e, err = l.b.group.regroup(e); err != nil {
		return nil, err
	}
	return l.hidden(expr.Shown(e)), nil
}

// unwrapped removes the parentheses around an ORDER BY or GROUP BY expression, which have no meaning there: a
// number in parentheses is still the position of an item.
func unwrapped(n ast.ExprNode) ast.ExprNode {
	inner := scalar.Bare(n)
	if l, ok := inner.(*parse.Literal); ok && inner != n {
		if i, ok := l.Value.(int64); ok {
			return &ast.PositionExpr{N: int(i)}
		}
	}
	return inner
}

// hidden returns e as an expression over the items, adding a hidden item if necessary.
func (l *selectList) hidden(e expr.Expr) expr.Expr {
	if _, ok := e.(*expr.Const); ok {
		return nil
	}
	for i := range l.items {
		if it := &l.items[i]; it.col.ID == columnID(e) || expr.Equal(it.e, e) && repeatable(e) {
			return it.col.Ref()
		}
	}
	if l.usesItems(e) {
		l.pass(e)
		return e
	}
	col := l.b.Fresh(e.String(), e)
	if c, ok := e.(*expr.Col); ok && !l.b.isOuter(c.ID) {
		col = logical.Column{ID: c.ID, Name: c.Name, T: c.T, NotNull: col.NotNull}
	}
	l.items = append(l.items, item{col: col, e: e, name: col.Name, hidden: true})
	return col.Ref()
}

func columnID(e expr.Expr) expr.ColID {
	if c, ok := e.(*expr.Col); ok {
		return c.ID
	}
	return 0
}

// usesItems reports whether e refers to the output of a computed item.
func (l *selectList) usesItems(e expr.Expr) bool {
	set := map[expr.ColID]bool{}
	expr.Cols(e, set)
	for i := range l.items {
		if it := &l.items[i]; set[it.col.ID] && columnID(it.e) != it.col.ID {
			return true
		}
	}
	return false
}

// pass adds the columns that e and the subqueries in it use to the items.
func (l *selectList) pass(e expr.Expr) {
	expr.Walk(e, func(e expr.Expr) bool {
		switch x := e.(type) {
		case *expr.Col:
			l.passColumn(x)
		case *expr.Subquery:
			l.passPlan(x.Plan.(logical.Node))
		}
		return true
	})
}

func (l *selectList) passPlan(n logical.Node) {
	logical.EachExpr(n, l.pass)
	for _, in := range n.Inputs() {
		l.passPlan(in)
	}
}

func (l *selectList) passColumn(c *expr.Col) {
	if l.isItem(c.ID) || l.b.isOuter(c.ID) {
		return
	}
	col := logical.Column{ID: c.ID, Name: c.Name, T: c.T, NotNull: l.b.NotNull(c)}
	l.items = append(l.items, item{col: col, e: c, name: c.Name, hidden: true})
}

// placeHaving splits HAVING into conditions below the select list and conditions above it.
// Conditions above refer to items that must not be computed twice.
func (l *selectList) placeHaving(preds []expr.Expr) (below, above []expr.Expr) {
	for _, p := range preds {
		if l.usesItems(p) {
			l.pass(p)
			above = append(above, p)
			continue
		}
		below = append(below, p)
	}
	return below, above
}

// OrderOutput binds ORDER BY over the columns of a finished query; no other names are visible.
// items is nil unless ORDER BY needs further columns; then it lists all columns.
func (b *Block) OrderOutput(cols []logical.Column, names []string, n *ast.OrderByClause) (keys []expr.SortKey, items []logical.Item, err error) {
	b.Scope = scope.New(&scope.Source{}, cols)
	for i, c := range cols {
		key := strings.ToLower(names[i])
		b.Scope.Columns[i].Key = key
		b.list.items = append(b.list.items, item{col: c, e: c.Ref(), name: names[i], key: key})
	}
	if keys, err = b.list.sortKeys(n); err != nil || len(b.list.items) == len(cols) {
		return keys, nil, err
	}
	return keys, b.list.outputs(), nil
}
