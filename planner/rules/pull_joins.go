package rules

import (
	"slices"

	"gsql/planner/colset"
	"gsql/planner/logical"
	"gsql/planner/rules/cond"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// pullJoin pulls outer columns out of a join.
func (p *puller) pullJoin(j *logical.Join) (logical.Node, []expr.Expr) {
	if j.Correlated && (p.c.free(j.R).Meets(p.outer) || p.c.refsOf(j.On...).Meets(p.outer)) {
		p.failed = true
		return j, nil
	}
	if p.duplicates && j.Kind == logical.Semi && !j.Correlated && (p.c.free(j.R).Meets(p.outer) || p.c.refsOf(j.On...).Meets(p.outer)) {
		m := *j // repeated rows are harmless, so any partner will do
		m.Kind = logical.Inner
		j = &m
	}
	switch j.Kind {
	case logical.Inner:
		return p.pullInner(j)
	case logical.Full:
		return p.pullFull(j)
	}
	return p.pullOuter(j)
}

// pullInner lets all predicates over outer columns pass. Two predicates that equate inner columns
// of different sides with the same outer value also equate these columns.
func (p *puller) pullInner(j *logical.Join) (logical.Node, []expr.Expr) {
	l, lp := p.pull(j.L)
	r, rp := p.pull(j.R)
	free, bound := p.split(j.On)
	m := *j
	m.L, m.R = l, r
	m.On = slices.Concat(bound, p.equated(l, lp, r, rp))
	return &m, slices.Concat(slices.Concat(lp, rp), free)
}

// equated derives equalities between both sides of a join from equalities with the
// same outer expression.
func (p *puller) equated(l logical.Node, lp []expr.Expr, r logical.Node, rp []expr.Expr) []expr.Expr {
	var out []expr.Expr
	for _, a := range lp {
		x, ok := p.equality(a, l)
		if !ok {
			continue
		}
		for _, b := range rp {
			y, ok := p.equality(b, r)
			if !ok || !expr.Equal(x.outer, y.outer) || !comparable(x.inner.Type(), y.inner.Type()) {
				continue
			}
			op := expr.FuncEQ
			if x.op == expr.FuncNullSafeEQ && y.op == expr.FuncNullSafeEQ {
				op = expr.FuncNullSafeEQ
			}
			out = append(out, cond.Call(op, x.inner, y.inner))
		}
	}
	return out
}

// comparable reports whether values of both types compare without conversion.
func comparable(a, b types.Type) bool {
	return a == b || a.IsInteger() && b.IsInteger() && a.Kind() == b.Kind()
}

// pullOuter pulls outer columns out of the joins that keep or drop whole left rows. Predicates of
// the left input pass. Those of the right input become join conditions, in which columns of the
// left input replace outer columns.
func (p *puller) pullOuter(j *logical.Join) (logical.Node, []expr.Expr) {
	l, lp := p.pull(j.L)
	was := p.duplicates
	p.duplicates = was && j.Kind == logical.Left || j.Kind == logical.Semi || j.Kind == logical.Anti || j.Kind == logical.Mark
	r, rp := p.pull(j.R)
	p.duplicates = was
	if p.failed {
		return j, nil
	}
	m := *j
	if j.Kind == logical.Mark {
		r, rp = p.twoValued(r, rp)
	}
	on := slices.Concat(j.On, rp)
	l, lp, by := p.bind(l, lp, p.c.refsOf(on...).Intersect(p.outer))
	m.On, _ = logical.MapList(on, func(e expr.Expr) expr.Expr { return cond.Substitute(e, by) })
	m.L, m.R = l, r
	return &m, lp
}

// pullSetOp adds the same additional columns to both inputs and returns predicates that equate
// them with outer values. Rows of different outer values then never meet.
func (p *puller) pullSetOp(x *logical.SetOp) (logical.Node, []expr.Expr) {
	if n := p.asSemiJoin(x); n != nil {
		return p.pull(n)
	}
	l, lp := p.withoutDuplicates(x.L)
	r, rp := p.withoutDuplicates(x.R)
	if p.failed {
		return x, nil
	}
	l, r, eqs, lcols, rcols := p.align(l, lp, r, rp)
	if p.failed {
		return x, nil
	}
	m := *x
	m.L = extended(p.c, l, p.c.schema(x.L), lcols)
	m.R = extended(p.c, r, p.c.schema(x.R), rcols)
	m.Columns = append([]logical.Column(nil), x.Columns...)
	cols := make([]logical.Column, len(eqs))
	for i := range eqs {
		cols[i] = p.c.newColumn(lcols[i])
		cols[i].NotNull = lcols[i].NotNull && rcols[i].NotNull
	}
	m.Columns = append(m.Columns, cols...)
	return &m, predicates(eqs, cols)
}

// asSemiJoin rewrites an INTERSECT or EXCEPT as the distinct rows of its correlated side, semi-
// or anti-joined with the other side. Otherwise pullSetOp would repeat the uncorrelated side for
// every outer value. asSemiJoin returns nil if the rewrite does not apply.
func (p *puller) asSemiJoin(x *logical.SetOp) logical.Node {
	l, r := x.L, x.R
	if x.Kind == logical.Intersect && p.c.free(r).Meets(p.outer) {
		l, r = r, l
	}
	if x.Kind == logical.Union || x.All || p.c.free(r).Meets(p.outer) {
		return nil
	}
	j := &logical.Join{Kind: logical.Semi, R: r}
	if x.Kind == logical.Except {
		j.Kind = logical.Anti
	}
	var own []logical.Column
	var below, above []logical.Item
	cols, others := p.c.schema(l), p.c.schema(r)
	for i, col := range cols {
		if col.T != others[i].T || col.T != x.Columns[i].T {
			return nil
		}
		own = append(own, p.c.newColumn(col))
		below = append(below, logical.Item{Col: own[i], Expr: col.Ref()})
		above = append(above, logical.Item{Col: x.Columns[i], Expr: own[i].Ref()})
		j.On = append(j.On, cond.Call(expr.FuncNullSafeEQ, own[i].Ref(), others[i].Ref()))
	}
	j.L = &logical.Project{In: l, Items: below}
	return &logical.Project{In: &logical.Aggregate{In: j, Keys: own}, Items: above}
}

// extended projects n to cols and more. Columns of more that occur already are copied under new
// ids.
func extended(c *context, n logical.Node, cols, more []logical.Column) logical.Node {
	items := passItems(cols)
	var have colset.Set
	for _, col := range cols {
		have.Add(col.ID)
	}
	for _, col := range more {
		it := passItem(col)
		if have.Has(col.ID) {
			it.Col = c.newColumn(col)
		}
		have.Add(col.ID)
		items = append(items, it)
	}
	return &logical.Project{In: n, Items: items}
}

// align turns the predicates of two plans into equalities with the same outer expressions, and
// returns the columns of their inner sides. If the predicates do not match, it joins both plans
// with the domain of all outer columns.
func (p *puller) align(l logical.Node, lp []expr.Expr, r logical.Node, rp []expr.Expr) (_, _ logical.Node, eqs []outerEquality, lcols, rcols []logical.Column) {
	if ls, rs, ok := p.sameEqualities(l, lp, r, rp); ok {
		l, lcols = p.inSchema(l, ls)
		r, rcols = p.inSchema(r, rs)
		return l, r, ls, lcols, rcols
	}
	cols := p.c.refsOf(lp...).Union(p.c.refsOf(rp...)).Intersect(p.outer)
	l, leqs, lcols := p.withDomain(l, lp, cols)
	r, _, rcols = p.withDomain(r, rp, cols)
	return l, r, leqs, lcols, rcols
}

// sameEqualities returns the predicates of both plans as equalities with the same outer
// expressions of the same types, in the same order. ok is false if they do not have this form.
func (p *puller) sameEqualities(l logical.Node, lp []expr.Expr, r logical.Node, rp []expr.Expr) (ls, rs []outerEquality, ok bool) {
	if len(lp) != len(rp) {
		return nil, nil, false
	}
	used := make([]bool, len(rp))
	for _, e := range lp {
		x, ok := p.equality(e, l)
		if !ok {
			return nil, nil, false
		}
		found := false
		for i, f := range rp {
			y, ok := p.equality(f, r)
			if ok && !used[i] && x.op == y.op && expr.Equal(x.outer, y.outer) && x.inner.Type() == y.inner.Type() {
				ls, rs, found, used[i] = append(ls, x), append(rs, y), true, true
				break
			}
		}
		if !found {
			return nil, nil, false
		}
	}
	return ls, rs, true
}

// withDomain joins n with the domain of cols on preds, unless preds equate each of cols with a
// column of n already.
func (p *puller) withDomain(n logical.Node, preds []expr.Expr, cols colset.Set) (logical.Node, []outerEquality, []logical.Column) {
	if eqs := p.bound(n, preds, cols); eqs != nil {
		n, own := p.inSchema(n, eqs)
		return n, eqs, own
	}
	d, by, eqs := p.domain(cols)
	if p.failed {
		return n, nil, nil
	}
	on, _ := logical.MapList(preds, func(e expr.Expr) expr.Expr { return cond.Substitute(e, by) })
	out := &logical.Join{Kind: logical.Inner, L: d, R: n, On: on}
	list := make([]outerEquality, len(eqs))
	for i, e := range eqs {
		list[i], _ = p.equality(e, d)
	}
	return out, list, p.c.schema(d)
}

// bound returns preds as equalities of columns of n with the outer columns cols, in the order of
// domain, as null-safe equalities of identical types, or nil if they do not have this form.
func (p *puller) bound(n logical.Node, preds []expr.Expr, cols colset.Set) (eqs []outerEquality) {
	of := map[expr.ColID]outerEquality{}
	for _, e := range preds {
		eq, ok := p.equality(e, n)
		outer, isCol := eq.outer.(*expr.Col)
		if !ok || !isCol || eq.op != expr.FuncNullSafeEQ || eq.inner.Type() != outer.T {
			return nil
		}
		of[outer.ID] = eq
	}
	complete := len(of) == len(preds)
	cols.Each(func(id expr.ColID) {
		eq, ok := of[id]
		eqs, complete = append(eqs, eq), complete && ok
	})
	if !complete || len(eqs) != len(preds) {
		return nil
	}
	return eqs
}
