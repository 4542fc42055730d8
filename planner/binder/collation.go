package binder

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// collate binds the operator COLLATE.
func (b *block) collate(n *ast.SetCollationExpr, pos int) (expr.Expr, error) {
	c, err := collation(n.Collate, pos)
	if err != nil {
		return nil, err
	}
	e, err := b.expr(n.Expr)
	if err != nil {
		return nil, err
	}
	return expr.Collate(e, c, pos)
}

// collation finds a collation by name: error 1235 for one that gsql does not have.
func collation(name string, pos int) (types.Collation, error) {
	c, ok := types.CollationCalled(name)
	if ok {
		return c, nil
	}
	names := make([]string, 0, len(types.Collations()))
	for _, c := range types.Collations() {
		names = append(names, c.String())
	}
	return c, sqlerr.Unsupported(pos, "COLLATE %s", name).WithHint("There are %s.", strings.Join(names, ", "))
}

// typeOf gives the type of a column that holds e's values.
func typeOf(e expr.Expr) types.Type {
	t := e.Type()
	if t.ID != types.String {
		return t
	}
	if c, _, err := expr.CollationOf(e); err == nil {
		t.Coll = c
	}
	return t
}

// commonColumn gives the type of column i of a set operation. A literal takes the collation
// of what is on the other side.
func commonColumn(l, r logical.Node, i int) types.Type {
	lt, rt := l.Schema()[i].T, r.Schema()[i].T
	t := expr.CommonType(lt, rt)
	switch {
	case lt.Coll == rt.Coll:
	case isCoercible(l, i):
		t = t.Collated(rt.Coll)
	case isCoercible(r, i):
		t = t.Collated(lt.Coll)
	}
	return t
}

// isCoercible tells whether column i of a plan is computed from literals alone.
func isCoercible(n logical.Node, i int) bool { return coercible(n, n.Schema()[i].ID) }

func coercible(n logical.Node, id expr.ColID) bool {
	literal := func(e expr.Expr) bool {
		_, held, err := expr.CollationOf(e)
		return err == nil && held >= expr.Coercible
	}
	switch x := n.(type) {
	case *logical.Project:
		for _, it := range x.Items {
			if it.Col.ID != id {
				continue
			}
			if c, ok := it.Expr.(*expr.Col); ok {
				return coercible(x.In, c.ID)
			}
			return literal(it.Expr)
		}
	case *logical.Aggregate:
		for _, it := range x.Aggs {
			if it.Col.ID == id {
				return len(it.Agg.Args) > 0 && literal(it.Agg.Args[0])
			}
		}
		return coercible(x.In, id)
	case *logical.Sort:
		return coercible(x.In, id)
	case *logical.Limit:
		return coercible(x.In, id)
	case *logical.Filter:
		return coercible(x.In, id)
	}
	return false
}

// distinctBy leaves one row of each group of rows that agree in the first n columns of
// node, by the keys of those that have collations. moved gives the new columns by the old
// ones.
func (s *statement) distinctBy(node logical.Node, n int) (out logical.Node, moved map[expr.ColID]*expr.Col, err error) {
	cols := node.Schema()
	items, agg := passItems(cols), &logical.Aggregate{}
	moved = map[expr.ColID]*expr.Col{}
	var outs []logical.Item
	for i, c := range cols {
		if i < n && !expr.HasKey(c.T) {
			agg.Keys = append(agg.Keys, c)
			outs = append(outs, logical.Item{Col: c, Expr: c.Ref()})
			continue
		}
		if i < n {
			key, err := expr.CollationKey(c.Ref())
			if err != nil {
				return nil, nil, err
			}
			k := logical.Column{ID: s.newID(), Name: c.Name, T: key.Type(), NotNull: c.NotNull}
			items, agg.Keys = append(items, logical.Item{Col: k, Expr: key}), append(agg.Keys, k)
		}
		first, err := expr.NewAgg(expr.First, []expr.Expr{c.Ref()}, false)
		if err != nil {
			return nil, nil, err
		}
		a := c
		a.ID = s.newID()
		agg.Aggs = append(agg.Aggs, logical.AggItem{Col: a, Agg: first})
		outs = append(outs, logical.Item{Col: a, Expr: a.Ref()})
		moved[c.ID] = a.Ref()
	}
	if len(items) == len(cols) {
		agg.In = node
		return agg, moved, nil
	}
	agg.In = &logical.Project{In: node, Items: items}
	return &logical.Project{In: agg, Items: outs}, moved, nil
}

// without makes EXCEPT and INTERSECT of rows that compare by collations the anti or semi
// join that they mean. For ALL, equal rows are numbered on both sides, and the numbers
// compared too.
func (s *statement) without(n *logical.SetOp) (logical.Node, error) {
	j := &logical.Join{Kind: logical.Semi, L: n.L, R: n.R}
	if n.Kind == logical.Except {
		j.Kind = logical.Anti
	}
	cols := n.L.Schema()
	if n.All {
		j.L, j.R = s.numbered(n.L), s.numbered(n.R)
	}
	l, r := j.L.Schema(), j.R.Schema()
	for i := range l {
		same, err := expr.NewCall("<=>", []expr.Expr{l[i].Ref(), r[i].Ref()}, -1)
		if err != nil {
			return nil, err
		}
		j.On = append(j.On, same)
	}
	if n.All {
		return passThrough(j, cols), nil
	}
	out, _, err := s.distinctBy(j, len(cols))
	return out, err
}

// numbered adds to the rows of in their numbers among those equal to them.
func (s *statement) numbered(in logical.Node) logical.Node {
	number := expr.NewWindowFunc(expr.RowNumber, 0)
	w := &logical.Window{In: in, Funcs: []logical.WindowItem{{
		Col: logical.Column{ID: s.newID(), Name: number.String(), T: number.T, NotNull: true}, Fn: number,
	}}}
	for _, c := range in.Schema() {
		w.Partition = append(w.Partition, expr.Sortable(c.Ref()))
	}
	return w
}

func anyHasKey(cols []logical.Column) bool {
	for i := range cols {
		if expr.HasKey(cols[i].T) {
			return true
		}
	}
	return false
}

// collatedAgg gives the aggregate that takes texts for equal, or orders them, as their
// collation does; the value of MIN and MAX is a pair then.
func collatedAgg(a *expr.Agg) (_ *expr.Agg, err error) {
	switch {
	case a.Fn == expr.Count && a.Distinct:
		for i := range a.Args {
			if a.Args[i], err = expr.CollationKey(a.Args[i]); err != nil {
				return nil, err
			}
		}
	case a.Fn == expr.Min || a.Fn == expr.Max:
		pair, err := expr.CollatedPair(a.Args[0])
		if err != nil || pair == a.Args[0] {
			return a, err
		}
		return expr.NewAgg(a.Fn, []expr.Expr{pair}, a.Distinct)
	}
	return a, nil
}
