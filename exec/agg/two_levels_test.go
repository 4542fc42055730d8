package agg

import (
	"context"
	"testing"

	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestTwoLevels aggregates distinct values of every kind with one aggregate above another.
func TestTwoLevels(t *testing.T) {
	for _, at := range []types.Type{bigint, double, decimal, text} {
		rel := optest.New(1, bigint, at, bigint).Fill(rng(), 300, 12, 6)
		for _, keys := range [][]int{nil, {0}, {0, 2}} {
			count := &expr.Agg{Fn: expr.Count, Distinct: true, Args: []expr.Expr{rel.Col(1)}, T: bigint}
			aggs := []*expr.Agg{count}
			if at == bigint {
				aggs = append(aggs, &expr.Agg{Fn: expr.Sum, Distinct: true, Args: count.Args, T: types.Dec(38, 0)},
					&expr.Agg{Fn: expr.Avg, Distinct: true, Args: count.Args, T: types.Dec(38, 4)})
			}
			checkBuild(t, rel, keys, aggs)
		}
	}
	rel := optest.New(1, bigint, text, bigint).Fill(rng(), 400, 4, 4)
	pairs := []*expr.Agg{{Fn: expr.Count, Distinct: true, Args: []expr.Expr{rel.Col(1), rel.Col(2)}, T: bigint}}
	checkBuild(t, rel, []int{0}, pairs)
	none := optest.New(1, bigint, text, bigint)
	checkBuild(t, none, nil, pairs)
	checkBuild(t, none, []int{0}, pairs)
}

func checkBuild(t *testing.T, rel *optest.Relation, keys []int, aggs []*expr.Agg) {
	t.Helper()
	plan := &physical.HashAgg{Aggs: aggs}
	for _, k := range keys {
		plan.Keys = append(plan.Keys, rel.Col(k))
	}
	n := overMany(rel, plan)
	if !HasTwoLevels(n) {
		t.Errorf("%v has one level", aggs)
	}
	build := func(in []op.Operator) (op.Operator, error) { return Build(n, in[0]) }
	optest.Case{Inputs: []*optest.Relation{rel}, Want: oracle(rel, keys, aggs), Build: build}.Run(t)
}

// overMany returns the node of an aggregate that expects enough rows for two levels.
func overMany(rel *optest.Relation, plan *physical.HashAgg) *physical.Node {
	in := rel.Node()
	in.Est.Rows = twoLevelRows
	return &physical.Node{Op: plan, In: []*physical.Node{in}}
}

// TestOneLevel lists aggregates that are not over the same distinct values, or for which two levels
// would hash texts twice.
func TestOneLevel(t *testing.T) {
	rel := optest.New(1, bigint, text, bigint)
	count := func(distinct bool, c int) *expr.Agg {
		return &expr.Agg{Fn: expr.Count, Distinct: distinct, Args: []expr.Expr{rel.Col(c)}, T: bigint}
	}
	for _, p := range []*physical.HashAgg{
		{Keys: []expr.Expr{rel.Col(0)}},
		{Aggs: []*expr.Agg{count(true, 0), count(true, 2)}},
		{Aggs: []*expr.Agg{count(true, 0), count(false, 0)}},
		{Aggs: []*expr.Agg{count(true, 0), {Fn: expr.CountStar, T: bigint}}},
		{Keys: []expr.Expr{rel.Col(1)}, Aggs: []*expr.Agg{count(true, 0)}},
		{Aggs: []*expr.Agg{{Fn: expr.GroupConcat, Distinct: true, Args: []expr.Expr{rel.Col(1)}, T: text}}},
	} {
		if HasTwoLevels(overMany(rel, p)) {
			t.Errorf("%v by %v has two levels", p.Aggs, p.Keys)
		}
	}
	few := overMany(rel, &physical.HashAgg{Aggs: []*expr.Agg{count(true, 0)}})
	if few.In[0].Est.Rows--; HasTwoLevels(few) {
		t.Error("few rows have two levels")
	}
}

// TestManyDistinctOfFewGroups merges the workers' sets of distinct values of few groups in partitions,
// so that no worker has to merge them all.
func TestManyDistinctOfFewGroups(t *testing.T) {
	const rows, groups, workers = 60_000, 5, 3
	keys, values := vec.NewFlat(bigint, rows), vec.NewFlat(bigint, rows)
	for i := range rows {
		keys.I64[i], values.I64[i] = int64(i%groups), int64(i%(rows/2)) // each value twice, for the same key
	}
	rel := optest.New(1, bigint, bigint)
	plan := &physical.HashAgg{Keys: []expr.Expr{rel.Col(0)}, Aggs: []*expr.Agg{{Fn: expr.Count, Distinct: true, Args: []expr.Expr{rel.Col(1)}, T: bigint}}}
	o, err := New(&physical.Node{Op: plan, In: []*physical.Node{rel.Node()}}, &optest.Columns{Cols: []*vec.Vector{keys, values}, Shares: workers})
	if err != nil {
		t.Fatal(err)
	}
	account := mem.NewRoot("query", 0)
	ctx := &op.Ctx{Context: context.Background(), Mem: account, Workers: workers}
	if err := o.Open(ctx); err != nil {
		t.Fatal(err)
	}
	if len(o.parts) < workers {
		t.Errorf("%d partitions for %d workers", len(o.parts), workers)
	}
	seen := 0
	err = op.Each(&op.Ctx{Context: context.Background(), Mem: account, Workers: 1}, o, func(_ int, b *vec.Batch) error {
		seen += b.N
		for i, k := range b.Cols[0].I64 {
			if n := b.Cols[1].I64[i]; n != rows/2/groups {
				t.Errorf("group %d has %d values, want %d", k, n, rows/2/groups)
			}
		}
		return nil
	})
	if err != nil || seen != groups {
		t.Errorf("%d groups, error %v", seen, err)
	}
	if err := o.Close(); err != nil || account.Used() != 0 {
		t.Errorf("%d bytes are held after Close, error %v", account.Used(), err)
	}
}
