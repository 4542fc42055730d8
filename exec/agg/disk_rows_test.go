package agg

import (
	"testing"

	"gsql/exec/optest"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// TestMedianOnDisk computes medians of values that do not fit in memory, of every type, with NULLs
// and duplicates, in a single group and in three groups.
func TestMedianOnDisk(t *testing.T) {
	medians := []types.Type{bigint, ubigint, double, types.Dec(12, 2), types.Dec(30, 2)}
	if testing.Short() { // enough to look for races
		medians = medians[3:]
	}
	for _, typ := range medians {
		rel := optest.New(1, bigint, typ).Fill(rng(), 30_000, 9000, 20)
		for i, row := range rel.Rows {
			row[0] = catalog.Int(int64(i % 2))
			if i%2 == 1 && i%5 != 0 {
				row[0] = catalog.Int(2)
			}
		}
		of := types.Dec(38, int(typ.Scale)+4)
		if typ == double {
			of = double
		}
		aggs := []*expr.Agg{{Fn: expr.Median, Args: []expr.Expr{rel.Col(1)}, T: of}, {Fn: expr.Count, Args: []expr.Expr{rel.Col(1)}, T: bigint}}
		for _, keys := range [][]int{nil, {0}} {
			optest.Case{Inputs: []*optest.Relation{rel}, Want: oracle(rel, keys, aggs), Build: build(rel, keys, aggs)}.RunSpilling(t, 0.4)
		}
	}
}

// TestMedianDistinctOnDisk computes the median of more distinct values than fit in memory.
func TestMedianDistinctOnDisk(t *testing.T) {
	rel := optest.New(1, bigint, bigint).Fill(rng(), 60_000, 50_000, 20)
	aggs := []*expr.Agg{{Fn: expr.Median, Args: []expr.Expr{rel.Col(1)}, T: types.Dec(38, 4), Distinct: true}}
	optest.Case{Inputs: []*optest.Relation{rel}, Want: oracle(rel, nil, aggs), Build: build(rel, nil, aggs)}.RunSpilling(t, 0.3)
}

// TestConcatOnDisk concatenates ordered texts that do not fit in memory together with the results.
func TestConcatOnDisk(t *testing.T) {
	rel := optest.New(1, bigint, text, text).Fill(rng(), 25_000, 2000, 20)
	for i, row := range rel.Rows {
		row[0] = catalog.Int(int64(i % 3))
		if len(row[2].Str) > 0 {
			row[2].Str += string(make([]byte, 100))
		}
	}
	for _, distinct := range []bool{false, true} {
		concat := &expr.Agg{Fn: expr.GroupConcat, Args: []expr.Expr{rel.Col(1)}, T: text, Distinct: distinct, Sep: ";", OrderBy: []expr.SortKey{{Expr: rel.Col(1)}}}
		if !distinct { // a second key, which takes memory but never decides the order
			concat.OrderBy = append(concat.OrderBy, expr.SortKey{Expr: rel.Col(2), Desc: true})
		}
		aggs := []*expr.Agg{concat, {Fn: expr.CountStar, T: bigint}}
		for _, keys := range [][]int{nil, {0}} {
			optest.Case{Inputs: []*optest.Relation{rel}, Want: oracle(rel, keys, aggs), Build: build(rel, keys, aggs)}.RunSpilling(t, 0.5)
		}
	}
}
