package implement

import (
	"slices"

	"gsql/planner/colset"
	"gsql/planner/cost"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
)

// eagerRule is the name that disables eager aggregation in gsql_disable_rules.
const eagerRule = "EagerAggregation"

// mostEager is the largest ratio of groups to rows of a side for which aggregating it is planned:
// above it there is little to gain.
const mostEager = 0.5

// eager plans an aggregate of the indexed side below an equality join. It groups by the operands
// of the join and by the columns of that side that the aggregate above groups by (Yan and Larson,
// "Eager Aggregation and Lazy Aggregation", VLDB 1995). A row of the probe side then has one
// partner for each combination of these instead of all rows, with the aggregates that a GroupJoin
// would return. Rows are grouped by the very expressions that are compared, so that exactly the
// values that are equal to the join share a group: texts by their collation keys, decimals with
// the same scale.
type eager struct {
	g     *groupJoin
	side  logical.Node     // the indexed side, with join operands that are not columns added to it
	by    []logical.Column // of side
	exprs []expr.Expr      // the expressions of by
	on    []expr.Expr      // of the join
	parts []logical.Column // of the aggregates below it
}

// eagerNode returns the plan of the columns cols of the probe side, g.groups and g.parts. It
// returns nil if the join has another form or aggregation would hardly reduce the rows.
func (g *groupJoin) eagerNode(cols []logical.Column) *physical.Node {
	if g.order != nil || len(g.op.Keys) == 0 || len(g.op.Ranges) > 0 || g.bands != nil || g.p.disabled[eagerRule] {
		return nil
	}
	probe, build, _, bv := g.sides()
	e := &eager{g: g, by: slices.Clone(g.groups), exprs: refs(g.groups), parts: g.parts}
	e.group()
	if cost.KeyAmong(build, e.by) {
		return nil
	}
	if g.op.Outer {
		e.parts = columnsOf(g, g.op.Aggs)
	}
	over := &logical.Aggregate{In: e.side, Keys: e.by}
	n, m, nterms := float64(len(e.by)), float64(len(e.parts)), terms(e.exprs...)
	for i, c := range e.parts {
		over.Aggs = append(over.Aggs, logical.AggItem{Col: c, Agg: g.op.Aggs[i]})
		nterms += terms(g.op.Aggs[i].Args...)
	}
	groups := g.p.est.Derive(over).Rows
	if groups > mostEager*build.Rows {
		return nil
	}
	_, text := textBytes(g.p, g.op.Keys, probe, build)
	ms := g.p.cpu.HashAgg(build.Rows, groups, n, m, nterms) + g.p.cpu.GroupText(build.Rows, groups, text)
	below := node(&physical.HashAgg{Keys: e.exprs, Aggs: g.op.Aggs}, over.Schema(), groups, groups*(24+8*n+16*m), ms, []variants{bv})
	return e.join(cols, over, below)
}

// group determines the expressions that group the indexed side, and the conditions of the join
// over them.
func (e *eager) group() {
	g := e.g
	_, _, _, bv := g.sides()
	var items []logical.Item
	for i, k := range g.op.Keys {
		c, plain := k.R.(*expr.Col)
		var col logical.Column
		if plain {
			col = columnOf(bv.columns(), c.ID)
		} else {
			col = logical.Column{ID: g.p.newID(), Name: k.R.String(), T: k.R.Type()}
			items = append(items, logical.Item{Col: col, Expr: k.R})
		}
		if !slices.ContainsFunc(e.by, func(o logical.Column) bool { return o.ID == col.ID }) {
			e.by, e.exprs = append(e.by, col), append(e.exprs, k.R)
		}
		same := *g.b.conds.KeyExprs[i].(*expr.Call)
		same.Args = []expr.Expr{k.L, col.Ref()}
		e.on = append(e.on, &same)
	}
	e.side = withItems(g.b.sideNode(!g.left), bv.columns(), items)
}

// join joins the probe side with the groups below, in the cheapest way.
func (e *eager) join(cols []logical.Column, over logical.Node, below *physical.Node) *physical.Node {
	g, p := e.g, e.g.p
	_, _, lv, _ := g.sides()
	rv := variants{{node: below}}
	j := &logical.Join{Kind: g.b.n.Kind, L: g.b.sideNode(g.left), R: over, On: e.on}
	if g.padded() {
		j.L, j.R, lv, rv = j.R, j.L, rv, lv
	}
	need := colset.Of(cols)
	need.AddColumns(g.groups)
	need.AddColumns(e.parts)
	var n *physical.Node
	devices := p.devices
	p.devices = nil
	_ = p.tentatively(func() error {
		n = p.bid(p.newBidder(j, lv, rv, need))[0].node
		return nil
	})
	p.devices = devices
	if !g.op.Outer {
		return n
	}
	out := append(cols[:len(cols):len(cols)], g.groups...)
	exprs := refs(out)
	for i, at := 0, len(cols)-len(g.parts); i < len(g.parts); i++ {
		exprs[at+i] = e.shown(i)
	}
	return node(&physical.Project{Exprs: exprs}, out, n.Est.Rows, 0, p.cpu.Project(n.Est.Rows, terms(exprs...)), []variants{{{node: n}}})
}

// shown returns the value of aggregate i for a row without partners in a left join with the
// groups: COUNT(*) counts that row, as in a GroupJoin.
func (e *eager) shown(i int) expr.Expr {
	x, one := e.parts[i].Ref(), &expr.Const{Value: catalog.Int(1)}
	switch e.g.op.Aggs[i].Fn {
	case expr.CountStar:
		return expr.Cast(call(expr.FuncCoalesce, x, one), e.parts[i].T)
	case expr.Count:
		return expr.Cast(call(expr.FuncCoalesce, x, zero), e.parts[i].T)
	}
	return x
}

func columnOf(cols []logical.Column, id expr.ColID) (c logical.Column) {
	for i := range cols {
		if cols[i].ID == id {
			c = cols[i]
		}
	}
	return c
}
