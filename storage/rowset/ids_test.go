package rowset

import (
	"math/rand/v2"
	"testing"
)

// TestIDs compares sets of ids with maps.
func TestIDs(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var sets [2]IDs
		var maps [2]map[int64]bool
		for i := range sets {
			maps[i] = map[int64]bool{}
			for range rnd.IntN(6) {
				from := rnd.Int64N(60)
				for id := from; id < from+1+rnd.Int64N(8); id++ {
					sets[i].Add(id)
					maps[i][id] = true
				}
				if rnd.IntN(3) == 0 {
					sets[i].Ranges()
				}
			}
			count, last := 0, int64(-2)
			for _, r := range sets[i].Ranges() {
				if r.From <= last+1 || r.To < r.From {
					t.Fatalf("ranges touch: %v", sets[i].ranges)
				}
				for id := r.From; id <= r.To; id++ {
					if !maps[i][id] {
						t.Fatalf("%d is in the set", id)
					}
					count++
				}
				last = r.To
			}
			if count != len(maps[i]) {
				t.Fatalf("%d ids, want %d", count, len(maps[i]))
			}
		}
		want := false
		for id := range maps[0] {
			want = want || maps[1][id]
		}
		if got := Overlap(sets[0].ranges, sets[1].ranges); got != want {
			t.Fatalf("%v and %v: overlap %v", sets[0].ranges, sets[1].ranges, got)
		}
	}
}

// TestManyIDs adds enough ids to update the ranges.
func TestManyIDs(t *testing.T) {
	var s IDs
	for id := range int64(3 * freshIDs) {
		s.Add(id)
	}
	if r := s.Ranges(); len(r) != 1 || r[0] != (Range{0, 3*freshIDs - 1}) {
		t.Errorf("%d ranges", len(r))
	}
}
