package rules

import (
	"slices"

	"gsql/planner/colset"
	"gsql/planner/logical"
	"gsql/planner/rules/cond"
	"gsql/sql/expr"
)

// puller pulls predicates and expressions over outer columns up through a plan.
type puller struct {
	c      *context
	outer  colset.Set   // the columns of the left input
	source logical.Node // the left input, from which domains are made; nil if they may not be made
	// duplicates is set if rows may be repeated because only their existence matters (EXISTS,
	// IN).
	duplicates bool
	failed     bool // an operator blocks the outer columns
}

// pull returns a plan without outer columns, and predicates. For given outer values, the rows of
// the plan that satisfy the predicates are the rows of n. The plan has the columns of n and
// possibly others that the predicates use.
func (p *puller) pull(n logical.Node) (logical.Node, []expr.Expr) {
	if p.failed || !p.c.free(n).Meets(p.outer) {
		return n, nil
	}
	switch x := n.(type) {
	case *logical.Scan:
		free, bound := p.split(x.Preds)
		m := *x
		m.Preds = bound
		return &m, free
	case *logical.Filter:
		in, preds := p.pull(x.In)
		free, bound := p.split(x.Preds)
		return filter(in, bound), slices.Concat(preds, free)
	case *logical.Project:
		return p.pullProject(x)
	case *logical.Aggregate:
		return p.pullAggregate(x)
	case *logical.Window:
		return p.pullWindow(x)
	case *logical.Join:
		return p.pullJoin(x)
	case *logical.SetOp:
		return p.pullSetOp(x)
	case *logical.Sort:
		return p.pull(x.In)
	case *logical.Limit:
		return p.pullLimit(x)
	case *logical.MaxOneRow:
		return p.pullMaxOneRow(x)
	}
	p.failed = true
	return n, nil
}

// split separates predicates with outer columns (free) from those without (bound).
func (p *puller) split(preds []expr.Expr) (free, bound []expr.Expr) {
	for _, e := range preds {
		if p.c.refsOf(e).Meets(p.outer) {
			p.failed = p.failed || !cond.Stable(e)
			free = append(free, e)
		} else {
			bound = append(bound, e)
		}
	}
	return free, bound
}

// pullProject replaces outer columns in the items and passes through the columns that preds use.
func (p *puller) pullProject(x *logical.Project) (logical.Node, []expr.Expr) {
	in, preds := p.pull(x.In)
	var used colset.Set
	for i := range x.Items {
		p.c.refs(x.Items[i].Expr, &used)
	}
	in, preds, by := p.bind(in, preds, used.Intersect(p.outer))
	if p.failed {
		return x, nil
	}
	have := p.c.out(x)
	items := make([]logical.Item, 0, len(x.Items)+len(preds))
	for _, it := range x.Items {
		items = append(items, logical.Item{Col: it.Col, Expr: cond.Substitute(it.Expr, by)})
	}
	needed := p.c.refsOf(preds...).Minus(have)
	for _, col := range p.c.schema(in) {
		if needed.Has(col.ID) {
			items = append(items, passItem(col))
		}
	}
	return &logical.Project{In: in, Items: items}, preds
}

// bind returns expressions over n's columns that replace the outer columns cols: a column that
// preds equate with the outer one, or else a column of a domain that is joined to n.
func (p *puller) bind(n logical.Node, preds []expr.Expr, cols colset.Set) (logical.Node, []expr.Expr, map[expr.ColID]expr.Expr) {
	if cols.Empty() || p.failed {
		return n, preds, nil
	}
	by := map[expr.ColID]expr.Expr{}
	var missing colset.Set
	cols.Each(func(id expr.ColID) {
		if e := p.substitute(n, preds, id); e != nil {
			by[id] = e
		} else {
			missing.Add(id)
		}
	})
	if missing.Empty() {
		return n, preds, by
	}
	d, fresh, eqs := p.domain(missing)
	if p.failed {
		return n, preds, nil
	}
	for id, e := range fresh {
		by[id] = e
	}
	return &logical.Join{Kind: logical.Inner, L: d, R: n}, slices.Concat(preds, eqs), by
}

