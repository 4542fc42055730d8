package rules

import (
	"gsql/planner/logical"
	"gsql/planner/rules/cond"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// propagateEmpty replaces nodes that cannot return rows by an empty Values: filters that are
// never true, LIMIT 0, and operators over empty inputs.
func propagateEmpty(c *context, n logical.Node) logical.Node {
	switch x := n.(type) {
	case *logical.Filter:
		return emptyIf(c, n, isEmpty(x.In) || neverTrue(x.Preds))
	case *logical.Scan:
		return emptyIf(c, n, neverTrue(x.Preds))
	case *logical.Limit:
		return emptyIf(c, n, isEmpty(x.In) || x.Count == 0)
	case *logical.Project:
		return emptyIf(c, n, isEmpty(x.In))
	case *logical.Window:
		return emptyIf(c, n, isEmpty(x.In))
	case *logical.Sort:
		return emptyIf(c, n, isEmpty(x.In))
	case *logical.Aggregate:
		return emptyIf(c, n, isEmpty(x.In) && len(x.Keys) > 0)
	case *logical.Rollup:
		return emptyIf(c, n, isEmpty(x.In))
	case *logical.Join:
		return emptyJoin(c, x)
	case *logical.SetOp:
		return emptySetOp(c, x)
	case *logical.MaxOneRow:
		if isEmpty(x.In) {
			cols := c.schema(n)
			return &logical.Values{Columns: cols, Rows: [][]expr.Expr{nullsOf(cols)}}
		}
	}
	return n
}

// isEmpty reports whether n is an empty Values.
func isEmpty(n logical.Node) bool {
	v, ok := n.(*logical.Values)
	return ok && len(v.Rows) == 0
}

// neverTrue reports whether a conjunct is the constant FALSE or NULL.
func neverTrue(ps []expr.Expr) bool {
	for _, p := range ps {
		if t := cond.TruthOf(p); t == cond.ConstFalse || t == cond.ConstNull {
			return true
		}
	}
	return false
}

func emptyIf(c *context, n logical.Node, empty bool) logical.Node {
	if !empty {
		return n
	}
	return &logical.Values{Columns: c.schema(n)}
}

func emptyJoin(c *context, j *logical.Join) logical.Node {
	if j.Kind == logical.Full {
		return emptyFullJoin(c, j)
	}
	if isEmpty(j.L) {
		return emptyIf(c, j, true)
	}
	if !isEmpty(j.R) && (j.Kind == logical.Mark || !neverTrue(j.On)) {
		return j
	}
	switch j.Kind {
	case logical.Inner, logical.Semi:
		return emptyIf(c, j, true)
	case logical.Anti:
		return j.L
	}
	items := passItems(c.schema(j.L))
	if j.Kind == logical.Mark {
		items = append(items, logical.Item{Col: j.MarkCol, Expr: cond.False})
	} else {
		padded := c.schema(j)[len(items):]
		for i, e := range nullsOf(padded) {
			items = append(items, logical.Item{Col: padded[i], Expr: e})
		}
	}
	return &logical.Project{In: j.L, Items: items}
}

// nullsOf returns a row of NULLs.
func nullsOf(cols []logical.Column) []expr.Expr {
	row := make([]expr.Expr, len(cols))
	for i, col := range cols {
		row[i] = &expr.Const{Value: catalog.NullOf(col.T)}
	}
	return row
}

// emptySetOp reduces a set operation with an empty input. Without ALL, duplicates of the other
// input are still removed.
func emptySetOp(c *context, s *logical.SetOp) logical.Node {
	l, r := isEmpty(s.L), isEmpty(s.R)
	keep := s.L
	switch {
	case !l && !r:
		return s
	case l && (r || s.Kind != logical.Union), s.Kind == logical.Intersect:
		return emptyIf(c, s, true)
	case l:
		keep = s.R
	}
	items := make([]logical.Item, len(s.Columns))
	for i, col := range c.schema(keep) {
		items[i] = logical.Item{Col: s.Columns[i], Expr: col.Ref()}
	}
	p := &logical.Project{In: keep, Items: items}
	if s.All {
		return p
	}
	return &logical.Aggregate{In: p, Keys: s.Columns}
}
