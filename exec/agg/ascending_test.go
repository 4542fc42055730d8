package agg

import (
	"slices"
	"testing"

	"gsql/exec/optest"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// sorted returns a relation whose rows ascend by the first column, which has no NULLs; the second
// column has type t.
func sorted(rows, keys int, t types.Type) *optest.Relation {
	rel := optest.New(1, bigint, t)
	rel.Fill(rng(), 3*rows, keys, 20)
	rel.Rows = slices.DeleteFunc(rel.Rows, func(row []catalog.Datum) bool { return row[0].Null })
	rel.Rows = rel.Rows[:min(rows, len(rel.Rows))]
	slices.SortStableFunc(rel.Rows, func(a, b []catalog.Datum) int { return int(min(max(a[0].I64-b[0].I64, -1), 1)) })
	return rel
}

// TestAscendingKeys groups rows sorted by their key, and rows that are sorted only at first.
func TestAscendingKeys(t *testing.T) {
	move := func(rel *optest.Relation, from, to int) {
		row := rel.Rows[from]
		rel.Rows = slices.Insert(slices.Delete(rel.Rows, from, from+1), to, row)
	}
	for name, change := range map[string]func(*optest.Relation){
		"throughout": func(*optest.Relation) {},
		"one key":    func(rel *optest.Relation) { rel.Rows = rel.Rows[:1] },
		"not at the start": func(rel *optest.Relation) {
			move(rel, len(rel.Rows)-1, 0)
		},
		"not in the middle": func(rel *optest.Relation) { move(rel, 0, len(rel.Rows)/2) },
		"not at the end":    func(rel *optest.Relation) { move(rel, 0, len(rel.Rows)-1) },
		"NULL in the middle": func(rel *optest.Relation) {
			rel.Rows[len(rel.Rows)/2][0] = catalog.Datum{Type: bigint, Null: true}
		},
		"NULL at the end": func(rel *optest.Relation) {
			rel.Rows[len(rel.Rows)-1][0] = catalog.Datum{Type: bigint, Null: true}
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, typ := range []types.Type{types.Dec(20, 2), double, text} {
				rel := sorted(150, 40, typ)
				change(rel)
				check(t, rel, []int{0}, allAggs(rel, 1))
			}
		})
	}
}

// TestAscendingSpills groups by more ascending keys than fit in memory.
func TestAscendingSpills(t *testing.T) {
	rows, keys := 120_000, 90_000
	if testing.Short() { // enough to look for races
		rows, keys = 40_000, 30_000
	}
	rel := sorted(rows, keys, bigint)
	aggs := []*expr.Agg{{Fn: expr.CountStar, T: bigint}, {Fn: expr.Sum, Args: []expr.Expr{rel.Col(1)}, T: types.Dec(38, 0)}}
	optest.Case{Inputs: []*optest.Relation{rel}, Want: oracle(rel, []int{0}, aggs), Build: build(rel, []int{0}, aggs)}.RunSpilling(t, 0.8)
}

func TestCommonKeys(t *testing.T) {
	r := rng()
	for range 2000 {
		lists := make([][]int64, 2)
		for i := range lists {
			x := int64(0)
			for range r.IntN(60) {
				if x += 1 + r.Int64N(3); r.IntN(15) == 0 {
					x += r.Int64N(80)
				}
				lists[i] = append(lists[i], x)
			}
		}
		dead := map[int32]bool{int32(r.IntN(30)): true}
		inA, inB := common(lists[0], lists[1], dead)
		n := 0
		for i, x := range lists[0] {
			j := slices.Index(lists[1], x)
			if j < 0 || dead[int32(i)] {
				continue
			}
			if n >= len(inA) || int(inA[n]) != i || int(inB[n]) != j {
				t.Fatalf("%v and %v: %v, %v", lists[0], lists[1], inA, inB)
			}
			n++
		}
		if n != len(inA) {
			t.Fatalf("%v and %v: %v", lists[0], lists[1], inA)
		}
	}
}

func TestChunksSkipDeadGroups(t *testing.T) {
	p := &groups{n: 10, dead: []int32{0, 4, 5, 9}}
	var got []int32
	for _, c := range chunksOf(p, 2) {
		if c.hi-c.lo > 2 || c.hi <= c.lo {
			t.Errorf("chunk [%d, %d)", c.lo, c.hi)
		}
		for g := c.lo; g < c.hi; g++ {
			got = append(got, int32(g))
		}
	}
	if want := []int32{1, 2, 3, 6, 7, 8}; !slices.Equal(got, want) {
		t.Errorf("groups %v, want %v", got, want)
	}
}
