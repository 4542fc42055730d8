package agg

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"gsql/exec/op"
	"gsql/exec/optest"
	"gsql/internal/mem"
	"gsql/planner/physical"
	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// fixedColumn makes a column of n rows like those of a join's build side.
func fixedColumn(r *rand.Rand, t types.Type, n, domain int) *vec.Vector {
	v := vec.NewFlat(t, n)
	for i := range n {
		switch d := optest.Value(t, r.IntN(domain)); t.Kind() {
		case types.KindStr:
			v.Str[i] = d.Str
		case types.KindF64:
			v.F64[i] = d.F64
		default:
			v.I64[i] = d.I64
		}
		if r.IntN(5) == 0 {
			v.SetNull(i)
		}
	}
	v.Fixed = true
	return v
}

// TestKeysOverOneIndex groups by columns that are views over the same index: alone, together with
// other columns, and with several such indexes at once. Equal values in different rows of a base
// form one group, and so do NULLs of the index and of the base.
func TestKeysOverOneIndex(t *testing.T) {
	r := rng()
	const rows, wide = 5000, 1 << 18 // wide is too large for a direct map
	index := func(below int) []int32 {
		idx := make([]int32, rows)
		for i := range idx {
			idx[i] = int32(r.IntN(below+1)) - 1
		}
		return idx
	}
	view := func(base *vec.Vector, idx []int32) *vec.Vector {
		return &vec.Vector{Type: base.Type, Form: vec.View, N: rows, Base: base, Idx: idx}
	}
	one, two := index(40), index(30)
	large := index(wide)
	a, b, c := fixedColumn(r, text, 40, 4), fixedColumn(r, double, 40, 3), fixedColumn(r, bigint, 40, 5)
	x, y := fixedColumn(r, text, 30, 3), fixedColumn(r, bigint, 30, 3)
	big, bigText := fixedColumn(r, bigint, wide, 50), fixedColumn(r, text, wide, 50)
	flat := vec.NewFlat(bigint, rows)
	for i := range flat.I64 {
		flat.I64[i] = r.Int64N(3)
	}
	cases := map[string][]*vec.Vector{
		"a lone view":             {view(a, one)},
		"one index":               {view(a, one), view(b, one), view(c, one)},
		"two indexes":             {view(a, one), view(x, two), view(b, one), view(y, two)},
		"beside an integer":       {flat, view(a, one), view(b, one)},
		"an integer behind":       {view(c, one), view(a, one), flat},
		"a base beyond the limit": {view(big, large)},
		"a large base of strings": {view(bigText, large), view(big, large)},
	}
	for name, keys := range cases {
		t.Run(name, func(t *testing.T) {
			for _, workers := range []int{1, 2} {
				if got, want := countGroups(t, keys, workers), countRows(keys); !maps.Equal(got, want) {
					t.Fatalf("%d workers: %d groups, want %d", workers, len(got), len(want))
				}
			}
		})
	}
}

// countRows counts the rows of each key, one by one.
func countRows(keys []*vec.Vector) map[string]int64 {
	out := map[string]int64{}
	for i := range keys[0].N {
		out[spell(keys, i)]++
	}
	return out
}

func spell(keys []*vec.Vector, i int) string {
	s := ""
	for _, k := range keys {
		d := catalog.DatumAt(k, i)
		s += fmt.Sprintf("%v %q,", d.Null, d.SQL())
	}
	return s
}

func countGroups(t *testing.T, cols []*vec.Vector, workers int) map[string]int64 {
	t.Helper()
	ts := make([]types.Type, len(cols))
	for i, c := range cols {
		ts[i] = c.Type
	}
	rel := optest.New(1, ts...)
	plan := &physical.HashAgg{Aggs: countStar(rel)}
	for i := range cols {
		plan.Keys = append(plan.Keys, rel.Col(i))
	}
	o, err := New(&physical.Node{Op: plan, In: []*physical.Node{rel.Node()}}, &optest.Columns{Cols: cols})
	if err != nil {
		t.Fatal(err)
	}
	ctx := &op.Ctx{Context: context.Background(), Mem: mem.NewRoot("query", 0), Workers: workers}
	if err := o.Open(ctx); err != nil {
		t.Fatal(err)
	}
	out := map[string]int64{}
	ctx.Workers = 1
	err = op.Each(ctx, o, func(_ int, b *vec.Batch) error {
		for i := range b.N {
			key := spell(b.Cols[:len(cols)], i)
			if _, twice := out[key]; twice {
				t.Errorf("group %s comes twice", key)
			}
			out[key] = b.Cols[len(cols)].I64[i]
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}
