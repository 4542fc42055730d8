package state

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/exec/accum"
	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestFewGroups sums and counts integers and Narrow decimals of few groups and of many, including
// values too large to be summed in 64 bits.
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
		for _, st := range []State{s, c} {
			if err := st.Grow(groups); err != nil {
				t.Fatal(err)
			}
			if err := st.Update(gids, n, []*vec.Vector{v}); err != nil {
				t.Fatal(err)
			}
		}
		for g := range groups {
			if c.n.S[g] != wantN[g] || s.sums.S[g] != want[g] {
				t.Fatalf("group %d of %d: %d rows, sum %v, want %d, %v", g, groups, c.n.S[g], s.sums.S[g], wantN[g], want[g])
			}
		}
		s.Free()
		c.Free()
	}
}

// TestTally counts batches of rows in several states, with an open tally and without one.
func TestTally(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	account := mem.NewRoot("test", 0)
	var shared Tally
	for range 50 {
		groups := 1 + r.IntN(2*fewGroups)
		states := []*count{{account: account}, {account: account}, {account: account}}
		want := make([]int64, groups)
		for i, c := range states {
			if i > 0 {
				c.TallyBy(&shared)
			}
			if err := c.Grow(groups); err != nil {
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
				shared.Begin()
			}
			for _, c := range states {
				if err := c.Update(gids, len(gids), nil); err != nil {
					t.Fatal(err)
				}
			}
			shared.End()
		}
		for i, c := range states {
			if !slices.Equal(c.n.S[:groups], want) {
				t.Fatalf("state %d: %v, not %v", i, c.n.S[:groups], want)
			}
			c.Free()
		}
	}
}