// substitute finds a column of n that preds equate with the outer column id. Its values must be
// identical, not only equal: 1.0 and 1.00, or 'a' and 'a ', do not qualify.
func (p *puller) substitute(n logical.Node, preds []expr.Expr, id expr.ColID) expr.Expr {
	for _, e := range preds {
		eq, ok := p.equality(e, n)
		if !ok {
			continue
		}
		o, ok := eq.outer.(*expr.Col)
		in, ok2 := eq.inner.(*expr.Col)
		if ok && ok2 && o.ID == id && o.T == in.T && (o.T.IsInteger() || o.T.IsTemporal()) {
			return in
		}
	}
	return nil
}

// outerEquality is a predicate that equates an expression over inner columns with one over outer
// columns.
type outerEquality struct {
	op           expr.FuncID // "=" or "<=>"
	inner, outer expr.Expr
}

// equality splits e into its inner side, which is over n's columns, and its outer side.
func (p *puller) equality(e expr.Expr, n logical.Node) (outerEquality, bool) {
	x, ok := cond.CallOf(e, expr.FuncEQ, expr.FuncNullSafeEQ)
	if !ok || !cond.Stable(e) {
		return outerEquality{}, false
	}
	for i := range 2 {
		a, b := p.c.refsOf(x.Args[i]), p.c.refsOf(x.Args[1-i])
		if !a.Empty() && !b.Empty() && !a.Meets(p.outer) && b.SubsetOf(p.outer) && a.SubsetOf(p.c.out(n)) {
			return outerEquality{op: x.Fn, inner: x.Args[i], outer: x.Args[1-i]}, true
		}
	}
	return outerEquality{}, false
}

// equalities reduces predicates to equalities: outer columns in other predicates are bound to
// columns of n, and these predicates then filter n.
func (p *puller) equalities(n logical.Node, preds []expr.Expr) (logical.Node, []outerEquality) {
	kept, others := p.apart(n, preds)
	if len(others) > 0 {
		var by map[expr.ColID]expr.Expr
		if p.needsDomain(n, kept, others) {
			others, kept = preds, nil
		}
		n, kept, by = p.bind(n, kept, p.c.refsOf(others...).Intersect(p.outer))
		others, _ = logical.MapList(others, func(e expr.Expr) expr.Expr { return cond.Substitute(e, by) })
		n = filter(n, others)
	}
	eqs := make([]outerEquality, 0, len(kept))
	for _, e := range kept {
		eq, ok := p.equality(e, n)
		p.failed = p.failed || !ok
		eqs = append(eqs, eq)
	}
	return n, eqs
}

// needsDomain reports whether others have outer columns that kept does not equate with columns of
// n. The domain then includes the outer columns of kept too. It holds combinations of outer
// values, so that kept restricts the pairs that pass others, and the groups above are those of
// the domain.
func (p *puller) needsDomain(n logical.Node, kept, others []expr.Expr) bool {
	missing := false
	p.c.refsOf(others...).Intersect(p.outer).Each(func(id expr.ColID) {
		missing = missing || p.substitute(n, kept, id) == nil
	})
	return missing
}

// inSchema turns the inner sides of equalities into columns of n, computing those that are
// expressions.
func (p *puller) inSchema(n logical.Node, eqs []outerEquality) (logical.Node, []logical.Column) {
	cols := make([]logical.Column, len(eqs))
	var items []logical.Item
	for i, eq := range eqs {
		if ref, ok := eq.inner.(*expr.Col); ok {
			cols[i], _ = p.c.column(n, ref.ID)
			continue
		}
		cols[i] = logical.Column{ID: p.c.opt.NextID(), Name: eq.inner.String(), T: eq.inner.Type()}
		items = append(items, logical.Item{Col: cols[i], Expr: eq.inner})
	}
	if len(items) > 0 {
		n = &logical.Project{In: n, Items: append(passItems(p.c.schema(n)), items...)}
	}
	return n, cols
}

// predicates rewrites equalities over the columns cols of their inner sides.
func predicates(eqs []outerEquality, cols []logical.Column) []expr.Expr {
	out := make([]expr.Expr, len(eqs))
	for i, eq := range eqs {
		out[i] = cond.Call(eq.op, eq.outer, cols[i].Ref())
	}
	return out
}

// pullAggregate adds the inner sides of the equalities to the grouping keys. Rows that agree in
// them belong to the same outer values, so each group of the result is a group for given outer
// values.
func (p *puller) pullAggregate(x *logical.Aggregate) (logical.Node, []expr.Expr) {
	if len(x.Keys) == 0 {
		return p.pullScalarAggregate(x)
	}
	if p.duplicates && len(x.Aggs) == 0 {
		return p.pull(x.In)
	}
	g, preds := p.groupByOuter(x)
	return g, preds
}

