package storage

import (
	"context"
	"math/rand"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/types"
)

// pairTable returns a table with two integer columns and a text copy of the second one.
func pairTable(t testing.TB, s *Store, a, b []int64) catalog.Combiner {
	t.Helper()
	texts := make([]string, len(b))
	for i, x := range b {
		texts[i] = string(rune('a' + x%1000))
	}
	schema := &catalog.Schema{Columns: []catalog.Column{{Name: "a", Type: types.T(types.Int64)}, {Name: "b", Type: types.T(types.Int64)}, {Name: "c", Type: types.T(types.String)}}}
	create(t, s, "t", schema)
	commitRows(t, s, "t", ints(a...), ints(b...), strs(texts...))
	return lookup(t, s.Begin(), "t").(catalog.Combiner)
}

// TestCombinations compares estimated numbers of value combinations with the actual ones.
func TestCombinations(t *testing.T) {
	const rows = 200000
	rng := rand.New(rand.NewSource(1))
	free := func(most int64) func(int) int64 { return func(int) int64 { return rng.Int63n(most) } }
	var last int64
	for _, tt := range []struct {
		name   string
		rows   int
		a, b   func(i int) int64
		factor float64
	}{
		{"all rows are looked at", 5000, free(60), free(60), 1},
		{"few", rows, free(20), free(30), 1.01},
		{"many", rows, free(200), free(300), 1.1},
		{"a key, together", rows, func(i int) int64 { return int64(i / 4) }, func(i int) int64 { return int64(i%4*1000 + i/4%1000) }, 1},
		{"a key, in no order", rows, func(i int) int64 { return int64(i * 7919 % rows / 4) }, func(i int) int64 { return int64(i * 7919 % rows % 4) }, 1.01},
		{"children of a key", rows, func(int) int64 { last = rng.Int63n(50000); return last / 4 }, func(int) int64 { return last % 4 }, 1.15},
		{"rows made together", rows, func(i int) int64 { return int64(i / 10) }, func(i int) int64 { return int64(i / 10 % 77) }, 1.2},
		{"one follows from the other", rows, func(int) int64 { last = rng.Int63n(3000); return last }, func(int) int64 { return last / 7 }, 1.1},
	} {
		s := NewStore(nil)
		s.segmentRows = 30000
		a, b, seen := make([]int64, tt.rows), make([]int64, tt.rows), map[[2]int64]bool{}
		for i := range a {
			a[i], b[i] = tt.a(i), tt.b(i)
			seen[[2]int64{a[i], b[i]}] = true
		}
		tab, want := pairTable(t, s, a, b), float64(len(seen))
		got, ok := tab.Combinations([]int{0, 1})
		if !ok || max(got/want, want/got) > tt.factor {
			t.Errorf("%s: %g combinations, want %g", tt.name, got, want)
		}
		if turned, _ := tab.Combinations([]int{1, 0}); turned != got {
			t.Errorf("%s: %g combinations turned round, want %g", tt.name, turned, got)
		}
	}
}

// TestCombinationsOfVersions checks the estimates of versions with a few additional rows, and
// cases without an estimate.
func TestCombinationsOfVersions(t *testing.T) {
	const rows = 40000
	s := NewStore(nil)
	a, b := make([]int64, rows), make([]int64, rows)
	for i := range a {
		a[i], b[i] = int64(i/2), int64(i%2)
	}
	tab := pairTable(t, s, a, b)
	if n, ok := tab.Combinations([]int{0, 1}); !ok || n != rows {
		t.Fatalf("%g combinations", n)
	}
	few, ok := tab.Combinations([]int{1, 2})
	if !ok || few != 2 {
		t.Fatalf("%g combinations", few)
	}
	commitRows(t, s, "t", ints(-1, -2), ints(0, 0), strs("x", "y"))
	more := lookup(t, s.Begin(), "t").(catalog.Combiner)
	if n, _ := more.Combinations([]int{0, 1}); n != rows+2 {
		t.Errorf("%g combinations of a key with two rows more", n)
	}
	if n, _ := more.Combinations([]int{1, 2}); n != few {
		t.Errorf("%g combinations with two rows more, %g before", n, few)
	}
	for _, columns := range [][]int{{catalog.RowID, 1}, {0, 1, 2, 0, 1, 2, 0, 1, 2}} {
		if _, ok := more.Combinations(columns); ok {
			t.Errorf("combinations of %v", columns)
		}
	}
	must(t, func() error {
		tx := s.Begin()
		_, ids := scan(t, lookup(t, tx, "t"), catalog.ScanSpec{})
		if _, err := tx.Delete(context.Background(), lookup(t, tx, "t"), ids); err != nil {
			return err
		}
		return tx.Commit()
	}())
	if _, ok := lookup(t, s.Begin(), "t").(catalog.Combiner).Combinations([]int{0, 1}); ok {
		t.Error("combinations of no rows")
	}
}

func BenchmarkCombinations(b *testing.B) {
	const rows = 500000
	rng, s := rand.New(rand.NewSource(1)), NewStore(nil)
	x, y := make([]int64, rows), make([]int64, rows)
	for i := range x {
		x[i], y[i] = rng.Int63n(rows), rng.Int63n(100)
	}
	tab := pairTable(b, s, x, y)
	tab.Stats()
	for b.Loop() {
		combine(tab.(*version), []int{0, 1})
	}
}
