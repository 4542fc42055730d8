package groupjoin

import (
	"testing"

	"gsql/planner/physical"
	"gsql/sql/expr"
)

// TestInLittleMemory runs group joins, with each way of finding partners, in a fraction of the
// memory that they normally take.
func TestInLittleMemory(t *testing.T) {
	probe, build := 4000, 16000
	if testing.Short() { // enough to look for races
		probe, build = 1000, 6000
	}
	f := newFixture(11, str, i64, probe, build, 5000, 9)
	cond := func(preds ...physical.RangePred) []physical.RangePred { return preds }
	both, err := expr.NewCall("+", []expr.Expr{f.probe.Col(2), f.build.Col(2)}, -1)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := expr.NewCall("<", []expr.Expr{both, f.build.Col(3)}, -1)
	if err != nil {
		t.Fatal(err)
	}
	for name, plan := range map[string]*physical.GroupJoin{
		"one":            {Ranges: cond(f.on(0, "<", 0))},
		"stabs":          {Ranges: cond(f.on(0, ">=", 0), f.on(0, "<", 1)), Outer: true},
		"sweep":          {Ranges: cond(f.on(0, ">", 0), f.on(1, "<", 1))},
		"outer sweep":    {Keys: f.keys(1, true), Ranges: cond(f.on(0, ">", 0), f.on(1, "<", 1)), Outer: true},
		"computed":       {Ranges: []physical.RangePred{{Op: "<", L: plus(f.probe.Col(2), 5), R: plus(f.build.Col(2), 3)}, {Op: ">=", L: f.probe.Col(3), R: plus(f.build.Col(2), 3)}}},
		"equal keys":     {Keys: f.keys(2, false), Outer: true},
		"streamed":       {Keys: f.keys(1, false), Ranges: cond(f.on(0, "<", 0), f.on(1, ">=", 0)), Streamed: true},
		"outer streamed": {Ranges: cond(f.on(0, "<", 0)), Outer: true, Streamed: true},
		"pairs":          {Where: []expr.Expr{sum}},
		"outer pairs":    {Where: []expr.Expr{sum}, Outer: true},
	} {
		t.Run(name, func(t *testing.T) {
			all := f.aggregates()
			plan.Aggs = []*expr.Agg{all[0], all[1], all[2], all[14], all[len(all)-1]}
			f.caseOf(plan).RunSpilling(t, 0.7)
		})
	}
}
