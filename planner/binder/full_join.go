package binder

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// fullJoin binds a FULL JOIN as what it means: the LEFT JOIN, and the rows of the right
// operand without partner, their left columns NULL. Both operands are bound twice, so that
// each half has columns of its own.
func (b *block) fullJoin(n *ast.Join) (logical.Node, *scope, error) {
	outer, sc, err := b.onJoin(n)
	if err != nil {
		return nil, nil, err
	}
	if !sameAgain(outer.L) || !sameAgain(outer.R) {
		return nil, nil, sqlerr.Unsupported(b.find("FULL", b.fromPos()), "FULL OUTER JOIN of a query with LIMIT, windows or random values").
			WithHint("It is computed twice and may give other rows then: store it in a table first.")
	}
	half, _, err := b.onJoin(n)
	if err != nil {
		return nil, nil, err
	}
	outer.Kind = logical.Left
	half.Kind, half.L, half.R = logical.Anti, half.R, half.L
	cols := outer.Schema()
	items := make([]logical.Item, len(outer.L.Schema()), len(cols))
	for i := range items {
		items[i] = logical.Item{Col: cols[i], Expr: &expr.Const{Value: catalog.NullOf(cols[i].T)}}
		items[i].Col.ID = b.newID()
	}
	items = append(items, passItems(half.L.Schema())...)
	union := &logical.SetOp{Kind: logical.Union, All: true, L: outer, R: &logical.Project{In: half, Items: items}, Columns: b.renewed(cols)}
	for i := range union.Columns {
		union.Columns[i].NotNull = false
	}
	for i := range sc.cols {
		for k, c := range cols {
			if sc.cols[i].ID == c.ID {
				sc.cols[i].ID, sc.cols[i].NotNull = union.Columns[k].ID, false
			}
		}
	}
	return union, sc, nil
}

// onJoin binds the operands of a join and its condition.
func (b *block) onJoin(n *ast.Join) (*logical.Join, *scope, error) {
	l, ls, err := b.tableRef(n.Left)
	if err != nil {
		return nil, nil, err
	}
	r, rs, err := b.tableRef(n.Right)
	if err != nil {
		return nil, nil, err
	}
	if err := b.distinctAliases(ls, rs); err != nil {
		return nil, nil, err
	}
	j := &logical.Join{L: l, R: r, Hint: b.joinHint(ls, rs, n)}
	sc, old := concat(ls, rs), b.scope
	b.scope = sc
	j.On, err = b.conjuncts(n.On.Expr, onClause)
	b.scope = old
	return j, sc, err
}

// sameAgain tells whether a plan surely gives the same rows when it runs again.
func sameAgain(n logical.Node) bool {
	switch n.(type) {
	case *logical.Limit, *logical.Window:
		return false
	}
	same := true
	logical.EachExpr(n, func(e expr.Expr) { same = same && !expr.Volatile(e) })
	for _, in := range n.Inputs() {
		same = same && sameAgain(in)
	}
	return same
}
