package rules

import (
	"slices"

	"gsql/planner/colset"
	"gsql/planner/logical"
	"gsql/planner/rules/cond"
	"gsql/planner/rules/dependent"
	"gsql/sql/expr"
)

// eliminateFilter drops a filter without predicates.
func eliminateFilter(c *context, n logical.Node) logical.Node {
	if f, ok := n.(*logical.Filter); ok && len(f.Preds) == 0 {
		return f.In
	}
	return n
}

// eliminateKeys drops the keys of an aggregate that are functions of its other keys.
func eliminateKeys(c *context, n logical.Node) logical.Node {
	if a, ok := n.(*logical.Aggregate); ok {
		if m := dependent.Reduce(a); m != nil {
			return m
		}
	}
	return n
}

// eliminateProject drops a projection that only passes its input through.
func eliminateProject(c *context, n logical.Node) logical.Node {
	p, ok := n.(*logical.Project)
	if !ok {
		return n
	}
	for i := range p.Items {
		if !isPass(&p.Items[i]) {
			return n
		}
	}
	if c.out(p.In).Count() != len(p.Items) { // cheaper than building the schema of a tree of joins
		return n
	}
	for i, col := range c.schema(p.In) {
		if i >= len(p.Items) || p.Items[i].Col.ID != col.ID {
			return n
		}
	}
	return p.In
}

// mergeProjects merges two projections. Expressions that the outer one uses several times are
// still computed once, and volatile ones stay in place.
func mergeProjects(c *context, n logical.Node) logical.Node {
	outer, ok := n.(*logical.Project)
	if !ok {
		return n
	}
	inner, ok := outer.In.(*logical.Project)
	if !ok {
		return n
	}
	by, uses := itemsByID(inner.Items), map[expr.ColID]int{}
	for i := range outer.Items {
		expr.Walk(outer.Items[i].Expr, func(e expr.Expr) bool {
			if col, ok := e.(*expr.Col); ok {
				uses[col.ID]++
			}
			return true
		})
		if cond.HasSubquery(outer.Items[i].Expr) {
			return n
		}
	}
	for id, e := range by {
		if k := uses[id]; k > 0 && !cond.Stable(e) || cond.HasSubquery(e) || k > 1 && cond.Size(e, 2) > 1 {
			return n
		}
	}
	items := make([]logical.Item, len(outer.Items))
	for i, it := range outer.Items {
		items[i] = logical.Item{Col: it.Col, Expr: cond.Substitute(it.Expr, by)}
	}
	return &logical.Project{In: inner.In, Items: items}
}

// eliminateSort drops a sort whose order the operator above destroys or ignores. GROUP_CONCAT and
// ANY_VALUE depend on the order of their input, so a sort below them stays.
func eliminateSort(c *context, n logical.Node) logical.Node {
	switch x := n.(type) {
	case *logical.Aggregate:
		for _, a := range x.Aggs {
			if a.Agg.Fn.Gathers() || a.Agg.Fn == expr.First {
				return n
			}
		}
	case *logical.Window:
		if slices.ContainsFunc(x.Funcs, func(it logical.WindowItem) bool { return dependsOnPeers(it.Fn) }) {
			return n
		}
	case *logical.Join, *logical.SetOp, *logical.Sort, *logical.MaxOneRow:
	default:
		return n
	}
	m, _ := logical.MapInputs(n, func(in logical.Node) (logical.Node, error) { return unsorted(in), nil })
	return m
}

// dependsOnPeers reports whether the function can tell apart the rows of a partition that agree in the
// window's order: those come in the order of the input.
func dependsOnPeers(f *expr.WindowFunc) bool {
	switch f.Fn {
	case expr.Rank, expr.DenseRank, expr.PercentRank, expr.CumeDist:
		return false
	case expr.WindowAgg:
		return f.Agg.Gathers() || f.Agg == expr.First || f.Frame != nil && f.Frame.Unit == expr.Rows
	}
	return true
}

// unsorted drops the sorts at the top of n that only order its rows.
func unsorted(n logical.Node) logical.Node {
	switch x := n.(type) {
	case *logical.Sort:
		return unsorted(x.In)
	case *logical.Filter, *logical.Project:
		in := onlyInput(n)
		if m := unsorted(in); m != in {
			return n.WithInputs([]logical.Node{m})
		}
	}
	return n
}

// eliminateSortKeys drops constant and repeated sort keys, and sorts of a single row.
func eliminateSortKeys(c *context, n logical.Node) logical.Node {
	s, ok := n.(*logical.Sort)
	if !ok {
		return n
	}
	if exactlyOneRow(s.In) {
		return s.In
	}
	seen, keys := cond.Set{}, s.Keys[:0:0]
	for i, k := range s.Keys {
		switch _, is := k.Expr.(*expr.Const); {
		case is || !seen.Add(k.Expr):
		case len(keys) == i:
			keys = s.Keys[: i+1 : i+1] // appending to it copies
		default:
			keys = append(keys, k)
		}
	}
	switch len(keys) {
	case len(s.Keys):
		return n
	case 0:
		return s.In
	}
	return &logical.Sort{In: s.In, Keys: keys}
}

