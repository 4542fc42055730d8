package exec

import (
	"context"
	"testing"

	"gsql/exec/optest"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// BenchmarkSmallPlan runs a filter, an aggregation without joins and a sort over three rows: it
// measures the fixed cost of a plan.
func BenchmarkSmallPlan(b *testing.B) {
	rel := optest.New(1, bigint, bigint).Fill(rng(), 3, 3, 0)
	plan := innerValues(rel).In[0]
	pred := less(rel.Col(0), rel.Col(1))
	plan = &physical.Node{Op: &physical.Filter{Preds: []expr.Expr{pred}}, In: []*physical.Node{plan}, Cols: rel.Cols, Device: physical.CPU}
	sum := &expr.Agg{Fn: expr.Sum, Args: []expr.Expr{rel.Col(1)}, T: types.Dec(38, 0)}
	out := optest.New(5, bigint, types.Dec(38, 0))
	plan = &physical.Node{Op: &physical.HashAgg{Keys: []expr.Expr{rel.Col(0)}, Aggs: []*expr.Agg{sum}}, In: []*physical.Node{plan}, Cols: out.Cols, Device: physical.CPU}
	plan = &physical.Node{Op: &physical.Sort{Keys: []expr.SortKey{{Expr: out.Col(0)}}, Limit: -1}, In: []*physical.Node{plan}, Cols: out.Cols, Device: physical.CPU}
	b.ReportAllocs()
	for b.Loop() {
		if err := drainPlan(context.Background(), plan, Options{Workers: 2}); err != nil {
			b.Fatal(err)
		}
	}
}
