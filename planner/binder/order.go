package binder

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

// sortKeys binds ORDER BY over the select list. What is not in the list becomes a
// hidden item behind it.
func (b *block) sortKeys(n *ast.OrderByClause) ([]expr.SortKey, error) {
	if n == nil {
		return nil, nil
	}
	defer b.enter(orderBy, true)()
	visible := len(b.items)
	var keys []expr.SortKey
	for _, it := range n.Items {
		e, err := b.sortKey(it.Expr, visible)
		if err != nil {
			return nil, err
		}
		if e != nil {
			keys = append(keys, expr.SortKey{Expr: expr.Sortable(e), Desc: it.Desc})
		}
	}
	return keys, nil
}

// sortKey gives an expression over the items for one ORDER BY expression, or nil for
// a constant, which sorts nothing.
func (b *block) sortKey(node ast.ExprNode, visible int) (expr.Expr, error) {
	switch x := node.(type) {
	case *ast.PositionExpr:
		n, err := b.positionValue(x)
		if err != nil {
			return nil, err
		}
		if n < 1 || n > visible {
			return nil, sqlerr.New(sqlerr.BadField, "Unknown column '%d' in 'order clause'", n).
				WithHint("The select list has %d column(s).", visible)
		}
		return b.items[n-1].col.Ref(), nil
	case *ast.ColumnNameExpr:
		if i, err := b.orderAlias(x, visible); err != nil || i >= 0 {
			if err != nil {
				return nil, err
			}
			return b.items[i].col.Ref(), nil
		}
	}
	e, err := b.expr(node)
	if err != nil {
		return nil, err
	}
	if e, err = b.regroup(e); err != nil {
		return nil, err
	}
	return b.hidden(e), nil
}

// orderAlias finds the item that a bare name in ORDER BY means, or gives -1: one of
// that alias or plain column of that name. Two different ones are ambiguous.
func (b *block) orderAlias(c *ast.ColumnNameExpr, visible int) (int, error) {
	found := -1
	for i := range b.items[:visible] {
		it := &b.items[i]
		if !it.called(c.Name) {
			continue
		}
		if found >= 0 && !expr.Equal(b.items[found].e, it.e) {
			return -1, ambiguous(displayName(c.Name), orderBy, c.OriginTextPosition())
		}
		if found < 0 {
			found = i
		}
	}
	return found, nil
}

// hidden gives e as an expression over the items, adding one where needed.
func (b *block) hidden(e expr.Expr) expr.Expr {
	if _, ok := e.(*expr.Const); ok {
		return nil
	}
	for i := range b.items {
		if it := &b.items[i]; it.col.ID == columnID(e) || expr.Equal(it.e, e) && repeatable(e) {
			return it.col.Ref()
		}
	}
	if b.usesItems(e) {
		b.pass(e)
		return e
	}
	col := b.fresh(e.String(), e)
	if c, ok := e.(*expr.Col); ok && !b.isOuter(c.ID) {
		col = logical.Column{ID: c.ID, Name: c.Name, T: c.T, NotNull: col.NotNull}
	}
	b.items = append(b.items, item{col: col, e: e, name: col.Name})
	return col.Ref()
}

func columnID(e expr.Expr) expr.ColID {
	if c, ok := e.(*expr.Col); ok {
		return c.ID
	}
	return 0
}

// usesItems tells whether e refers to a computed item's output.
func (b *block) usesItems(e expr.Expr) bool {
	set := map[expr.ColID]bool{}
	expr.Cols(e, set)
	for i := range b.items {
		if it := &b.items[i]; set[it.col.ID] && columnID(it.e) != it.col.ID {
			return true
		}
	}
	return false
}

// pass makes the items carry the columns that e and the subqueries in it use.
func (b *block) pass(e expr.Expr) {
	expr.Walk(e, func(e expr.Expr) bool {
		switch x := e.(type) {
		case *expr.Col:
			b.passColumn(x)
		case *expr.Subquery:
			b.passPlan(x.Plan.(logical.Node))
		}
		return true
	})
}

func (b *block) passPlan(n logical.Node) {
	logical.EachExpr(n, b.pass)
	for _, in := range n.Inputs() {
		b.passPlan(in)
	}
}

func (b *block) passColumn(c *expr.Col) {
	if b.isItem(c.ID) || b.isOuter(c.ID) {
		return
	}
	col := logical.Column{ID: c.ID, Name: c.Name, T: c.T, NotNull: b.notNull(c)}
	b.items = append(b.items, item{col: col, e: c, name: c.Name})
}

// placeHaving splits HAVING into what filters below the select list and, when some
// of it refers to items that must not be computed twice, what filters above it.
func (b *block) placeHaving(preds []expr.Expr) (below, above []expr.Expr) {
	for _, p := range preds {
		if b.usesItems(p) {
			b.pass(p)
			above = append(above, p)
			continue
		}
		below = append(below, p)
	}
	return below, above
}

// limit puts LIMIT over node; n may be nil.
func (b *block) limit(node logical.Node, n *ast.Limit) (logical.Node, error) {
	if n == nil {
		return node, nil
	}
	l := &logical.Limit{In: node, Count: -1}
	var err error
	if n.Count != nil {
		if l.Count, err = b.limitValue(n.Count); err != nil {
			return nil, err
		}
	}
	if n.Offset != nil {
		if l.Offset, err = b.limitValue(n.Offset); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// limitValue gives the number that a literal or a ? of LIMIT holds.
func (s *statement) limitValue(n ast.ExprNode) (int64, error) {
	switch x := n.(type) {
	case *parse.Param:
		d, err := s.paramValue(x)
		if err != nil {
			return 0, err
		}
		if d.Null || !d.Type.IsInteger() || d.I64 < 0 && !d.Type.IsUnsigned() {
			return 0, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to LIMIT").At(x.Offset).
				WithHint("LIMIT wants an integer that is not negative.")
		}
		return clip(uint64(d.I64)), nil
	case *parse.Literal:
		switch v := x.Value.(type) {
		case int64:
			return v, nil
		case uint64:
			return clip(v), nil
		}
	}
	return 0, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to LIMIT")
}

// clip bounds a row count to int64: MySQL's idiom for "all" is 2^64-1.
func clip(n uint64) int64 { return int64(min(n, 1<<63-1)) }

// positionValue gives the number of an ordinal, which may be a parameter.
func (s *statement) positionValue(p *ast.PositionExpr) (int, error) {
	if p.P == nil {
		return p.N, nil
	}
	if param, ok := p.P.(*parse.Param); ok {
		d, err := s.paramValue(param)
		return int(d.I64), err
	}
	return 0, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to ORDER BY")
}
