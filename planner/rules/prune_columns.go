package rules

import (
	"gsql/planner/colset"
	"gsql/planner/logical"
	"gsql/sql/expr"
)

// pruneColumns drops columns that are never read: from scans, literal rows, projections,
// aggregates and UNION ALL. It also drops marks and outer joins whose columns are never read. The
// output of the whole plan does not change.
func pruneColumns(c *context, n logical.Node) (logical.Node, error) {
	return exactly(c, n, c.schema(n)), nil
}

// prune returns n with at least the needed columns, in any order.
func prune(c *context, n logical.Node, need colset.Set) logical.Node {
	switch x := n.(type) {
	case *logical.Scan:
		return pruneScan(c, x, need)
	case *logical.Values:
		return pruneValues(x, need)
	case *logical.Filter:
		return pruneInput(c, n, x.In, need.Union(c.refsOf(x.Preds...)))
	case *logical.Project:
		return pruneProject(c, x, need)
	case *logical.Join:
		return pruneJoin(c, x, need)
	case *logical.Aggregate:
		return pruneAggregate(c, x, need)
	case *logical.Rollup:
		return pruneRollup(c, x, need)
	case *logical.Window:
		return pruneWindow(c, x, need)
	case *logical.Sort:
		need = need.Clone()
		for _, k := range x.Keys {
			c.refs(k.Expr, &need)
		}
		return pruneInput(c, n, x.In, need)
	case *logical.SetOp:
		return pruneSetOp(c, x, need)
	case *logical.Recursive: // any column may affect the next iteration
		return pruneBoth(c, x, x.Seed, x.Step)
	case *logical.Limit:
		return pruneInput(c, n, x.In, need)
	case *logical.MaxOneRow:
		return pruneInput(c, n, x.In, need)
	}
	return n
}

func pruneInput(c *context, n, in logical.Node, need colset.Set) logical.Node {
	if m := prune(c, in, need); m != in {
		return n.WithInputs([]logical.Node{m})
	}
	return n
}

// pruneBoth prunes the inputs of an operator that reads all their columns by position.
func pruneBoth(c *context, n, l, r logical.Node) logical.Node {
	a, b := exactly(c, l, c.schema(l)), exactly(c, r, c.schema(r))
	if a == l && b == r {
		return n
	}
	return n.WithInputs([]logical.Node{a, b})
}

func pruneScan(c *context, x *logical.Scan, need colset.Set) logical.Node {
	need = need.Union(c.refsOf(x.Preds...))
	if c.out(x).SubsetOf(need) {
		return x
	}
	m, n := *x, min(need.Count(), len(x.Columns))
	m.Columns, m.Ordinals = make([]logical.Column, 0, n), make([]int, 0, n)
	for i, col := range x.Columns {
		if need.Has(col.ID) {
			m.Columns = append(m.Columns, col)
			m.Ordinals = append(m.Ordinals, x.Ordinals[i])
		}
	}
	return &m
}

func pruneValues(x *logical.Values, need colset.Set) logical.Node {
	var keep []int
	for i, col := range x.Columns {
		if need.Has(col.ID) {
			keep = append(keep, i)
		}
	}
	if len(keep) == len(x.Columns) {
		return x
	}
	m := &logical.Values{Rows: make([][]expr.Expr, len(x.Rows))}
	for _, i := range keep {
		m.Columns = append(m.Columns, x.Columns[i])
	}
	for r, row := range x.Rows {
		for _, i := range keep {
			m.Rows[r] = append(m.Rows[r], row[i])
		}
	}
	return m
}

func pruneProject(c *context, x *logical.Project, need colset.Set) logical.Node {
	items := x.Items
	if !c.out(x).SubsetOf(need) {
		items = nil
		for _, it := range x.Items {
			if need.Has(it.Col.ID) || expr.Assigns(it.Expr) {
				items = append(items, it)
			}
		}
	}
	var below colset.Set
	for i := range items {
		c.refs(items[i].Expr, &below)
	}
	in := prune(c, x.In, below)
	if onlyPasses(items) && c.out(in).SubsetOf(below) {
		return in // callers that rely on positions use exactly, which reorders
	}
	if in == x.In && len(items) == len(x.Items) {
		return x
	}
	return &logical.Project{In: in, Items: items}
}

func onlyPasses(items []logical.Item) bool {
	for i := range items {
		if !isPass(&items[i]) {
			return false
		}
	}
	return true
}

