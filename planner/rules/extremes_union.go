package rules

import (
	"slices"

	"gsql/planner/logical"
	"gsql/planner/rules/cond"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// unionOf describes branches whose distinct rows are wanted.
type unionOf struct {
	*extremes
	cols     []logical.Column // of the result
	branches []branch
	by       []inequality // those of the branches, each once
}

// branch is a branch without outer columns, and the conditions that compare it with them.
type branch struct {
	in   logical.Node
	rows []expr.Expr     // the values of cols
	eqs  []outerEquality // the same outer expressions in all branches
	by   int             // the place of its inequality
	of   expr.Expr       // the operand of the inequality
}

// inequality is "operand op outer" for operands of type t. Branches without an inequality have one
// with an empty op.
type inequality struct {
	op    expr.FuncID
	outer expr.Expr
	t     types.Type
	name  string // of the column for its operand
}

func substituted(es []expr.Expr, by map[expr.ColID]expr.Expr) []expr.Expr {
	out := make([]expr.Expr, len(es))
	for i, e := range es {
		out[i] = cond.Substitute(e, by)
	}
	return out
}

// add appends the branch n.
func (u *unionOf) add(n logical.Node, rows []expr.Expr) bool {
	p := puller{c: u.c, outer: u.outer, duplicates: true}
	in, preds := p.pull(n)
	if p.failed || !repeatable(u.c, in) || u.c.refsOf(rows...).Meets(u.outer) {
		return false
	}
	b := branch{in: in, rows: rows, of: cond.True}
	by := inequality{t: cond.Type, name: "present"}
	for _, e := range preds {
		if eq, ok := p.equality(e, in); ok {
			b.eqs = append(b.eqs, eq)
			continue
		}
		op, inner, outer := p.inequality(e, in)
		if op == "" || by.op != "" || !hasExtremes(inner.Type()) {
			return false
		}
		by, b.of = inequality{op, outer, inner.Type(), inner.String()}, inner
	}
	if len(u.branches) > 0 && !sameOuter(b.eqs, u.branches[0].eqs) {
		return false
	}
	b.by = slices.IndexFunc(u.by, func(x inequality) bool {
		return x.op == by.op && x.t == by.t && (x.op == "" || expr.Equal(x.outer, by.outer))
	})
	if b.by < 0 {
		b.by, u.by = len(u.by), append(u.by, by)
	}
	u.branches = append(u.branches, b)
	return true
}

// sameOuter reports whether two branches equate the same outer expressions, in the same order.
func sameOuter(a, b []outerEquality) bool {
	return slices.EqualFunc(a, b, func(x, y outerEquality) bool {
		return x.op == y.op && expr.Equal(x.outer, y.outer) && x.inner.Type() == y.inner.Type()
	})
}

// inequality splits e, an inequality of n's columns with outer ones, as if the inner operand came
// first. op is "" for other expressions.
func (p *puller) inequality(e expr.Expr, n logical.Node) (op expr.FuncID, inner, outer expr.Expr) {
	c, ok := cond.CallOf(e, expr.FuncLT, expr.FuncLE, expr.FuncGT, expr.FuncGE)
	if !ok || !cond.Stable(e) {
		return "", nil, nil
	}
	for i, op := range []expr.FuncID{c.Fn, cond.Flipped[c.Fn]} {
		a, b := p.c.refsOf(c.Args[i]), p.c.refsOf(c.Args[1-i])
		if !a.Empty() && !b.Empty() && a.SubsetOf(p.c.out(n)) && !a.Meets(p.outer) && b.SubsetOf(p.outer) {
			return op, c.Args[i], c.Args[1-i]
		}
	}
	return "", nil, nil
}

// relation returns the distinct rows of all branches, with the inner sides of the equalities and
// the extreme operand of each inequality. Columns of inequalities that a row's branches lack are
// NULL.
func (u *unionOf) relation() logical.Node {
	var all logical.Node
	for i := range u.branches {
		n := u.project(&u.branches[i])
		if all == nil {
			all = n
			continue
		}
		l, r := u.c.schema(all), u.c.schema(n)
		cols := make([]logical.Column, len(l))
		for i := range l {
			cols[i] = u.c.newColumn(l[i])
			cols[i].NotNull = l[i].NotNull && r[i].NotNull
		}
		all = &logical.SetOp{Kind: logical.Union, All: true, L: all, R: n, Columns: cols}
	}
	cols := u.c.schema(all)
	keys := len(cols) - len(u.by)
	g := &logical.Aggregate{In: all, Keys: slices.Clone(cols[:keys])}
	for i, x := range u.by {
		a := &expr.Agg{Fn: expr.Max, Args: []expr.Expr{cols[keys+i].Ref()}, T: x.t}
		if x.op == expr.FuncLT || x.op == expr.FuncLE {
			a.Fn = expr.Min
		}
		g.Aggs = append(g.Aggs, logical.AggItem{Col: u.c.newColumn(cols[keys+i]), Agg: a})
	}
	return g
}

func (u *unionOf) project(b *branch) logical.Node {
	var items []logical.Item
	add := func(e expr.Expr, t types.Type, name string) {
		col := logical.Column{ID: u.c.opt.NextID(), Name: name, T: t, NotNull: u.isPresent(b.in, e)}
		items = append(items, logical.Item{Col: col, Expr: e})
	}
	for i, e := range b.rows {
		add(e, u.cols[i].T, u.cols[i].Name)
	}
	for _, eq := range b.eqs {
		add(eq.inner, eq.inner.Type(), eq.inner.String())
	}
	for i, x := range u.by {
		if i == b.by {
			add(b.of, x.t, x.name)
		} else {
			add(&expr.Const{Value: catalog.NullOf(x.t)}, x.t, x.name)
		}
	}
	return &logical.Project{In: b.in, Items: items}
}

// isPresent reports whether e is a column of n, or a constant, that is never NULL.
func (u *unionOf) isPresent(n logical.Node, e expr.Expr) bool {
	switch x := e.(type) {
	case *expr.Col:
		col, ok := u.c.column(n, x.ID)
		return ok && col.NotNull
	case *expr.Const:
		return !x.Value.Null
	}
	return false
}

// apart returns the rows of the relation g that pass an inequality. Those that pass only the second
// one are found by comparisons alone, so that range joins and group joins can use them.
func (u *unionOf) apart(g logical.Node) logical.Node {
	first, second := 0, len(u.by)-1
	if second > 0 && u.by[0].op != "" && (u.by[1].op == "" || u.isPresent(u.left, u.by[1].outer)) {
		first, second = 1, 0
	}
	passes := func(at int) func(of []expr.Expr) []expr.Expr {
		return func(of []expr.Expr) []expr.Expr { return []expr.Expr{u.by[at].passes(of[at])} }
	}
	if len(u.by) == 1 {
		return u.where(g, u.cols, passes(first))
	}
	out := u.where(g, u.fresh(), passes(first))
	failures := u.failures(first)
	for i, fails := range failures {
		m := u.where(g, u.fresh(), func(of []expr.Expr) []expr.Expr { return append(passes(second)(of), fails(of[first])...) })
		cols := u.cols
		if i < len(failures)-1 {
			cols = u.fresh()
		}
		out = &logical.SetOp{Kind: logical.Union, All: true, L: out, R: m, Columns: cols}
	}
	return out
}

// fresh returns new columns of the result's types.
func (u *unionOf) fresh() []logical.Column {
	cols := make([]logical.Column, len(u.cols))
	for i := range cols {
		cols[i] = u.c.newColumn(u.cols[i])
	}
	return cols
}

// where returns the rows of a copy of g that agree with the outer values and satisfy conditions
// over the extreme operands. Its columns are cols.
func (u *unionOf) where(g logical.Node, cols []logical.Column, conditions func(of []expr.Expr) []expr.Expr) logical.Node {
	g, _ = logical.Clone(g, u.c.opt.NextID)
	all := refs(u.c.schema(g))
	keys, of := all[len(cols):len(all)-len(u.by)], all[len(all)-len(u.by):]
	var preds []expr.Expr
	for i, eq := range u.branches[0].eqs {
		preds = append(preds, cond.Call(eq.op, eq.outer, keys[i]))
	}
	items := make([]logical.Item, len(cols))
	for i := range cols {
		items[i] = logical.Item{Col: cols[i], Expr: all[i]}
	}
	return &logical.Project{In: filter(g, append(preds, conditions(of)...)), Items: items}
}

// passes returns the condition that a row with the extreme operand of passes.
func (x inequality) passes(of expr.Expr) expr.Expr {
	if x.op == "" {
		return cond.NotNull(of)
	}
	return cond.Call(x.op, of, x.outer)
}

// failures returns the conditions under which a row with an extreme operand does not pass the
// inequality, which exclude each other.
func (u *unionOf) failures(at int) []func(of expr.Expr) []expr.Expr {
	x := u.by[at]
	absent := func(of expr.Expr) []expr.Expr { return []expr.Expr{cond.Call(expr.FuncIsNull, of)} }
	if x.op == "" {
		return []func(expr.Expr) []expr.Expr{absent}
	}
	fails := func(of expr.Expr) []expr.Expr { return []expr.Expr{cond.Call(cond.Negated[x.op], of, x.outer)} }
	unknown := func(of expr.Expr) []expr.Expr {
		return []expr.Expr{cond.NotNull(of), cond.Call(expr.FuncIsNull, x.outer)}
	}
	all := []func(expr.Expr) []expr.Expr{fails, absent, unknown}
	if u.isPresent(u.left, x.outer) {
		return all[:2]
	}
	return all
}
