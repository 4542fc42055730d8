package binder

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/parse"
	"gsql/sql/sqlerr"
)

// join binds a join. RIGHT JOIN becomes LEFT with its sides swapped; SELECT * still
// shows the columns as written.
func (b *block) join(n *ast.Join) (logical.Node, *scope, error) {
	switch b.joins[n] {
	case parse.Full:
		return b.fullJoin(n)
	case parse.Asof:
		return b.asofJoin(n)
	}
	l, ls, err := b.tableRef(n.Left)
	if err != nil {
		return nil, nil, err
	}
	leave := b.lateral.enter(ls, n.Tp)
	r, rs, err := b.tableRef(n.Right)
	leave()
	if err != nil {
		return nil, nil, err
	}
	if err := b.distinctAliases(ls, rs); err != nil {
		return nil, nil, err
	}
	j := &logical.Join{L: l, R: r, Hint: b.joinHint(ls, rs, n), Correlated: b.lateral.tookFrom(ls)}
	right := n.Tp == ast.RightJoin
	if n.Tp == ast.LeftJoin || right {
		j.Kind = logical.Left
	}
	sc := extend(ls, rs)
	switch {
	case n.NaturalJoin || len(n.Using) > 0:
		sc, j.On, err = b.using(n, ls, rs)
	case n.On != nil:
		old := b.scope
		b.scope = sc
		j.On, err = b.conjuncts(n.On.Expr, onClause)
		b.scope = old
	}
	if err != nil {
		return nil, nil, err
	}
	if right {
		j.L, j.R = j.R, j.L
	}
	if j.Kind == logical.Left {
		sc.nullable(j.R)
	}
	return j, sc, nil
}

// concat gives the columns of both operands.
func concat(l, r *scope) *scope {
	return &scope{
		cols:    append(append(make([]column, 0, len(l.cols)+len(r.cols)), l.cols...), r.cols...),
		sources: append(append(make([]*source, 0, len(l.sources)+len(r.sources)), l.sources...), r.sources...),
	}
}

// extend is concat where nothing will look at l again: a chain of joins adds to one list.
func extend(l, r *scope) *scope {
	return &scope{cols: append(l.cols, r.cols...), sources: append(l.sources, r.sources...)}
}

// nullable marks the columns of the inner side of an outer join.
func (s *scope) nullable(inner logical.Node) {
	for _, c := range inner.Schema() {
		if col := s.byID(c.ID); col != nil {
			col.NotNull = false
		}
	}
}

// distinctAliases gives error 1066 when both sides have a table of the same name.
func (b *block) distinctAliases(l, r *scope) error {
	for _, y := range r.sources {
		if x := l.source("", y.key); x != nil && x.db == y.db {
			pos := b.find(y.alias, b.fromPos())
			if next := b.find(y.alias, pos+1); next >= 0 {
				pos = next
			}
			return sqlerr.New(sqlerr.NonUniqTable, "Not unique table/alias: '%s'", y.alias).At(pos).
				WithHint("Give one of the two an alias: %s AS other.", y.alias)
		}
	}
	return nil
}

// using binds the condition of USING or NATURAL. The scope begins with the common
// columns, each of which stands for both; of an outer join it is the one of the side
// that keeps its rows.
func (b *block) using(n *ast.Join, ls, rs *scope) (*scope, []expr.Expr, error) {
	if n.Tp == ast.RightJoin {
		ls, rs = rs, ls
	}
	names := n.Using
	if n.NaturalJoin {
		names = commonColumns(ls, rs)
	}
	lcols, rcols := append([]column(nil), ls.cols...), append([]column(nil), rs.cols...)
	taken := map[expr.ColID]bool{}
	var common []column
	var on []expr.Expr
	for _, name := range names {
		l, err := b.usingColumn(ls, name)
		if err != nil {
			return nil, nil, err
		}
		r, err := b.usingColumn(rs, name)
		if err != nil {
			return nil, nil, err
		}
		eq, err := expr.NewCall("=", []expr.Expr{l.Ref(), r.Ref()}, b.find(name.Name.O, 0))
		if err != nil {
			return nil, nil, err
		}
		on = append(on, eq)
		common = append(common, *l)
		taken[l.ID] = true
		for i := range rcols {
			if rcols[i].ID == r.ID {
				rcols[i].merged = true
			}
		}
	}
	sc := &scope{sources: append(append([]*source(nil), ls.sources...), rs.sources...)}
	sc.cols = append(inOrder(common, lcols), without(lcols, taken)...)
	sc.cols = append(sc.cols, rcols...)
	return sc, on, nil
}

// inOrder gives the common columns in the order in which the left side has them.
func inOrder(common, left []column) []column {
	out := make([]column, 0, len(common))
	for _, l := range left {
		for _, c := range common {
			if c.ID == l.ID {
				out = append(out, c)
				break
			}
		}
	}
	return out
}

func without(cols []column, taken map[expr.ColID]bool) []column {
	out := make([]column, 0, len(cols))
	for _, c := range cols {
		if !taken[c.ID] {
			out = append(out, c)
		}
	}
	return out
}

// usingColumn finds a common column in one operand.
func (b *block) usingColumn(s *scope, name *ast.ColumnName) (*column, error) {
	bare := &ast.ColumnName{Name: name.Name}
	c, n := s.find(bare)
	pos := b.find(name.Name.O, max(b.find("USING", 0), 0))
	switch {
	case n == 0:
		return nil, sqlerr.New(sqlerr.BadField, "Unknown column '%s' in '%s'", name.Name.O, fromClause).At(pos).
			WithHint("USING wants columns that both tables have.")
	case n > 1:
		return nil, ambiguous(name.Name.O, fromClause, pos)
	}
	return c, nil
}

// commonColumns lists the names that both operands have, for NATURAL joins.
func commonColumns(l, r *scope) []*ast.ColumnName {
	var out []*ast.ColumnName
	seen := map[string]bool{}
	for i := range l.cols {
		c := &l.cols[i]
		name := &ast.ColumnName{Name: ast.NewCIStr(c.Name)}
		if _, n := r.find(name); c.merged || n == 0 || seen[c.key] {
			continue
		}
		seen[c.key] = true
		out = append(out, name)
	}
	return out
}