func pruneJoin(c *context, x *logical.Join, need colset.Set) logical.Node {
	if m := dropJoin(c, x, need); m != nil {
		return prune(c, m, need)
	}
	need = need.Union(c.refsOf(x.On...))
	l, r := prune(c, x.L, need.Union(c.free(x.R))), prune(c, x.R, need)
	if l == x.L && r == x.R {
		return x
	}
	m := *x
	m.L, m.R = l, r
	return &m
}

// dropJoin returns the left input of a join that neither drops nor repeats its rows and adds no
// needed column, else nil.
func dropJoin(c *context, x *logical.Join, need colset.Set) logical.Node {
	switch x.Kind {
	case logical.Mark:
		if !need.Has(x.MarkCol.ID) {
			return x.L
		}
	case logical.Left:
		if !need.Meets(c.out(x.R)) && !x.Correlated && c.atMostOnePartner(x) {
			return x.L
		}
	case logical.Inner:
		if len(x.On) == 0 && !need.Meets(c.out(x.R)) && exactlyOneRow(x.R) && cannotFail(x.R) {
			return x.L
		}
	}
	return nil
}

func pruneAggregate(c *context, x *logical.Aggregate, need colset.Set) logical.Node {
	aggs := x.Aggs
	if !c.out(x).SubsetOf(need) {
		aggs = nil
		for _, a := range x.Aggs {
			if need.Has(a.Col.ID) {
				aggs = append(aggs, a)
			}
		}
	}
	if len(aggs) == 0 && len(x.Keys) == 0 {
		return &logical.Values{Rows: [][]expr.Expr{nil}}
	}
	var below colset.Set
	for _, k := range x.Keys {
		below.Add(k.ID)
	}
	for _, a := range aggs {
		for _, e := range a.Agg.Args {
			c.refs(e, &below)
		}
		for _, k := range a.Agg.OrderBy {
			c.refs(k.Expr, &below)
		}
	}
	in := prune(c, x.In, below)
	if in == x.In && len(aggs) == len(x.Aggs) {
		return x
	}
	return &logical.Aggregate{In: in, Keys: x.Keys, Aggs: aggs}
}

func pruneRollup(c *context, x *logical.Rollup, need colset.Set) logical.Node {
	m := *x
	m.Items = nil
	for _, it := range x.Items {
		if need.Has(it.Col.ID) {
			m.Items = append(m.Items, it)
		}
	}
	m.In = prune(c, x.In, colset.Of(m.Needs()))
	if m.In == x.In && len(m.Items) == len(x.Items) {
		return x
	}
	return &m
}

func pruneWindow(c *context, x *logical.Window, need colset.Set) logical.Node {
	m := &logical.Window{In: x.In, Partition: x.Partition, Order: x.Order, Top: x.Top}
	for _, f := range x.Funcs {
		if need.Has(f.Col.ID) || x.Top.Count > 0 && f.Col.ID == x.Top.By {
			m.Funcs = append(m.Funcs, f)
		}
	}
	if len(m.Funcs) == 0 {
		return prune(c, x.In, need)
	}
	below := need.Clone()
	logical.EachExpr(m, func(e expr.Expr) { c.refs(e, &below) })
	m.In = prune(c, x.In, below)
	if m.In == x.In && len(m.Funcs) == len(x.Funcs) {
		return x
	}
	return m
}

// pruneSetOp drops columns of UNION ALL. The other set operations compare whole rows: {(1,2),
// (1,3)} would lose a row without its second column.
func pruneSetOp(c *context, x *logical.SetOp, need colset.Set) logical.Node {
	m := *x
	if x.Kind == logical.Union && x.All {
		m.Columns = nil
	}
	var lcols, rcols []logical.Column
	ls, rs := c.schema(x.L), c.schema(x.R)
	for i, col := range x.Columns {
		if x.Kind == logical.Union && x.All {
			if !need.Has(col.ID) {
				continue
			}
			m.Columns = append(m.Columns, col)
		}
		lcols, rcols = append(lcols, ls[i]), append(rcols, rs[i])
	}
	m.L, m.R = exactly(c, x.L, lcols), exactly(c, x.R, rcols)
	if m.L == x.L && m.R == x.R {
		return x
	}
	return &m
}

// exactly prunes n to exactly the columns cols.
func exactly(c *context, n logical.Node, cols []logical.Column) logical.Node {
	var need colset.Set
	for _, col := range cols {
		need.Add(col.ID)
	}
	m := prune(c, n, need)
	if sameColumns(c.schema(m), cols) {
		return m
	}
	if p, ok := n.(*logical.Project); ok && p.In == m && sameColumns(c.schema(p), cols) {
		return p
	}
	return &logical.Project{In: m, Items: passItems(cols)}
}

func sameColumns(a, b []logical.Column) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].ID != b[i].ID {
			return false
		}
	}
	return true
}