// groupByOuter returns the aggregate grouped by outer values as well. If it has no outer columns
// below, groupByOuter returns it unchanged.
func (p *puller) groupByOuter(x *logical.Aggregate) (*logical.Aggregate, []expr.Expr) {
	if !p.c.free(x).Meets(p.outer) {
		return x, nil
	}
	duplicates := p.duplicates
	p.duplicates = false
	in, preds := p.pull(x.In)
	p.duplicates = duplicates
	var used colset.Set
	logical.EachExpr(x, func(e expr.Expr) { p.c.refs(e, &used) })
	in, preds, by := p.bind(in, preds, used.Intersect(p.outer))
	in, eqs := p.equalities(in, preds)
	if p.failed {
		return x, nil
	}
	in, cols := p.inSchema(in, eqs)
	m := logical.MapExprs(x, func(e expr.Expr) expr.Expr { return cond.Substitute(e, by) }).(*logical.Aggregate)
	out := &logical.Aggregate{In: in, Keys: withColumns(m.Keys, cols), Aggs: m.Aggs}
	return out, predicates(eqs, cols)
}

// withColumns appends the columns of cols that keys lack.
func withColumns(keys, cols []logical.Column) []logical.Column {
	out := append([]logical.Column(nil), keys...)
	var have colset.Set
	for _, k := range keys {
		have.Add(k.ID)
	}
	for _, col := range cols {
		if !have.Has(col.ID) {
			have.Add(col.ID)
			out = append(out, col)
		}
	}
	return out
}

// pullWindow adds the inner sides of the equalities to the partition keys. Rows that agree in
// them belong to the same outer values, and no other rows may share a partition.
func (p *puller) pullWindow(x *logical.Window) (logical.Node, []expr.Expr) {
	in, preds := p.withoutDuplicates(x.In)
	var used colset.Set
	logical.EachExpr(x, func(e expr.Expr) { p.c.refs(e, &used) })
	in, preds, by := p.bind(in, preds, used.Intersect(p.outer))
	in, eqs := p.equalities(in, preds)
	if p.failed {
		return x, nil
	}
	in, cols := p.inSchema(in, eqs)
	m := *logical.MapExprs(x, func(e expr.Expr) expr.Expr { return cond.Substitute(e, by) }).(*logical.Window)
	m.In = in
	m.Partition = m.Partition[:len(m.Partition):len(m.Partition)]
	for _, col := range cols {
		m.Partition = append(m.Partition, col.Ref())
	}
	return &m, predicates(eqs, cols)
}

// pullScalarAggregate preserves the one row that an aggregate without GROUP BY returns even over
// no rows: it joins the domain with the groups by LEFT JOIN.
func (p *puller) pullScalarAggregate(x *logical.Aggregate) (logical.Node, []expr.Expr) {
	g, preds := p.groupByOuter(x)
	if p.failed {
		return x, nil
	}
	d, by, eqs := p.domain(p.c.refsOf(preds...).Intersect(p.outer))
	if p.failed {
		return x, nil
	}
	on, _ := logical.MapList(preds, func(e expr.Expr) expr.Expr { return cond.Substitute(e, by) })
	g, counts := countsApart(p.c, g)
	n := logical.Node(&logical.Join{Kind: logical.Left, L: d, R: g, On: on})
	if len(counts) > 0 {
		n = &logical.Project{In: n, Items: append(passItems(p.c.schema(n)), counts...)}
	}
	return n, eqs
}

// pullMaxOneRow joins each outer value with its only row, or NULLs if it has none.
func (p *puller) pullMaxOneRow(x *logical.MaxOneRow) (logical.Node, []expr.Expr) {
	in, preds := p.withoutDuplicates(x.In)
	if p.failed {
		return x, nil
	}
	d, by, eqs := p.domain(p.c.refsOf(preds...).Intersect(p.outer))
	if p.failed {
		return x, nil
	}
	on, _ := logical.MapList(preds, func(e expr.Expr) expr.Expr { return cond.Substitute(e, by) })
	return &logical.Join{Kind: logical.Single, L: d, R: in, On: on}, eqs
}

// withoutDuplicates is pull for inputs whose rows must not be repeated.
func (p *puller) withoutDuplicates(n logical.Node) (logical.Node, []expr.Expr) {
	was := p.duplicates
	p.duplicates = false
	out, preds := p.pull(n)
	p.duplicates = was
	return out, preds
}
