package implement

import (
	"gsql/planner/cost"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/expr"
)

// eagerRule switches eager aggregation off in gsql_disable_rules.
const eagerRule = "EagerAggregation"

// eagerNode aggregates the indexed side of an equality join by its keys before the join (Yan
// and Larson, "Eager Aggregation and Lazy Aggregation", VLDB 1995): each row of the probe
// side then has at most one partner, with the aggregates that a GroupJoin would give. nil
// where the join is another one.
func (g *groupJoin) eagerNode(cols []logical.Column, rows float64) *physical.Node {
	if len(g.op.Keys) == 0 || len(g.op.Ranges) > 0 || g.op.Outer || g.p.disabled[eagerRule] {
		return nil
	}
	probe, build, pv, bv := g.sides()
	pre := &physical.HashAgg{Aggs: g.op.Aggs}
	join := &physical.Join{Algo: physical.Hash, Type: logical.Inner}
	var keys []logical.Column
	for _, k := range g.op.Keys {
		c, ok := k.R.(*expr.Col)
		if !ok || k.NullSafe {
			return nil
		}
		col := columnOf(bv.columns(), c.ID)
		keys, pre.Keys = append(keys, col), append(pre.Keys, c)
		join.Keys = append(join.Keys, physical.KeyPair{L: k.L, R: c})
	}
	groups, nterms := cost.Groups(build, keys), 0.0
	for _, a := range g.op.Aggs {
		nterms += terms(a.Args...)
	}
	n, m := float64(len(keys)), float64(len(g.op.Aggs))
	below := node(pre, append(keys[:len(keys):len(keys)], g.parts...), groups, groups*(24+8*n+16*m), g.p.cpu.HashAgg(build.Rows, groups, n, m, nterms), []variants{bv})
	in := cost.JoinInput{Build: groups, BuildWidth: 8 * (n + m), BuildCols: m, Probe: probe.Rows, ProbeCols: float64(len(cols)) - m, Out: rows, Pairs: rows, Keys: n}
	in.ProbeText, in.BuildText = g.p.textBytes(join.Keys, probe, build)
	return node(join, cols, rows, groups*(hashEntryBytes+8*(n+m)), g.p.cpu.HashJoin(&in), []variants{pv, {{node: below}}})
}

func columnOf(cols []logical.Column, id expr.ColID) (c logical.Column) {
	for i := range cols {
		if cols[i].ID == id {
			c = cols[i]
		}
	}
	return c
}
