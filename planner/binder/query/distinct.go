package query

import (
	"gsql/planner/binder/scalar"
	"gsql/planner/binder/scope"
	"gsql/planner/binder/statement"
	"gsql/planner/logical"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

// commonColumn returns the type of column i of a set operation. A literal takes the collation of the other side.
func commonColumn(l, r logical.Node, i int) types.Type {
	lt, rt := l.Schema()[i].T, r.Schema()[i].T
	t := expr.CommonType(lt, rt)
	switch {
	case lt.Coll == rt.Coll:
	case scalar.IsCoercible(l, i):
		t = t.Collated(rt.Coll)
	case scalar.IsCoercible(r, i):
		t = t.Collated(lt.Coll)
	}
	return t
}

// distinctBy keeps one row of each group of rows that agree in the first n columns of node. Columns with
// collations are compared by their keys. moved maps old columns to new ones.
func distinctBy(s *statement.Statement, node logical.Node, n int) (out logical.Node, moved map[expr.ColID]*expr.Col, err error) {
	cols := node.Schema()
	items, agg := scope.PassItems(cols), &logical.Aggregate{}
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
			k := logical.Column{ID: s.NewID(), Name: c.Name, T: key.Type(), NotNull: c.NotNull}
			items, agg.Keys = append(items, logical.Item{Col: k, Expr: key}), append(agg.Keys, k)
		}
		first, err := expr.NewAgg(expr.First, []expr.Expr{c.Ref()}, false)
		if err != nil {
			return nil, nil, err
		}
		a := c
		a.ID = s.NewID()
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

// without returns the anti or semi join that implements EXCEPT or INTERSECT for rows compared by
// collations. For ALL, equal rows are numbered on both sides and the numbers are compared too.
func without(s *statement.Statement, n *logical.SetOp) (logical.Node, error) {
	j := &logical.Join{Kind: logical.Semi, L: n.L, R: n.R}
	if n.Kind == logical.Except {
		j.Kind = logical.Anti
	}
	cols := n.L.Schema()
	if n.All {
		j.L, j.R = numbered(s, n.L), numbered(s, n.R)
	}
	l, r := j.L.Schema(), j.R.Schema()
	for i := range l {
		same, err := expr.NewCall(expr.FuncNullSafeEQ, []expr.Expr{l[i].Ref(), r[i].Ref()}, -1)
		if err != nil {
			return nil, err
		}
		j.On = append(j.On, same)
	}
	if n.All {
		return scope.PassThrough(j, cols), nil
	}
	out, _, err := distinctBy(s, j, len(cols))
	return out, err
}

// numbered adds to each row of in its number among the rows equal to it.
func numbered(s *statement.Statement, in logical.Node) logical.Node {
	number := expr.NewWindowFunc(expr.RowNumber, 0)
	w := &logical.Window{In: in, Funcs: []logical.WindowItem{{
		Col: logical.Column{ID: s.NewID(), Name: number.String(), T: number.T, NotNull: true}, Fn: number,
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

// distinct groups by the visible columns. A column that only ORDER BY uses takes its value from
// an arbitrary row of each group.
func (q *Binder) distinct(node logical.Node, visible int, keys []expr.SortKey) (logical.Node, []expr.SortKey, error) {
	cols := node.Schema()
	if len(cols) > visible && q.Full {
		return nil, nil, sqlerr.New(sqlerr.OrderNotInSelect, "Expression of ORDER BY clause is not in SELECT list, references column '%s' which is not in SELECT list; this is incompatible with DISTINCT", cols[visible].Name)
	}
	if len(cols) == visible && !anyHasKey(cols) {
		return &logical.Aggregate{In: node, Keys: cols}, keys, nil
	}
	agg, moved, err := distinctBy(q.Statement, node, visible)
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
