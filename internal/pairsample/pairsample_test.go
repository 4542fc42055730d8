package pairsample

import (
	"math/rand/v2"
	"testing"
)

// Counts are those of a loop over all pairs.
func TestCount(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		outer, inner := r.IntN(20), r.IntN(150)
		s := New(outer, inner)
		var inside [][][]bool
		for c := range 1 + r.IntN(4) {
			order := make([]int32, 0, inner)
			for _, row := range r.Perm(inner) {
				if r.IntN(10) > 0 {
					order = append(order, int32(row))
				}
			}
			negate := r.IntN(4) == 0
			from, to, is := make([]int32, outer), make([]int32, outer), make([][]bool, outer)
			for i := range outer {
				from[i], to[i] = int32(r.IntN(len(order)+1)), int32(r.IntN(len(order)+1))
				is[i] = make([]bool, inner)
				for place, row := range order {
					is[i][row] = (int32(place) >= from[i] && int32(place) < to[i]) != negate
				}
			}
			if got := s.Add(order, from, to, negate); got != c {
				t.Fatalf("condition %d has number %d", c, got)
			}
			inside = append(inside, is)
		}
		var numbers []int
		numbers = append(numbers, r.Perm(len(inside))[:r.IntN(len(inside)+1)]...)
		want := 0
		for i := range outer {
			n := 0
			for row := range inner {
				all := 1
				for _, c := range numbers {
					if !inside[c][i][row] {
						all = 0
					}
				}
				n += all
				if s.Has(i, row, numbers...) != (all == 1) {
					t.Fatalf("outer row %d, inner row %d, conditions %v: want %d", i, row, numbers, all)
				}
			}
			if got := s.CountOf(i, numbers...); got != n {
				t.Fatalf("outer row %d, conditions %v: %d pairs, want %d", i, numbers, got, n)
			}
			want += n
		}
		if got := s.Count(numbers...); got != want {
			t.Fatalf("conditions %v: %d pairs, want %d", numbers, got, want)
		}
	}
}
