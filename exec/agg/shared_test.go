package agg

import (
	"testing"

	"gsql/exec/agg/state"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestSharedColumns reads a column that two aggregates share.
func TestSharedColumns(t *testing.T) {
	base := &vec.Vector{Type: types.Dec(9, 2), N: 3, I64: []int64{10, 20, 30}, Narrow: true, Null: []bool{false, true, false}}
	dict := &vec.Vector{Type: types.T(types.Int64), N: 2, I64: []int64{4, 5}, Dict: true}
	b := &vec.Batch{N: 3, Cols: []*vec.Vector{
		{Type: base.Type, Form: vec.View, N: 3, Base: base, Idx: []int32{2, 1, -1}},
		{Type: dict.Type, Form: vec.View, N: 3, Base: dict, Idx: []int32{1, 1, 0}},
	}}
	var aggs []aggregate
	for range 2 {
		for c, v := range b.Cols {
			ps, ts, err := compile([]expr.Expr{&expr.Col{ID: expr.ColID(c), T: v.Type}}, []expr.ColID{0, 1})
			if err != nil {
				t.Fatal(err)
			}
			aggs = append(aggs, aggregate{Aggregate: state.Aggregate{Types: ts}, args: ps})
		}
	}
	out := newShared(aggs, []types.Type{base.Type, dict.Type}).flatten(b)
	if v := out.Cols[0]; v.Form != vec.Flat || v.I64[0] != 30 || !v.Null[1] || !v.Null[2] || v.Null[0] {
		t.Errorf("the shared column is %+v", v)
	}
	if out.Cols[1] != b.Cols[1] {
		t.Error("the view of a dictionary was flattened")
	}
	if none := newShared(aggs[:1], []types.Type{base.Type, dict.Type}).flatten(b); none != b {
		t.Error("a column with one reader was flattened")
	}
}