// eliminateDistinct drops DISTINCT over rows that are already distinct because the columns
// contain a key of the input.
func eliminateDistinct(c *context, n logical.Node) logical.Node {
	a, ok := n.(*logical.Aggregate)
	if !ok || len(a.Aggs) > 0 || len(a.Keys) == 0 {
		return n
	}
	var keys colset.Set
	for _, k := range a.Keys {
		keys.Add(k.ID)
	}
	if !c.hasKey(a.In, keys) {
		return n
	}
	return &logical.Project{In: a.In, Items: passItems(a.Keys)}
}

// mergeLimits merges two limits.
func mergeLimits(c *context, n logical.Node) logical.Node {
	outer, ok := n.(*logical.Limit)
	if !ok {
		return n
	}
	if outer.Count < 0 && outer.Offset == 0 {
		return outer.In
	}
	inner, ok := outer.In.(*logical.Limit)
	if !ok || outer.Offset > maxOffset || inner.Offset > maxOffset {
		return n
	}
	m := &logical.Limit{In: inner.In, Count: outer.Count, Offset: inner.Offset + outer.Offset}
	if left := max(inner.Count-outer.Offset, 0); inner.Count >= 0 && (m.Count < 0 || left < m.Count) {
		m.Count = left
	}
	return m
}

// maxOffset keeps sums of offsets within int64.
const maxOffset = 1 << 61

// pushLimitIntoProject moves a limit below a projection, so that it meets the sort there.
func pushLimitIntoProject(c *context, n logical.Node) logical.Node {
	l, ok := n.(*logical.Limit)
	if !ok {
		return n
	}
	p, ok := l.In.(*logical.Project)
	if !ok {
		return n
	}
	return &logical.Project{In: &logical.Limit{In: p.In, Count: l.Count, Offset: l.Offset}, Items: p.Items}
}

// eliminateMaxOneRow drops the guard over an input of exactly one row.
func eliminateMaxOneRow(c *context, n logical.Node) logical.Node {
	if m, ok := n.(*logical.MaxOneRow); ok && exactlyOneRow(m.In) {
		return m.In
	}
	return n
}

// eliminateCrossJoin replaces an inner join with a single literal row, such as (SELECT 1 AS k),
// by a projection that adds its values.
func eliminateCrossJoin(c *context, n logical.Node) logical.Node {
	j, ok := n.(*logical.Join)
	if !ok || j.Kind != logical.Inner || cond.AnySubquery(j.On) { // their plans may refer to the row
		return n
	}
	other := j.L
	row, ok := literalRow(j.R)
	if !ok || j.Correlated {
		other = j.R
		if row, ok = literalRow(j.L); !ok || j.Correlated {
			return n
		}
	}
	by := itemsByID(row)
	on, _ := logical.MapList(j.On, func(e expr.Expr) expr.Expr { return cond.Substitute(e, by) })
	if len(row) == 0 {
		return filter(other, on)
	}
	items := passItems(c.schema(j))
	for i, it := range items {
		if e, ok := by[it.Col.ID]; ok {
			items[i].Expr = e
		}
	}
	return &logical.Project{In: filter(other, on), Items: items}
}

// literalRow returns the items of a node that computes one literal row.
func literalRow(n logical.Node) ([]logical.Item, bool) {
	switch x := n.(type) {
	case *logical.Values:
		if len(x.Rows) != 1 {
			return nil, false
		}
		items := make([]logical.Item, len(x.Columns))
		for i, col := range x.Columns {
			items[i] = logical.Item{Col: col, Expr: x.Rows[0][i]}
		}
		return items, allLiteral(items)
	case *logical.Project:
		if v, ok := x.In.(*logical.Values); ok && len(v.Columns) == 0 && len(v.Rows) == 1 {
			return x.Items, allLiteral(x.Items)
		}
	}
	return nil, false
}

func allLiteral(items []logical.Item) bool {
	for i := range items {
		if cond.HasSubquery(items[i].Expr) || !cond.Stable(items[i].Expr) {
			return false
		}
	}
	return true
}

// convertSingleJoin turns the join of a scalar subquery that is proven to return at most one row
// into a LEFT JOIN.
func convertSingleJoin(c *context, n logical.Node) logical.Node {
	j, ok := n.(*logical.Join)
	if !ok || j.Kind != logical.Single {
		return n
	}
	one := c.atMostOneRow(j.R)
	if !one && !j.Correlated {
		one = c.atMostOnePartner(j)
	}
	if !one {
		return n
	}
	m := *j
	m.Kind = logical.Left
	return &m
}

// convertLeftJoin turns a LEFT JOIN without conditions whose right side always has one row into
// an inner join.
func convertLeftJoin(c *context, n logical.Node) logical.Node {
	j, ok := n.(*logical.Join)
	if !ok || j.Kind != logical.Left || len(j.On) > 0 || !exactlyOneRow(j.R) {
		return n
	}
	m := *j
	m.Kind = logical.Inner
	return &m
}
