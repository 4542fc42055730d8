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
	if len(n.Using) == 0 && !n.NaturalJoin {
		return union, sc, nil
	}
	return b.coalesced(union, sc, len(outer.On))
}

// coalesced makes the first n columns of a scope, those of USING, what either side has.
// Their own columns are found by qualified names.
func (b *block) coalesced(node logical.Node, sc *scope, n int) (logical.Node, *scope, error) {
	items := passItems(node.Schema())
	common := make([]column, n)
	for i := range n {
		l := &sc.cols[i]
		args := []expr.Expr{l.Ref()}
		for k := n; k < len(sc.cols); k++ {
			if r := &sc.cols[k]; r.merged && r.key == l.key {
				args = append(args, r.Ref())
			}
		}
		either, err := expr.NewCall("coalesce", args, -1)
		if err != nil {
			return nil, nil, err
		}
		common[i] = column{Column: b.fresh(l.Name, either), key: l.key}
		common[i].NotNull = false
		items = append(items, logical.Item{Col: common[i].Column, Expr: either})
		l.merged = true
	}
	return &logical.Project{In: node, Items: items}, &scope{cols: append(common, sc.cols...), sources: sc.sources}, nil
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
	if len(n.Using) > 0 || n.NaturalJoin {
		sc, on, err := b.using(n, ls, rs)
		j.On = on
		return j, sc, err
	}
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
