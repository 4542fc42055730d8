package binder

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// item is an output column of a SELECT: one of the select list, or one that ORDER BY
// or HAVING needs besides.
type item struct {
	col   logical.Column
	e     expr.Expr
	name  string  // as the result set shows it
	key   string  // the name in lower case, as ORDER BY and HAVING may use it
	src   *source // of a plain column: its table, and
	plain string  // its own name in lower case
}

// selectStmt binds SELECT, TABLE t and VALUES ROW(...).
func (s *statement) selectStmt(n *ast.SelectStmt, outer *block, ctes *cte) (*rel, error) {
	ctes, err := s.with(n.With, outer, ctes)
	if err != nil {
		return nil, err
	}
	if n.Kind == ast.SelectStmtKindValues {
		return s.valuesStmt(n, outer, ctes)
	}
	r, err := s.selectBlock(n, outer, ctes, false)
	if err != nil && s.shared.regroup == n {
		s.shared.regroup = nil
		return s.selectBlock(n, outer, ctes, true)
	}
	return r, err
}

// selectBlock binds SELECT. grouped tells that one of its subqueries has an aggregate over
// its rows.
func (s *statement) selectBlock(n *ast.SelectStmt, outer *block, ctes *cte, grouped bool) (*rel, error) {
	b := s.newBlock(outer, ctes, &scope{})
	b.sel, b.grouped = n, grouped
	if err := b.refuse(n); err != nil {
		return nil, err
	}
	node, err := b.from(n.From)
	if err != nil {
		return nil, err
	}
	if node, err = b.filter(node, n.Where, where); err != nil {
		return nil, err
	}
	return b.selectList(n, node)
}

// refuse gives error 1235 for what a SELECT may hold and gsql cannot do.
func (b *block) refuse(n *ast.SelectStmt) error {
	switch {
	case n.SelectIntoOpt != nil: // the outermost query's has been taken off
		return sqlerr.New(sqlerr.WrongUsage, "Incorrect usage of nested SELECT and INTO").At(b.find("INTO", b.fromPos()))
	}
	return nil
}

// filter puts a Filter of the condition over node; cond may be nil.
func (b *block) filter(node logical.Node, cond ast.ExprNode, at clause) (logical.Node, error) {
	if cond == nil {
		return node, nil
	}
	preds, err := b.conjuncts(cond, at)
	if err != nil {
		return nil, err
	}
	return &logical.Filter{In: node, Preds: preds}, nil
}

// conjuncts binds a condition and splits it at its ANDs.
func (b *block) conjuncts(cond ast.ExprNode, at clause) ([]expr.Expr, error) {
	defer b.enter(at, at == having)()
	e, err := b.expr(cond)
	if err != nil {
		return nil, err
	}
	return expr.Conjuncts(expr.Truth(e)), nil
}

// enter sets the clause at hand and gives the function that restores the old one.
func (b *block) enter(at clause, aggs bool) func() {
	oldAt, oldAggs, oldIn := b.at, b.aggsAllowed, b.inAgg
	b.at, b.aggsAllowed, b.inAgg = at, aggs, false
	return func() { b.at, b.aggsAllowed, b.inAgg = oldAt, oldAggs, oldIn }
}

// selectList binds everything from GROUP BY on over the rows of node.
func (b *block) selectList(n *ast.SelectStmt, node logical.Node) (*rel, error) {
	b.rows = node
	if b.needsGrouping(n) {
		if err := b.bindGroupBy(n); err != nil {
			return nil, err
		}
	}
	if err := b.bindWindows(n.WindowSpecs); err != nil {
		return nil, err
	}
	if err := b.bindItems(n.Fields.Fields); err != nil {
		return nil, err
	}
	visible := len(b.items)
	var preds []expr.Expr
	var err error
	if n.Having != nil {
		if preds, err = b.conjuncts(n.Having.Expr, having); err != nil {
			return nil, err
		}
		if err = b.regroupAll(preds, having); err != nil {
			return nil, err
		}
	}
	keys, err := b.sortKeys(n.OrderBy)
	if err != nil {
		return nil, err
	}
	if b.group != nil && b.group.rollup != nil && n.OrderBy == nil && !n.Distinct {
		keys = b.rollupOrder()
	}
	below, above := b.placeHaving(preds)
	if b.group != nil {
		node = b.aggregate(node)
	}
	if len(below) > 0 {
		node = &logical.Filter{In: node, Preds: below}
	}
	if len(b.windows.nodes) > 0 {
		node, above = b.windows.over(b.filterItems(node, above)), nil
	}
	return b.finish(n, node, visible, above, keys)
}

// finish projects the select list, filters, removes duplicates, sorts and limits.
func (b *block) finish(n *ast.SelectStmt, node logical.Node, visible int, above []expr.Expr, keys []expr.SortKey) (*rel, error) {
	var err error
	items := make([]logical.Item, len(b.items))
	for i, it := range b.items {
		items[i] = logical.Item{Col: it.col, Expr: it.e}
	}
	node = &logical.Project{In: node, Items: items}
	if len(above) > 0 {
		node = &logical.Filter{In: node, Preds: above}
	}
	if n.Distinct {
		if node, keys, err = b.distinct(node, visible, keys); err != nil {
			return nil, err
		}
	}
	if len(keys) > 0 {
		node = &logical.Sort{In: node, Keys: keys}
	}
	if node, err = b.limit(node, n.Limit); err != nil {
		return nil, err
	}
	out := &rel{node: node, names: make([]string, visible)}
	for i := range out.names {
		out.names[i] = b.items[i].name
	}
	if len(items) > visible { // all items are columns of node, in order
		out.node = passThrough(node, node.Schema()[:visible])
	}
	return out, nil
}

// passThrough keeps the given columns of node.
func passThrough(node logical.Node, cols []logical.Column) logical.Node {
	return &logical.Project{In: node, Items: passItems(cols)}
}

// passItems gives the items that pass columns through.
func passItems(cols []logical.Column) []logical.Item {
	items := make([]logical.Item, len(cols))
	for i, c := range cols {
		items[i] = logical.Item{Col: c, Expr: c.Ref()}
	}
	return items
}

// distinct groups by the visible columns. A column that only ORDER BY needs takes
// its value from some row of each group.
func (b *block) distinct(node logical.Node, visible int, keys []expr.SortKey) (logical.Node, []expr.SortKey, error) {
	cols := node.Schema()
	if len(cols) > visible && b.full {
		return nil, nil, sqlerr.New(sqlerr.OrderNotInSelect, "Expression of ORDER BY clause is not in SELECT list, references column '%s' which is not in SELECT list; this is incompatible with DISTINCT", cols[visible].Name)
	}
	if len(cols) == visible && !anyHasKey(cols) {
		return &logical.Aggregate{In: node, Keys: cols}, keys, nil
	}
	agg, moved, err := b.distinctBy(node, visible)
	if err != nil {
		return nil, nil, err
	}
	for i, k := range keys {
		keys[i].Expr = expr.Map(k.Expr, func(e expr.Expr) expr.Expr {
			if c, ok := e.(*expr.Col); ok && moved[c.ID] != nil {
				return moved[c.ID]
			}
			return e
		})
	}
	return agg, keys, nil
}
