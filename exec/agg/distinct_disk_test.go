package agg

import (
	"testing"

	"gsql/exec/optest"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// TestDistinctOnDisk aggregates sets of distinct values that do not fit in memory, in a single
// group and in three groups.
func TestDistinctOnDisk(t *testing.T) {
	rel := optest.New(1, bigint, bigint, text).Fill(rng(), 60_000, 50_000, 20)
	for i, row := range rel.Rows {
		row[0] = catalog.Int(int64(i % 3))
	}
	aggs := []*expr.Agg{{Fn: expr.CountStar, T: bigint}, {Fn: expr.Count, Args: []expr.Expr{rel.Col(1)}, T: bigint, Distinct: true},
		{Fn: expr.Sum, Args: []expr.Expr{rel.Col(1)}, T: types.Dec(38, 0), Distinct: true},
		{Fn: expr.BitXor, Args: []expr.Expr{rel.Col(1)}, T: ubigint, Distinct: true},
		{Fn: expr.Count, Args: []expr.Expr{rel.Col(2), rel.Col(1)}, T: bigint, Distinct: true}}
	for _, keys := range [][]int{nil, {0}} {
		optest.Case{Inputs: []*optest.Relation{rel}, Want: oracle(rel, keys, aggs), Build: build(rel, keys, aggs)}.RunSpilling(t, 0.5, 0.2)
	}
}
