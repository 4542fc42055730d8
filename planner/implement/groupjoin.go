package implement

import (
	"slices"

	"gsql/planner/colset"
	"gsql/planner/cost"
	"gsql/planner/implement/classify"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// groupJoinRule is the name that disables group joins in gsql_disable_rules.
const groupJoinRule = "GroupJoin"

// Names returns the alternatives that gsql_disable_rules can disable.
func Names() []string {
	return []string{groupJoinRule, eagerRule, DynamicRule, shareRule, splitNullsRule, splitBranchesRule, pipelinesRule}
}

// The names of bids.
const (
	groupJoinBid = "group_join"
	eagerBid     = "eager_agg"
)

// planGroupJoin considers a plan without row pairs for an aggregate over a join. It keeps the
// cheaper plan for the CPU, with the other as a rejected bid.
func planGroupJoin(p *planner, n *logical.Aggregate, b *bidder, out variants) variants {
	if b == nil || out[0].node == nil {
		return out
	}
	g, why := bestGroupJoin(p, n, b)
	plain := out[0].node
	if g == nil || len(g.groups) > 0 {
		if both := groupedByBoth(p, n, b); both != nil && both.Est.TotalMS < plain.Est.TotalMS && (g == nil || both.Est.TotalMS < g.top.Est.TotalMS) {
			join := joinOf(plain)
			both.Rejected = append(both.Rejected, planBid(join, plain.Est.TotalMS, "making the pairs"))
			both.Rejected = append(both.Rejected, deviceRefusals(join)...)
			out[0] = variant{node: both}
			return out
		}
	}
	switch {
	case g == nil && (p.disabled[groupJoinRule] || len(b.conds.Ranges)+len(b.conds.Unequal) == 0):
	case g == nil:
		plain.Rejected = append(plain.Rejected, physical.Bid{Algorithm: groupJoinBid, Device: physical.CPU, Why: why})
	case plain.Est.TotalMS <= g.price():
		plain.Rejected = append([]physical.Bid{{Algorithm: g.name, Device: physical.CPU, TotalMS: g.price()}}, plain.Rejected...)
	default:
		join := joinOf(plain)
		rejected := []physical.Bid{planBid(join, plain.Est.TotalMS, g.plainForm())}
		g.join.Rejected = slices.Concat(rejected, g.join.Rejected, deviceRefusals(join))
		out[0] = variant{node: g.top}
	}
	return out
}

// lostSharing scales the price of eager aggregation: the join below might be shared with other
// aggregates, which is only known later (share.go).
const lostSharing = 1.1

// price returns the cost at which the plan competes with the plain one.
func (g *groupJoin) price() float64 {
	if g.name == eagerBid {
		return lostSharing * g.top.Est.TotalMS
	}
	return g.top.Est.TotalMS
}

// plainForm returns the description of the plan without the alternative.
func (g *groupJoin) plainForm() string {
	if g.name == eagerBid {
		return "no aggregate below"
	}
	return "making the pairs"
}

// joinOf returns the join below an aggregate's plan.
func joinOf(n *physical.Node) *physical.Node {
	for n = n.In[0]; len(n.In) == 1; n = n.In[0] {
	}
	return n
}

// bestGroupJoin returns the group join with the cheaper choice of the probe side, or the reason
// why there is none.
func bestGroupJoin(p *planner, n *logical.Aggregate, b *bidder) (best *groupJoin, why string) {
	if why := b.groupJoinRefusal(); why != "" {
		return nil, why
	}
	for _, left := range []bool{true, false} {
		g := newGroupJoin(p, n, b, left)
		if refusal := g.make(); refusal != "" {
			if why == "" {
				why = refusal
			}
			continue
		}
		if best == nil || g.top.Est.TotalMS < best.top.Est.TotalMS {
			best = g
		}
	}
	return best, why
}

// groupJoinRefusal returns why no group join can replace the join, whatever is aggregated.
func (b *bidder) groupJoinRefusal() string {
	h := b.n.Hint
	switch {
	case b.n.Kind != logical.Inner && b.n.Kind != logical.Left:
		return "not for joins of this kind"
	case h != nil && (len(h.Force)+len(h.Forbid)+len(h.Leading) > 0 || h.Straight):
		return forbiddenByHint
	case !b.mustRunOnDevice():
	case deviceHint(h) != "":
		return forbiddenByHint
	default:
		return "gsql_device is " + b.p.place.Device
	}
	for _, e := range b.n.On {
		if expr.Volatile(e) {
			return "a predicate that is not deterministic"
		}
	}
	return ""
}

// indexable reports whether an order of one side's rows finds the partners of the other side's
// rows.
func indexable(c *classify.Conditions) bool {
	n := len(c.Unequal)
	return len(c.Rest) == 0 && (n == 0 || n == 1 && len(c.Ranges) == 0 && !c.Unequal[0].L.Type().IsFloat())
}

// groupJoin builds the plan of an aggregate without row pairs: a GroupJoin returns the rows of
// the probe side with partial aggregates over their partners, and an aggregate above combines
// these.
type groupJoin struct {
	p      *planner
	n      *logical.Aggregate
	b      *bidder
	left   bool // the left input is the probe side
	op     *physical.GroupJoin
	probe  colset.Set       // columns of the probe side
	build  colset.Set       // columns of the indexed side
	groups []logical.Column // keys of n from the indexed side
	parts  []logical.Column // of op.Aggs
	aggs   []logical.AggItem
	final  []expr.Expr // of n.Aggs, over the columns of aggs
	plain  bool        // final only passes aggs on
	bands  *twoBands   // nil if one GroupJoin suffices
	order  expr.Expr   // by which the indexed side must be sorted, for distinct values; nil: none
	name   string      // of the bid
	join   *physical.Node
	top    *physical.Node
}

func newGroupJoin(p *planner, n *logical.Aggregate, b *bidder, left bool) *groupJoin {
	g := &groupJoin{p: p, n: n, b: b, left: left, plain: true, op: &physical.GroupJoin{Outer: left && b.n.Kind == logical.Left}}
	g.probe, g.build = colset.Of(b.lv.columns()), colset.Of(b.rv.columns())
	if !left {
		g.probe, g.build = g.build, g.probe
	}
	return g
}

// make builds the plan, or returns why there is none with this probe side.
func (g *groupJoin) make() string {
	for _, k := range g.n.Keys {
		if !g.probe.Has(k.ID) {
			g.groups = append(g.groups, k)
		}
	}
	g.conditions()
	for i := range g.n.Aggs {
		if why := g.aggregate(g.n.Aggs[i].Agg); why != "" {
			return why
		}
	}
	if g.bands != nil && !differ(g) {
		g.pairwise()
	}
	switch {
	case g.joinNode():
		g.aggregateNode()
		return ""
	case len(g.groups) > 0:
		return "GROUP BY has columns of both sides"
	}
	return "switched off"
}

// padded reports whether the probe side's columns are NULL for rows of the indexed side without
// partners: a left join may be built from the groups of its left rows.
func (g *groupJoin) padded() bool { return !g.left && g.b.n.Kind == logical.Left }

// onlyEager reports whether a GroupJoin cannot replace the join.
func (g *groupJoin) onlyEager() bool { return len(g.groups) > 0 || g.padded() }

// sides returns the probe side and the indexed one.
func (g *groupJoin) sides() (probe, build *cost.Props, pv, bv variants) {
	if g.left {
		return g.b.l, g.b.r, g.b.lv, g.b.rv
	}
	return g.b.r, g.b.l, g.b.rv, g.b.lv
}

// joinNode builds the GroupJoin, or the eager aggregation if it is cheaper. It returns false if
// neither is possible or both are disabled.
func (g *groupJoin) joinNode() bool {
	probe, build, pv, bv := g.sides()
	rows := probe.Rows
	if !g.op.Outer {
		semi := &logical.Join{Kind: logical.Semi, On: g.b.n.On}
		rows = cost.Joined(semi, probe, build).Rows
	}
	need := colset.Of(g.n.Keys)
	for _, it := range g.aggs {
		need = need.With(it.Agg.Args...)
		for _, k := range it.Agg.OrderBy {
			need.AddExpr(k.Expr)
		}
	}
	cols := append(need.Pick(pv.columns()), g.parts...)
	if g.order != nil {
		bv = g.sorted(bv)
	}
	if eager := g.eagerNode(cols); eager != nil {
		g.join, g.name = eager, eagerBid
	}
	if g.onlyEager() || g.p.disabled[groupJoinRule] {
		return g.join != nil
	}
	in := cost.GroupJoinInput{Probe: probe.Rows, Build: build.Rows, Keys: float64(len(g.op.Keys)), Tests: g.orders(),
		Measures: float64(len(g.op.Aggs)), Terms: terms(g.b.n.On...), Single: g.single()}
	_, in.Text = textBytes(g.p, g.op.Keys, probe, build)
	ms, bytes := g.p.cpu.GroupJoin(&in), build.Rows*(8+16*in.Measures+12*(in.Keys+in.Tests))
	if len(g.op.Where) > 0 {
		ms = g.p.cpu.PairwiseGroupJoin(&in, g.b.isVectorised())
	} else if streamed := g.p.cpu.StreamedGroupJoin(&in); g.mayStream() && streamed < ms {
		g.op.Streamed = true
		ms, bytes = streamed, probe.Rows*(48+32*in.Measures+12*in.Keys)
	}
	n := node(g.op, cols, rows, bytes, ms, []variants{pv, bv})
	if g.bands != nil {
		var err error
		if n, err = bandsNode(g, cols, rows, ms, bytes); err != nil {
			return false
		}
	}
	if g.join == nil || n.Est.TotalMS < g.join.Est.TotalMS {
		g.join, g.name = n, groupJoinBid
	}
	return true
}

// aggregateNode builds the aggregate over the GroupJoin, and a projection if some aggregates are
// computed from others.
func (g *groupJoin) aggregateNode() {
	op := &physical.HashAgg{Keys: refs(g.n.Keys)}
	cols, nterms := g.n.Keys[:len(g.n.Keys):len(g.n.Keys)], 0.0
	for i, it := range g.aggs {
		op.Aggs = append(op.Aggs, it.Agg)
		nterms += terms(it.Agg.Args...)
		col := it.Col
		if g.plain {
			col = g.n.Aggs[i].Col
		}
		cols = append(cols, col)
	}
	out := g.p.est.Derive(g.n)
	in := variants{{node: g.join}}
	ms := g.p.cpu.HashAgg(g.join.Est.Rows, out.Rows, float64(len(op.Keys)), float64(len(op.Aggs)), nterms)
	g.top = node(op, cols, out.Rows, out.Rows*(g.p.est.Width(out, cols)+24), ms, []variants{in})
	if g.plain {
		return
	}
	exprs := append(refs(g.n.Keys), g.final...)
	over := variants{{node: g.top}}
	g.top = node(&physical.Project{Exprs: exprs}, g.n.Schema(), out.Rows, 0, g.p.cpu.Project(out.Rows, terms(g.final...)), []variants{over})
}

// conditions rewrites the join's conditions with the probe side on the left, or leaves them to be
// tested pair by pair.
func (g *groupJoin) conditions() {
	c := &g.b.conds
	if !indexable(c) {
		g.pairwise()
		return
	}
	for _, k := range c.Keys {
		if !g.left {
			k.L, k.R = k.R, k.L
		}
		g.op.Keys = append(g.op.Keys, k)
	}
	for _, list := range [][]physical.RangePred{c.Ranges, c.Unequal} {
		for _, r := range list {
			if !g.left {
				r.Op, r.L, r.R = cost.Mirror(r.Op), r.R, r.L
			}
			g.op.Ranges = append(g.op.Ranges, r)
		}
	}
	if g.ordered() {
		return
	}
	if g.bands = splitBand(g); g.bands == nil {
		g.pairwise()
	}
}

// pairwise leaves all conditions to be tested pair by pair.
func (g *groupJoin) pairwise() {
	g.op.Keys, g.op.Ranges, g.op.Where, g.bands = nil, nil, g.b.n.On, nil
}

// ordered reports whether a group join can order the rows of the indexed side by its conditions.
// Unless one operand of the probe side finds the rows, a group join orders them by two operands,
// and one of these must be bounded on one side only.
func (g *groupJoin) ordered() bool {
	tests := g.tests()
	return g.single() || len(tests) < 2 || len(tests) == 2 && !(bothWays(tests[0]) && bothWays(tests[1]))
}

// tests groups the operators of the comparisons by their operand on the indexed side.
func (g *groupJoin) tests() (ops [][]expr.FuncID) {
	var operands []expr.Expr
next:
	for _, r := range g.op.Ranges {
		for i, e := range operands {
			if expr.Equal(e, r.R) {
				ops[i] = append(ops[i], r.Op)
				continue next
			}
		}
		operands, ops = append(operands, r.R), append(ops, []expr.FuncID{r.Op})
	}
	return ops
}

// single reports whether at most one operand of the probe side finds the rows.
func (g *groupJoin) single() bool {
	for _, r := range g.op.Ranges {
		if r.Op == expr.FuncNE || !expr.Equal(r.L, g.op.Ranges[0].L) {
			return false
		}
	}
	return true
}

// mayStream reports whether the indexed side can be streamed while the probe side is in memory:
// at most one of its operands finds the rows.
func (g *groupJoin) mayStream() bool { return len(g.tests()) <= 1 && len(g.b.conds.Unequal) == 0 }

// orders returns the number of operands by which the rows of the indexed side are likely to be
// ordered. Two operands over one column, such as b.x - 5 and b.x + 5, increase together.
func (g *groupJoin) orders() float64 {
	columns := map[expr.ColID]bool{}
	for _, r := range g.op.Ranges {
		expr.Cols(r.R, columns)
	}
	return float64(min(len(columns), len(g.tests())))
}

// bothWays reports whether comparisons bound an operand both below and above.
func bothWays(ops []expr.FuncID) bool {
	below, above := false, false
	for _, op := range ops {
		up := op == expr.FuncLT || op == expr.FuncLE
		below, above = below || up, above || !up
	}
	return below && above
}
