package implement

import (
	"slices"

	"gsql/planner/colset"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// aggregatedDomain is a join of rows with aggregates for each of their distinct values, the
// domain, as it results from unnesting a correlated aggregate. A GroupJoin returns the rows with
// their aggregates without computing the domain.
type aggregatedDomain struct {
	agg   *logical.Aggregate
	other logical.Node // the aggregated input
	on    []expr.Expr  // conditions that join it with the rows
	rest  []expr.Expr  // conditions on rows and aggregates
	keys  colset.Set   // the domain's columns
}

// domainOf recognises this shape. It returns nil if n has another one.
func domainOf(n *logical.Join) *aggregatedDomain {
	agg, ok := n.R.(*logical.Aggregate)
	if !ok || n.Kind != logical.Left && n.Kind != logical.Inner || n.Hint != nil {
		return nil
	}
	j, ok := agg.In.(*logical.Join)
	if !ok || j.Kind != logical.Inner || j.Correlated || j.Hint != nil {
		return nil
	}
	for _, sides := range [][2]logical.Node{{j.L, j.R}, {j.R, j.L}} {
		d := &aggregatedDomain{agg: agg, other: sides[1]}
		domain, ok := sides[0].(*logical.Aggregate)
		if !ok || len(domain.Aggs) > 0 || len(domain.Keys) != len(agg.Keys) {
			continue
		}
		d.keys = colset.Of(domain.Keys)
		if d.equate(n, domain, j.On) {
			return d
		}
	}
	return nil
}

// equate replaces the domain's columns in its conditions by the columns of the rows that n
// equates with them. It returns false unless the domain is sure to contain the values of every
// row.
func (d *aggregatedDomain) equate(n *logical.Join, domain *logical.Aggregate, on []expr.Expr) bool {
	copied, ok := domain.In.(*logical.Scan)
	if !ok {
		return false
	}
	var cols []logical.Column
	var by, equated []expr.Expr
	var origin *logical.Scan
	for _, k := range domain.Keys {
		row, eq := d.equal(n, k)
		if row == nil || !slices.ContainsFunc(d.agg.Keys, func(c logical.Column) bool { return c.ID == k.ID }) {
			return false
		}
		scan, at := scanOf(n.L, row.ID)
		if scan == nil || origin != nil && scan != origin || scan.Table != copied.Table || scan.Ordinals[at] < 0 || copied.Ordinal(k.ID) != scan.Ordinals[at] {
			return false
		}
		origin = scan
		cols, by, equated = append(cols, k), append(by, row), append(equated, eq)
	}
	if origin == nil || !restrictedAs(copied, origin) || !d.keepRest(n, equated) {
		return false
	}
	for _, r := range d.agg.Aggs { // the domain's columns may occur in conditions only
		used := colset.Of(nil).With(r.Agg.Args...)
		if used.Meets(d.keys) {
			return false
		}
	}
	for _, e := range on {
		m := moved(e, cols, by)
		if m == nil {
			return false
		}
		d.on = append(d.on, m)
	}
	return true
}

// restrictedAs reports whether every restriction of copied also restricts origin, a scan of the
// same table.
func restrictedAs(copied, origin *logical.Scan) bool {
	var by []expr.Expr
	for i := range copied.Columns {
		at := slices.Index(origin.Ordinals, copied.Ordinals[i])
		if at < 0 {
			return len(copied.Preds) == 0
		}
		by = append(by, origin.Columns[at].Ref())
	}
	for _, e := range copied.Preds {
		m := moved(e, copied.Columns, by)
		if m == nil || expr.Volatile(e) || !slices.ContainsFunc(origin.Preds, func(o expr.Expr) bool { return expr.Equal(m, o) }) {
			return false
		}
	}
	return true
}

// keepRest records the conditions of n that do not equate columns with the domain. These require
// an inner join.
func (d *aggregatedDomain) keepRest(n *logical.Join, equated []expr.Expr) bool {
	for _, e := range n.On {
		if slices.Contains(equated, e) {
			continue
		}
		if n.Kind != logical.Inner || expr.Volatile(e) || colset.Of(nil).With(e).Meets(d.keys) {
			return false
		}
		d.rest = append(d.rest, e)
	}
	return true
}

// equal returns the column of the rows that n equates with a domain's column, NULLs included, and
// the condition that does so.
func (d *aggregatedDomain) equal(n *logical.Join, k logical.Column) (*expr.Col, expr.Expr) {
	for _, e := range n.On {
		c, ok := e.(*expr.Call)
		if !ok || c.Fn != expr.FuncNullSafeEQ && !(c.Fn == expr.FuncEQ && k.NotNull) {
			continue
		}
		for i := range 2 {
			a, ok := c.Args[i].(*expr.Col)
			b, ok2 := c.Args[1-i].(*expr.Col)
			if ok && ok2 && a.ID == k.ID && b.T == k.T && !d.keys.Has(b.ID) {
				return b, e
			}
		}
	}
	return nil, nil
}

// scanOf returns the scan below n that produces a column, and its position there. It returns nil
// if rows may have NULL in place of the scan's values.
func scanOf(n logical.Node, id expr.ColID) (*logical.Scan, int) {
	if s, ok := n.(*logical.Scan); ok {
		if at := slices.IndexFunc(s.Columns, func(c logical.Column) bool { return c.ID == id }); at >= 0 {
			return s, at
		}
		return nil, 0
	}
	in := n.Inputs()
	if j, ok := n.(*logical.Join); ok && j.Kind != logical.Inner {
		in = in[:1]
	}
	for _, in := range in {
		if s, at := scanOf(in, id); s != nil {
			return s, at
		}
	}
	return nil, 0
}

// moved returns e with the columns cols replaced and all others kept. It returns nil if e
// contains anything but columns, constants and functions.
func moved(e expr.Expr, cols []logical.Column, by []expr.Expr) expr.Expr {
	switch x := e.(type) {
	case *expr.Col:
		for i := range cols {
			if cols[i].ID == x.ID {
				return by[i]
			}
		}
		return x
	case *expr.Call:
		m := *x
		m.Args = make([]expr.Expr, len(x.Args))
		for i, a := range x.Args {
			if m.Args[i] = moved(a, cols, by); m.Args[i] == nil {
				return nil
			}
		}
		return &m
	case *expr.Const, *expr.Placeholder:
		return e
	}
	return nil
}

// rowGroupJoin considers a GroupJoin for a join with the aggregates of a domain, and keeps the
// cheaper plan.
func rowGroupJoin(p *planner, b *bidder, out variants) (variants, error) {
	d := domainOf(b.n)
	if d == nil || out[0].node == nil || p.disabled[groupJoinRule] || b.nullAware {
		return out, nil
	}
	j := &logical.Join{Kind: b.n.Kind, L: b.n.L, R: d.other, On: d.on}
	need := b.need.With(d.on...).With(d.rest...)
	for _, a := range d.agg.Aggs {
		need = need.With(a.Agg.Args...)
	}
	other, err := p.plan(d.other, need)
	if err != nil {
		return out, err
	}
	joined := p.newBidder(j, b.lv, other, need)
	if joined.groupJoinRefusal() != "" {
		return out, nil
	}
	agg := &logical.Aggregate{In: j, Keys: b.need.With(d.rest...).Pick(b.lv.columns()), Aggs: d.agg.Aggs}
	g := newGroupJoin(p, agg, joined, true)
	if n := g.perRow(b.cols, d.rest, b.out); n != nil && n.Est.TotalMS < out[0].node.Est.TotalMS {
		was := out[0].node
		g.join.Rejected = append([]physical.Bid{planBid(was, was.Est.TotalMS, "with an aggregate by distinct values")}, g.join.Rejected...)
		out[0] = variant{node: n}
	}
	return out, nil
}

// perRow builds the plan of the aggregates of each row of the probe side that satisfies rest,
// with the columns cols; nil if there is none. rows is the number of these rows.
func (g *groupJoin) perRow(cols []logical.Column, rest []expr.Expr, rows float64) *physical.Node {
	g.conditions()
	nullSafe := slices.ContainsFunc(g.op.Keys, func(k physical.KeyPair) bool { return k.NullSafe })
	if len(g.op.Where) > 0 || g.bands != nil || nullSafe {
		return nil
	}
	all, values := g.n.Keys[:len(g.n.Keys):len(g.n.Keys)], refs(g.n.Keys)
	for _, it := range g.n.Aggs {
		v := g.ofRow(it.Agg)
		if v == nil || v.Type() != it.Col.T {
			return nil
		}
		all, values = append(all, it.Col), append(values, v)
	}
	exprs := make([]expr.Expr, len(cols))
	for i, c := range cols {
		at := slices.IndexFunc(all, func(o logical.Column) bool { return o.ID == c.ID })
		if at < 0 {
			return nil
		}
		exprs[i] = values[at]
	}
	if !g.joinNode() || g.name != groupJoinBid {
		return nil
	}
	n, in := g.join, g.join.Est.Rows
	if len(rest) > 0 {
		n = node(&physical.Project{Exprs: values}, all, in, 0, g.p.cpu.Project(in, terms(values...)), []variants{{{node: n}}})
		n = node(&physical.Filter{Preds: rest}, all, rows, 0, g.p.cpu.Filter(in, terms(rest...)), []variants{{{node: n}}})
		exprs, in = refs(cols), rows
	}
	return node(&physical.Project{Exprs: exprs}, cols, in, 0, g.p.cpu.Project(in, terms(exprs...)), []variants{{{node: n}}})
}

// ofRow returns the value of an aggregate for a row of the probe side. Without partners it is
// NULL, since the row then has no group. ofRow returns nil if the aggregate has no such value.
func (g *groupJoin) ofRow(a *expr.Agg) expr.Expr {
	if a.Distinct || len(a.OrderBy) > 0 || !harmless(g, a) || slices.ContainsFunc(a.Args, expr.Volatile) || colset.Of(nil).With(a.Args...).Meets(g.probe) {
		return nil
	}
	partners := partial(g, expr.Count, &expr.Const{Value: catalog.Int(1)}, countType)
	switch a.Fn {
	case expr.CountStar:
		return call(expr.FuncNullIf, partners, zero)
	case expr.Count:
		n := partial(g, expr.Count, a.Args[0], countType)
		return call(expr.FuncCase, call(expr.FuncEQ, partners, zero), &expr.Const{Value: catalog.NullOf(countType)}, n)
	case expr.Sum, expr.Min, expr.Max:
		return partial(g, a.Fn, a.Args[0], a.T)
	}
	return nil
}
