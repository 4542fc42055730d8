package query

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/block"
	"gsql/planner/binder/scope"
	"gsql/planner/binder/statement"
	"gsql/planner/logical"
	"gsql/sql/sqlerr"
)

// selectStmt binds SELECT, TABLE t and VALUES ROW(...).
func (q *Binder) selectStmt(n *ast.SelectStmt, outer *block.Block, ctes *cte, keeps statement.Digits) (*Rel, error) {
	ctes, err := q.with(n.With, outer, ctes)
	if err != nil {
		return nil, err
	}
	if n.Kind == ast.SelectStmtKindValues {
		return q.valuesStmt(n, outer, ctes)
	}
	r, err := q.selectBlock(n, outer, ctes, keeps, false)
	if err != nil && q.Shared.Regroup == n {
		q.Shared.Regroup = nil
		return q.selectBlock(n, outer, ctes, keeps, true)
	}
	return r, err
}

// selectBlock binds SELECT. grouped is set if one of its subqueries has an aggregate over its
// rows.
func (q *Binder) selectBlock(n *ast.SelectStmt, outer *block.Block, ctes *cte, keeps statement.Digits, grouped bool) (*Rel, error) {
	b := q.newBlock(outer, ctes, &scope.Scope{})
	b.OfSelect(n, keeps, grouped)
	if n.SelectIntoOpt != nil { // parsing removes it from the outermost query
		return nil, sqlerr.New(sqlerr.WrongUsage, "Incorrect usage of nested SELECT and INTO").At(q.Find("INTO", fromPos(n)))
	}
	node, err := q.from(b, ctes, n, n.From)
	if err != nil {
		return nil, err
	}
	if err := checkLocked(n, b.Scope); err != nil {
		return nil, err
	}
	if node, err = b.Filter(node, n.Where, scope.Where); err != nil {
		return nil, err
	}
	sel, err := b.Select(n, node)
	if err != nil {
		return nil, err
	}
	return q.finish(n, sel, b.Scope)
}

// finish projects the select list, filters, removes duplicates, sorts and limits. sc holds the
// columns of FROM.
func (q *Binder) finish(n *ast.SelectStmt, sel *block.Selection, sc *scope.Scope) (*Rel, error) {
	visible, keys := len(sel.Names), sel.Keys
	locks, ids, beyond := q.lockItems(n, sel, sc)
	items := append(sel.Items, ids...)
	var node logical.Node = &logical.Project{In: sel.Node, Items: items}
	if len(sel.Above) > 0 {
		node = &logical.Filter{In: node, Preds: sel.Above}
	}
	var err error
	if n.Distinct {
		if node, keys, err = q.distinct(node, visible, keys); err != nil {
			return nil, err
		}
	}
	if len(keys) > 0 {
		node = &logical.Sort{In: node, Keys: keys}
	}
	if node, err = Limit(q.Statement, node, n.Limit); err != nil {
		return nil, err
	}
	out := &Rel{Node: node, Names: sel.Names, Single: true, merges: sel.Merges, locks: locks, beyond: beyond}
	if len(items) > visible { // all items are columns of node, in order
		cols := node.Schema()
		out.Node = scope.PassThrough(node, slices.Concat(cols[:visible], cols[len(cols)-len(ids):]))
	}
	for i := range locks {
		locks[i].Col = visible + i
	}
	return out, nil
}
