package storage

import (
	"math/rand/v2"
	"testing"
)

// TestRowSet compares sets of ids with maps.
func TestRowSet(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var sets [2]rowSet
		var maps [2]map[int64]bool
		for i := range sets {
			maps[i] = map[int64]bool{}
			for range rnd.IntN(6) {
				from := rnd.Int64N(60)
				for id := from; id < from+1+rnd.Int64N(8); id++ {
					sets[i].add(id)
					maps[i][id] = true
				}
				if rnd.IntN(3) == 0 {
					sets[i].settle()
				}
			}
			count, last := 0, int64(-2)
			for _, r := range sets[i].settle() {
				if r.from <= last+1 || r.to < r.from {
					t.Fatalf("ranges touch: %v", sets[i].ranges)
				}
				for id := r.from; id <= r.to; id++ {
					if !maps[i][id] {
						t.Fatalf("%d is in the set", id)
					}
					count++
				}
				last = r.to
			}
			if count != len(maps[i]) {
				t.Fatalf("%d ids, want %d", count, len(maps[i]))
			}
		}
		want := false
		for id := range maps[0] {
			want = want || maps[1][id]
		}
		if got := overlap(sets[0].ranges, sets[1].ranges); got != want {
			t.Fatalf("%v and %v: overlap %v", sets[0].ranges, sets[1].ranges, got)
		}
	}
}

// TestRowSetOfManyIDs adds more ids than wait to be put in order.
func TestRowSetOfManyIDs(t *testing.T) {
	var s rowSet
	for id := range int64(3 * freshIDs) {
		s.add(id)
	}
	if r := s.settle(); len(r) != 1 || r[0] != (idRange{0, 3*freshIDs - 1}) {
		t.Errorf("%d ranges", len(r))
	}
}
