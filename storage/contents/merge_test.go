package contents

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestMerge merges random segments with deleted rows. The live rows and their ids must stay, and
// the segments must be as few and as full as asked for.
func TestMerge(t *testing.T) {
	schema := &catalog.Schema{Columns: []catalog.Column{{Name: "i", Type: types.T(types.Int64)}, {Name: "s", Type: types.T(types.String)}}}
	for seed := range int64(200) {
		rng := rand.New(rand.NewSource(seed))
		s := Shape{Schema: schema, SegmentRows: 1 + rng.Intn(50)}
		r := &Rows{}
		r.Tail.Base = int64(rng.Intn(100))
		for range rng.Intn(8) {
			n := 1 + rng.Intn(30)
			v, w := vec.NewFlat(schema.Columns[0].Type, n), vec.NewFlat(schema.Columns[1].Type, n)
			for i := range n {
				v.I64[i], w.Str[i] = rng.Int63(), fmt.Sprint(rng.Intn(3))
			}
			must(t, r.Append(context.Background(), s, []*vec.Vector{v, w}, n))
			if rng.Intn(2) == 0 {
				must(t, r.Seal(s))
			}
		}
		var gone []int64
		for _, id := range sortedIDs(t, s, r) {
			if rng.Intn(3) == 0 {
				gone = append(gone, id)
			}
		}
		r.Delete(gone)
		before := rowsByID(t, s, r)
		m := Merging{Least: 2 + rng.Intn(3), Wasted: 1 + rng.Intn(5)}
		if _, err := r.Merge(context.Background(), s, m); err != nil {
			t.Fatal(err)
		}
		if after := rowsByID(t, s, r); !slices.Equal(before, after) {
			t.Fatalf("seed %d: rows\n%v\nbecame\n%v", seed, before, after)
		}
		for i := range r.Segs {
			if r.Segs[i].Del.Count() > 0 && m.wastes(&r.Segs[i]) {
				t.Errorf("seed %d: segment %d has %d of %d rows deleted", seed, i, r.Segs[i].Del.Count(), r.Segs[i].Rows)
			}
			if n := together(r.Segs[i:], s); n >= m.Least {
				t.Errorf("seed %d: %d segments from %d have room in one of %d rows", seed, n, i, s.SegmentRows)
			}
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// rowsByID describes the live rows with their ids, in order.
func rowsByID(t *testing.T, s Shape, r *Rows) []string {
	t.Helper()
	var out []string
	for i := range r.Segs {
		seg := &r.Segs[i]
		live := seg.Del.Live(nil, 0, seg.Rows)
		cols, err := liveColumns(s, seg, live)
		must(t, err)
		for j, row := range live {
			out = append(out, fmt.Sprint(seg.RowID(int(row)), cols[0].I64[j], cols[1].Str[j]))
		}
	}
	for row := range r.Tail.N {
		if !r.TailDel.Has(row) {
			out = append(out, fmt.Sprint(r.Tail.Base+int64(row), r.Tail.Column(s.Schema, 0, row, row+1).I64, r.Tail.Column(s.Schema, 1, row, row+1).Str))
		}
	}
	return out
}

func sortedIDs(t *testing.T, s Shape, r *Rows) []int64 {
	t.Helper()
	var out []int64
	for _, row := range rowsByID(t, s, r) {
		var id int64
		if _, err := fmt.Sscan(row, &id); err != nil {
			t.Fatal(err)
		}
		out = append(out, id)
	}
	return out
}
