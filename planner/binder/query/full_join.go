package query

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/scope"
	"gsql/planner/logical"
	"gsql/sql/expr"
)

// fullJoin binds a FULL JOIN.
func (f *from) fullJoin(n *ast.Join) (logical.Node, *scope.Scope, error) {
	j, sc, err := f.onJoin(n)
	if err != nil {
		return nil, nil, err
	}
	j.Kind = logical.Full
	sc.Nullable(j.L)
	sc.Nullable(j.R)
	if len(n.Using) == 0 && !n.NaturalJoin {
		return j, sc, nil
	}
	return f.coalesced(j, sc)
}

// coalesced turns the first columns of a scope, those of USING, into the non-NULL value of either
// side of the join. Qualified names still find the sides' own columns.
func (f *from) coalesced(j *logical.Join, sc *scope.Scope) (logical.Node, *scope.Scope, error) {
	items := scope.PassItems(j.Schema())
	right := scope.IDsOf(j.R.Schema())
	common := make([]scope.Column, len(j.On))
	for i := range common {
		l := &sc.Columns[i]
		args := []expr.Expr{l.Ref()}
		for k := range sc.Columns {
			if r := &sc.Columns[k]; r.Merged && r.Key == l.Key && right[r.ID] {
				args = append(args, r.Ref())
			}
		}
		either, err := expr.NewCall(expr.FuncCoalesce, args, -1)
		if err != nil {
			return nil, nil, err
		}
		common[i] = scope.Column{Column: f.b.Fresh(l.Name, either), Key: l.Key}
		common[i].NotNull = false
		items = append(items, logical.Item{Col: common[i].Column, Expr: either})
		l.Merged = true
	}
	return &logical.Project{In: j, Items: items}, &scope.Scope{Columns: append(common, sc.Columns...), Sources: sc.Sources}, nil
}

// onJoin binds the operands of a join and its condition.
func (f *from) onJoin(n *ast.Join) (*logical.Join, *scope.Scope, error) {
	l, ls, err := f.tableRef(n.Left)
	if err != nil {
		return nil, nil, err
	}
	r, rs, err := f.tableRef(n.Right)
	if err != nil {
		return nil, nil, err
	}
	if err := f.distinctAliases(ls, rs); err != nil {
		return nil, nil, err
	}
	j := &logical.Join{L: l, R: r, Hint: f.joinHint(ls, rs, n)}
	if len(n.Using) > 0 || n.NaturalJoin {
		sc, on, err := scope.Using(f.Statement, n, ls, rs)
		j.On = on
		return j, sc, err
	}
	sc := scope.Concat(ls, rs)
	j.On, err = f.on(n.On.Expr, sc)
	return j, sc, err
}
