package block

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/scope"
	"gsql/planner/logical"
	"gsql/sql/expr"
)

// Selection is the result of binding a SELECT from GROUP BY to ORDER BY.
type Selection struct {
	Node    logical.Node   // the rows from which the items are computed
	Items   []logical.Item // the select list, then items that only ORDER BY and HAVING need
	Names   []string       // result set names of the select list
	Above   []expr.Expr    // conditions of HAVING over the items
	Keys    []expr.SortKey // ORDER BY over the items
	Grouped bool           // the rows are groups
	Merges  bool           // MySQL merges the SELECT with a query around it
}

// Select binds everything from GROUP BY on over the rows of node.
func (b *Block) Select(n *ast.SelectStmt, node logical.Node) (*Selection, error) {
	if b.needsGrouping(n) {
		b.group = newGrouping(b, node)
		if err := b.group.bind(n); err != nil {
			return nil, err
		}
	}
	if err := b.bindWindows(n.WindowSpecs); err != nil {
		return nil, err
	}
	if err := b.list.bind(n.Fields.Fields); err != nil {
		return nil, err
	}
	visible := len(b.list.items)
	out := &Selection{Grouped: b.group != nil}
	preds, err := b.bindHaving(n.Having)
	if err != nil {
		return nil, err
	}
	if out.Keys, err = b.list.sortKeys(n.OrderBy); err != nil {
		return nil, err
	}
	if b.group != nil && b.group.rollup != nil && n.OrderBy == nil && !n.Distinct {
		out.Keys = b.group.rollup.order()
	}
	b.list.divideAverages(preds, out.Keys)
	b.list.showAggregates(preds, out.Keys)
	below, above := b.list.placeHaving(preds)
	if b.group != nil {
		node = b.group.aggregate(node)
	}
	if len(below) > 0 {
		node = &logical.Filter{In: node, Preds: below}
	}
	if len(b.windows.nodes) > 0 {
		node, above = b.windows.over(b.list.filterItems(node, above)), nil
	}
	out.Merges = b.merges()
	out.Node, out.Items, out.Names, out.Above = node, b.list.outputs(), b.list.names(visible), above
	return out, nil
}

// merges reports whether MySQL replaces the columns of the SELECT, if that is a derived table, by the expressions of
// its select list, instead of computing a temporary table.
func (b *Block) merges() bool {
	n := b.sel
	if n.From == nil || n.Distinct || n.GroupBy != nil || n.Having != nil || n.Limit != nil || b.group != nil || hasWindows(n) {
		return false
	}
	return !slices.ContainsFunc(b.list.items, func(it item) bool { return expr.Volatile(it.e) })
}

// bindHaving binds HAVING over the rows or groups; n may be nil.
func (b *Block) bindHaving(n *ast.HavingClause) ([]expr.Expr, error) {
	if n == nil {
		return nil, nil
	}
	preds, err := b.Conjuncts(n.Expr, scope.Having)
	if err != nil || b.group == nil {
		return preds, err
	}
	return preds, b.group.regroupAll(preds, scope.Having)
}
