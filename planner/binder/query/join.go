package query

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/scope"
	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

// join binds a join. RIGHT JOIN becomes LEFT JOIN with its sides swapped; SELECT * still returns
// the columns in the order written.
func (f *from) join(n *ast.Join) (logical.Node, *scope.Scope, error) {
	switch f.Joins[n] {
	case parse.Full:
		return f.fullJoin(n)
	case parse.Asof:
		return f.asofJoin(n)
	}
	l, ls, err := f.tableRef(n.Left)
	if err != nil {
		return nil, nil, err
	}
	leave := f.seeLeft(ls, n.Tp)
	r, rs, err := f.tableRef(n.Right)
	leave()
	if err != nil {
		return nil, nil, err
	}
	if err := f.distinctAliases(ls, rs); err != nil {
		return nil, nil, err
	}
	j := &logical.Join{L: l, R: r, Hint: f.joinHint(ls, rs, n), Correlated: f.tookFrom(ls)}
	right := n.Tp == ast.RightJoin
	if n.Tp == ast.LeftJoin || right {
		j.Kind = logical.Left
	}
	sc := scope.Extend(ls, rs)
	switch {
	case n.NaturalJoin || len(n.Using) > 0:
		sc, j.On, err = scope.Using(f.Statement, n, ls, rs)
	case n.On != nil:
		j.On, err = f.on(n.On.Expr, sc)
	}
	if err != nil {
		return nil, nil, err
	}
	if right {
		j.L, j.R = j.R, j.L
	}
	if j.Kind == logical.Left {
		sc.Nullable(j.R)
	}
	return j, sc, nil
}

// distinctAliases returns error 1066 if both sides have a table with the same name.
func (f *from) distinctAliases(l, r *scope.Scope) error {
	for _, y := range r.Sources {
		if x := l.Source("", y.Key); x != nil && x.DB == y.DB {
			pos := f.Find(y.Alias, fromPos(f.sel))
			if next := f.Find(y.Alias, pos+1); next >= 0 {
				pos = next
			}
			return sqlerr.New(sqlerr.NonUniqTable, "Not unique table/alias: '%s'", y.Alias).At(pos).
				WithHint("Give one of the two an alias: %s AS other.", y.Alias)
		}
	}
	return nil
}

// on binds a join's condition over the columns of both operands.
func (f *from) on(cond ast.ExprNode, sc *scope.Scope) ([]expr.Expr, error) {
	old := f.b.Scope
	f.b.Scope = sc
	preds, err := f.b.Conjuncts(cond, scope.OnClause)
	f.b.Scope = old
	return preds, err
}
