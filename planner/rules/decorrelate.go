package rules

import (
	"slices"

	"gsql/planner/logical"
	"gsql/planner/rules/cond"
	"gsql/sql/expr"
)

// decorrelate turns a join whose right input refers to columns of the left one into an ordinary
// join, after Neumann and Kemper, "Unnesting Arbitrary Queries" (BTW 2015).
//
// Predicates over outer columns are pulled up through the right input until they are join
// conditions. If an operator blocks one (an inequality below a GROUP BY, an outer column inside
// an expression), the set of distinct outer values, the domain, is joined in below it. This
// leaves an equality with the domain's columns, which passes every operator. A right input with a
// LIMIT under correlation keeps its Correlated mark: the plan runs it for each distinct outer
// value.
func (c *context) decorrelate(j *logical.Join) logical.Node {
	if j.Correlated && !c.opt.Disabled[decorrelateName] {
		j = c.distinctByExtremes(j)
	}
	if m := inlineOneRow(c, j); m != nil {
		return m
	}
	if !j.Correlated || c.opt.Disabled[decorrelateName] {
		return j
	}
	if r := unsorted(j.R); r != j.R {
		k := *j
		k.R = r
		j = &k
	}
	if m := hoistItems(c, j); m != nil {
		return m
	}
	semi := j.Kind == logical.Semi || j.Kind == logical.Anti || j.Kind == logical.Mark
	p := puller{c: c, outer: c.out(j.L), source: j.L, duplicates: semi}
	r, preds := p.pull(j.R)
	if p.failed {
		return j
	}
	m := *j
	m.R, m.Correlated = r, false
	if j.Kind == logical.Mark {
		m.R, preds = p.twoValued(r, preds)
	}
	m.On = slices.Concat(j.On, preds)
	if c.free(m.R).Meets(p.outer) {
		return j
	}
	c.record(decorrelateName, j, &m)
	return c.only(&m, c.schema(j))
}

// decorrelateName is the rule that disables decorrelation, which runs within convertSubqueries.
const decorrelateName = "DecorrelateJoins"

// twoValued prepares predicates that were filters of a mark join's right input for its On: there
// a NULL would make the mark NULL instead of dropping the pair.
func (p *puller) twoValued(r logical.Node, preds []expr.Expr) (logical.Node, []expr.Expr) {
	out := make([]expr.Expr, len(preds))
	var present []expr.Expr
	for i, e := range preds {
		eq, ok := p.equality(e, r)
		switch {
		case ok && eq.op == expr.FuncNullSafeEQ:
			out[i] = e
		case ok:
			present = append(present, cond.NotNull(eq.inner))
			out[i] = cond.Call(expr.FuncNullSafeEQ, eq.outer, eq.inner)
		default:
			out[i] = cond.IsTrue(e)
		}
	}
	return filter(r, present), out
}

// hoistItems moves expressions over outer columns from the top of the right input to above the
// join: (SELECT t.a + s.b FROM s ...). Semi, anti and mark joins use them only in their
// conditions. For kinds that pad with NULLs, a constant column distinguishes matches from
// padding.
func hoistItems(c *context, j *logical.Join) logical.Node {
	p, ok := j.R.(*logical.Project)
	if !ok {
		return nil
	}
	for i := range p.Items {
		if !cond.Stable(p.Items[i].Expr) {
			return nil
		}
	}
	by := itemsByID(p.Items)
	m := *j
	m.On, _ = logical.MapList(j.On, func(e expr.Expr) expr.Expr { return cond.Substitute(e, by) })
	m.R = p.In
	switch j.Kind {
	case logical.Semi, logical.Anti, logical.Mark:
		return correlatedJoin(c, &m)
	}
	correlated := false
	for _, e := range by {
		correlated = correlated || c.refsOf(e).Meets(c.out(j.L))
	}
	if !correlated {
		return nil
	}
	items := passItems(c.schema(j.L))
	var match expr.Expr
	if j.Kind != logical.Inner {
		flag := logical.Column{ID: c.opt.NextID(), Name: "matched", T: cond.Type, NotNull: true}
		m.R = &logical.Project{In: p.In, Items: append(passItems(c.schema(p.In)), logical.Item{Col: flag, Expr: cond.True})}
		match = flag.Ref()
	}
	cols := c.schema(j)
	for i, it := range p.Items {
		if match != nil && !isPass(&it) {
			it.Expr = cond.OnlyWhen(match, it.Expr)
		}
		items = append(items, logical.Item{Col: cols[len(c.schema(j.L))+i], Expr: it.Expr})
	}
	return &logical.Project{In: correlatedJoin(c, &m), Items: items}
}

// correlatedJoin completes a join whose right input has changed.
func correlatedJoin(c *context, j *logical.Join) logical.Node {
	j.Correlated = c.free(j.R).Meets(c.out(j.L))
	return c.decorrelate(j)
}
