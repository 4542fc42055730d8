package rules

import (
	"slices"

	"gsql/planner/logical"
	"gsql/planner/rules/cond"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// emptyFullJoin replaces a FULL JOIN by the padded rows of its inputs if an input is empty or the
// condition is never true.
func emptyFullJoin(c *context, j *logical.Join) logical.Node {
	cols := c.schema(j)
	padded := func(in logical.Node) logical.Node {
		items, nulls := passItems(cols), nullsOf(cols)
		for i, col := range cols {
			if !c.out(in).Has(col.ID) {
				items[i].Expr = nulls[i]
			}
		}
		return &logical.Project{In: in, Items: items}
	}
	switch l, r := isEmpty(j.L), isEmpty(j.R); {
	case l && r:
		return emptyIf(c, j, true)
	case l:
		return padded(j.R)
	case r:
		return padded(j.L)
	case !neverTrue(j.On):
		return j
	}
	l, _ := logical.Clone(padded(j.L), c.opt.NextID)
	r, _ := logical.Clone(padded(j.R), c.opt.NextID)
	return &logical.SetOp{Kind: logical.Union, All: true, L: l, R: r, Columns: cols}
}

// pushFilterIntoFullJoin moves predicates over COALESCE(l, r) of an equality l = r, as USING
// produces them, into both inputs: both partners of a pair satisfy them or neither does. Other
// predicates stay above, since dropping a row of one input would leave its partner unmatched.
func pushFilterIntoFullJoin(c *context, f *logical.Filter, j *logical.Join) logical.Node {
	var left, right []expr.Expr
	_, kept := partition(f.Preds, func(e expr.Expr) bool {
		l, inLeft := onEither(c, e, j, 0)
		r, inRight := onEither(c, e, j, 1)
		if !inLeft || !inRight || cond.HasSubquery(e) || !cond.Stable(e) {
			return false
		}
		left, right = append(left, l), append(right, r)
		return true
	})
	if len(left) == 0 {
		return f
	}
	m := *j
	m.L, m.R = filter(j.L, left), filter(j.R, right)
	return filter(&m, kept)
}

// onEither rewrites e, which uses only COALESCE(l, r) of equalities l = r, over the operands of
// one input.
func onEither(c *context, e expr.Expr, j *logical.Join, input int) (expr.Expr, bool) {
	found := false
	out := expr.Map(e, func(e expr.Expr) expr.Expr {
		x, ok := cond.CallOf(e, expr.FuncCoalesce)
		if !ok || len(x.Args) != 2 || !equatesAlike(j.On, x) {
			return e
		}
		found = true
		return x.Args[input]
	})
	in := [2]logical.Node{j.L, j.R}
	return out, found && !c.refsOf(out).Meets(c.out(in[1-input]))
}

// equatesAlike reports whether on equates the arguments of a COALESCE and equal values of them
// are indistinguishable.
func equatesAlike(on []expr.Expr, x *expr.Call) bool {
	t := x.Args[0].Type()
	if t != x.Args[1].Type() || t.IsString() || t.IsFloat() || t != x.T {
		return false
	}
	for _, e := range on {
		eq, ok := cond.CallOf(e, expr.FuncEQ, expr.FuncNullSafeEQ)
		if ok && (expr.Equal(eq.Args[0], x.Args[0]) && expr.Equal(eq.Args[1], x.Args[1]) ||
			expr.Equal(eq.Args[0], x.Args[1]) && expr.Equal(eq.Args[1], x.Args[0])) {
			return true
		}
	}
	return false
}

// pullFull adds the same additional columns to both inputs of a FULL JOIN and returns predicates
// that equate them with outer values. Rows of different outer values then never meet, and rows
// without partners still record the outer values they belong to.
func (p *puller) pullFull(j *logical.Join) (logical.Node, []expr.Expr) {
	l, lp := p.withoutDuplicates(j.L)
	r, rp := p.withoutDuplicates(j.R)
	if p.failed {
		return j, nil
	}
	var eqs []outerEquality
	var lcols, rcols []logical.Column
	on := j.On
	if used := p.c.refsOf(on...).Intersect(p.outer); used.Empty() {
		l, r, eqs, lcols, rcols = p.align(l, lp, r, rp)
	} else {
		used = used.Union(p.c.refsOf(lp...).Intersect(p.outer)).Union(p.c.refsOf(rp...).Intersect(p.outer))
		l, eqs, lcols = p.withDomain(l, lp, used)
		r, _, rcols = p.withDomain(r, rp, used)
		if p.failed {
			return j, nil
		}
		by := make(map[expr.ColID]expr.Expr, len(eqs))
		for i, eq := range eqs {
			by[eq.outer.(*expr.Col).ID] = lcols[i].Ref()
		}
		on, _ = logical.MapList(on, func(e expr.Expr) expr.Expr { return cond.Substitute(e, by) })
	}
	if p.failed {
		return j, nil
	}
	m := *j
	m.L, m.R, m.On = l, r, append([]expr.Expr(nil), on...)
	items := passItems(p.c.schema(j))
	cols := make([]logical.Column, len(eqs))
	for i, eq := range eqs {
		m.On = append(m.On, cond.Call(eq.op, lcols[i].Ref(), rcols[i].Ref()))
		cols[i] = p.c.newColumn(lcols[i])
		cols[i].NotNull = lcols[i].NotNull && rcols[i].NotNull
		either := &expr.Call{Fn: expr.FuncCoalesce, Args: []expr.Expr{lcols[i].Ref(), rcols[i].Ref()}, T: cols[i].T, Pos: -1}
		items = append(items, logical.Item{Col: cols[i], Expr: either})
	}
	return &logical.Project{In: &m, Items: items}, predicates(eqs, cols)
}

// unnestFull converts subqueries in the condition of a FULL JOIN. A subquery that depends on one
// input only is computed for the rows of that input before the join.
func unnestFull(c *context, j *logical.Join) logical.Node {
	u := [2]*unnester{{c: c, in: j.L}, {c: c, in: j.R}}
	var plain, rest []expr.Expr
	for _, e := range j.On {
		if e = beforehand(c, e, j, u); cond.HasSubquery(e) {
			rest = append(rest, e)
		} else {
			plain = append(plain, e)
		}
	}
	m := &logical.Join{Kind: logical.Full, L: u[0].in, R: u[1].in, On: plain, Hint: j.Hint}
	if len(rest) == 0 {
		return c.only(m, c.schema(j))
	}
	m.On = slices.Concat(rest, plain)
	n, by := logical.Clone(m, c.opt.NextID)
	return fullByPairs(c, n.(*logical.Join), len(rest), c.schema(j), by)
}

// beforehand replaces the subqueries in e that refer to at most one input of j by columns of an
// input.
func beforehand(c *context, e expr.Expr, j *logical.Join, u [2]*unnester) expr.Expr {
	switch x := e.(type) {
	case *expr.Call:
		if args, changed := logical.MapList(x.Args, func(e expr.Expr) expr.Expr { return beforehand(c, e, j, u) }); changed {
			m := *x
			m.Args = args
			return &m
		}
	case *expr.Subquery:
		switch refs := c.refsOf(x); {
		case !refs.Meets(c.out(j.R)):
			return u[0].replace(x)
		case !refs.Meets(c.out(j.L)):
			return u[1].replace(x)
		}
	}
	return e
}

// fullByPairs returns the columns cols of a FULL JOIN whose first conditions contain subqueries
// over both inputs. j is that join with other column ids, and by maps cols to them. The subqueries
// are computed for the pairs that satisfy the other conditions. Each pair is then tripled: one
// copy is the pair itself, kept if the first conditions hold, and the others are the padded left
// and right rows. A padded row is kept at a single pair of its row, and only if none of the pairs
// of that row satisfies the first conditions.
func fullByPairs(c *context, j *logical.Join, first int, cols []logical.Column, by map[expr.ColID]expr.Expr) logical.Node {
	var ln, rn logical.Column
	rest, left := j.On[:first], c.out(j.L)
	m := &logical.Join{Kind: logical.Full, On: j.On[first:], Hint: j.Hint}
	m.L, ln = numbered(c, j.L)
	m.R, rn = numbered(c, j.R)
	u := unnester{c: c, in: m}
	holds := make([]expr.Expr, len(rest))
	for i, e := range rest {
		holds[i] = u.replace(e)
	}
	ln.NotNull, rn.NotNull = false, false
	pair := cond.Call(expr.FuncAnd, cond.NotNull(ln.Ref()), cond.NotNull(rn.Ref()))
	met := logical.Column{ID: c.opt.NextID(), Name: "met", T: cond.Type, NotNull: true}
	items := []logical.Item{passItem(ln), passItem(rn), {Col: met, Expr: cond.IsTrue(cond.And(slices.Concat([]expr.Expr{pair}, holds)))}}
	for _, col := range cols {
		col.ID = by[col.ID].(*expr.Col).ID
		items = append(items, passItem(col))
	}
	n := logical.Node(&logical.Project{In: u.in, Items: items})
	n, lastLeft := unmetOf(c, n, ln, met)
	n, lastRight := unmetOf(c, n, rn, met)
	which := logical.Column{ID: c.opt.NextID(), Name: "which", T: cond.Type, NotNull: true}
	number := func(k int64) expr.Expr { return &expr.Const{Value: catalog.Int(k)} }
	is := func(k int64) expr.Expr { return cond.Call(expr.FuncEQ, which.Ref(), number(k)) }
	three := &logical.Values{Columns: []logical.Column{which}, Rows: [][]expr.Expr{{number(0)}, {number(1)}, {number(2)}}}
	n = filter(&logical.Join{Kind: logical.Inner, L: n, R: three}, []expr.Expr{cond.Call(expr.FuncOr,
		cond.Call(expr.FuncAnd, is(0), met.Ref()), cond.Call(expr.FuncAnd, is(1), lastLeft), cond.Call(expr.FuncAnd, is(2), lastRight))})
	out := make([]logical.Item, len(cols))
	for i, col := range cols {
		from, lost := by[col.ID].(*expr.Col), is(1)
		if left.Has(from.ID) {
			lost = is(2)
		}
		out[i] = logical.Item{Col: col, Expr: cond.OnlyWhen(cond.Call(expr.FuncNot, lost), from)}
	}
	return &logical.Project{In: n, Items: out}
}

// numbered adds a row number to n.
func numbered(c *context, n logical.Node) (logical.Node, logical.Column) {
	it := logical.WindowItem{Fn: expr.NewWindowFunc(expr.RowNumber, 0)}
	it.Col = logical.Column{ID: c.opt.NextID(), Name: "row_number", T: it.Fn.T, NotNull: true}
	return &logical.Window{In: n, Funcs: []logical.WindowItem{it}}, it.Col
}

// unmetOf adds a mark to n. For each number whose rows all have met = FALSE, the mark is true on
// one row.
func unmetOf(c *context, n logical.Node, number, met logical.Column) (logical.Node, expr.Expr) {
	all := &expr.Frame{Unit: expr.Rows, Start: expr.Bound{Kind: expr.UnboundedPreceding}, End: expr.Bound{Kind: expr.UnboundedFollowing}}
	some := logical.WindowItem{Fn: &expr.WindowFunc{Fn: expr.WindowAgg, Agg: expr.Max, Args: []expr.Expr{met.Ref()}, Frame: all, T: cond.Type}}
	some.Col = logical.Column{ID: c.opt.NextID(), Name: "some_met", T: cond.Type}
	m, nth := numbered(c, n)
	w := m.(*logical.Window)
	w.Partition, w.Funcs = []expr.Expr{number.Ref()}, append(w.Funcs, some)
	none := cond.Call(expr.FuncNot, some.Col.Ref())
	return w, cond.Call(expr.FuncAnd, cond.NotNull(number.Ref()), none, cond.Call(expr.FuncEQ, nth.Ref(), unsigned(1)))
}
