package agg

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/exec/accum"
	"gsql/internal/mem"
	"gsql/sql/expr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestFewGroups sums and counts rows of few groups, of many, and of values too large to be
// summed in 64 bits, Narrow and as integers.
func TestFewGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 400 {
		groups, n := 1+r.IntN(2*fewGroups), r.IntN(40)
		gids, xs := make([]int32, n), make([]int64, n)
		shift := r.IntN(64)
		for i := range gids {
			gids[i], xs[i] = int32(r.IntN(groups)), int64(r.Uint64())>>shift
		}
		wantN, want := make([]int64, groups), make([]accum.Exact, groups)
		for i, g := range gids {
			wantN[g]++
			want[g].Add(uint64(xs[i]), xs[i]>>63)
		}
		account := mem.NewRoot("test", 0)
		kind, v := types.KindI64, &vec.Vector{Type: types.T(types.Int64), N: n, I64: xs}
		if r.IntN(2) == 0 {
			kind, v = types.KindDec, &vec.Vector{Type: types.Dec(18, 2), N: n, I64: xs, Narrow: true}
		}
		s := &sumExact{seen: validity{account: account}, kind: kind}
		c := &count{account: account}
		for _, st := range []state{s, c} {
			if err := st.grow(groups); err != nil {
				t.Fatal(err)
			}
			if err := st.update(gids, n, []*vec.Vector{v}); err != nil {
				t.Fatal(err)
			}
		}
		for g := range groups {
			if c.n.S[g] != wantN[g] || s.sums.S[g] != want[g] {
				t.Fatalf("group %d of %d: %d rows, sum %v, want %d, %v", g, groups, c.n.S[g], s.sums.S[g], wantN[g], want[g])
			}
		}
		s.free()
		c.free()
	}
}

// TestTally counts batches of rows in several states, by a tally while it is open and without one.
func TestTally(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	account := mem.NewRoot("test", 0)
	var shared tally
	for range 50 {
		groups := 1 + r.IntN(2*fewGroups)
		states := []*count{{account: account}, {account: account}, {account: account}}
		want := make([]int64, groups)
		for i, c := range states {
			if i > 0 {
				c.tallyBy(&shared)
			}
			if err := c.grow(groups); err != nil {
				t.Fatal(err)
			}
		}
		gids := make([]int32, 1+r.IntN(100))
		for batch := range 5 {
			for i := range gids {
				gids[i] = int32(r.IntN(groups))
				want[gids[i]]++
			}
			if batch%2 == 0 {
				shared.begin()
			}
			for _, c := range states {
				if err := c.update(gids, len(gids), nil); err != nil {
					t.Fatal(err)
				}
			}
			shared.end()
		}
		for i, c := range states {
			if !slices.Equal(c.n.S[:groups], want) {
				t.Fatalf("state %d: %v, not %v", i, c.n.S[:groups], want)
			}
			c.free()
		}
	}
}

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
			aggs = append(aggs, aggregate{args: ps, types: ts})
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
